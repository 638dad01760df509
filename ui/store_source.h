#pragma once

#include "core/store/run_store.h"
#include "ui/threads/store_writer.h"

#include <QMetaObject>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

class QThread;

namespace assay {

/// The window's way to the store: a reader thread with its own read-only connection and a writer thread for
/// small edits, so that no query waits behind an edit that finds the store locked. The GUI thread never runs
/// SQL; it hands over a query and gets its value back as a queued call.
class StoreSource : public QObject
{
    Q_OBJECT
public:
    explicit StoreSource(StorePlace place, QObject* parent = nullptr);
    ~StoreSource() override;

    const StorePlace& place() const { return m_place; }

    /// Runs `fn(const RunReader&) -> Result<T>` on the store thread and `then(Result<T>)` on this object's
    /// thread, unless `context` is gone by then. Queries run in the order they were asked. Errors of opening
    /// the store reach `then`.
    template <typename Fn, typename Then>
    void query(QObject* context, Fn fn, Then then);
    /// The same for small writes: `fn(RunEditor&) -> Result<T>`, on the writer thread. Waiting edits are
    /// written before this object goes away. A query that is to see the edit is asked from `then`.
    template <typename Fn, typename Then>
    void edit(QObject* context, Fn fn, Then then);

Q_SIGNALS:
    /// Some process committed to the store since the last signal; at most twice a second.
    void changed();

private:
    using Job = std::function<void()>;
    void post(Job job);
    /// Store threads: hands the value back to the GUI thread. This object outlives its threads; `context` is
    /// looked at only there.
    template <typename R, typename Then>
    void answer(QPointer<QObject> context, Then then, R result);
    /// Store thread: the connection, opened on first use and again after a failure.
    Result<const RunReader*> reader();
    void poll();

    StorePlace m_place;
    QThread* m_thread = nullptr;
    QObject* m_worker = nullptr; ///< lives in m_thread; only a target for queued calls
    QTimer m_pollTimer;
    bool m_polling = false; ///< a poll is under way
    std::int64_t m_version = -1;
    std::unique_ptr<RunReader> m_reader; ///< store thread only
    std::unique_ptr<StoreWriter> m_writer;
};

template <typename R, typename Then>
void StoreSource::answer(QPointer<QObject> context, Then then, R result)
{
    QMetaObject::invokeMethod(
        this,
        [context, then = std::move(then), result = std::move(result)]() mutable {
            if (context)
                then(std::move(result));
        },
        Qt::QueuedConnection);
}

template <typename Fn, typename Then>
void StoreSource::query(QObject* context, Fn fn, Then then)
{
    using R = std::invoke_result_t<Fn, const RunReader&>;
    post([this, context = QPointer<QObject>(context), fn = std::move(fn), then = std::move(then)]() mutable {
        auto open = reader();
        R result = open.ok() ? fn(**open) : R(open.error());
        answer(context, std::move(then), std::move(result));
    });
}

template <typename Fn, typename Then>
void StoreSource::edit(QObject* context, Fn fn, Then then)
{
    using R = std::invoke_result_t<Fn, RunEditor&>;
    m_writer->post([this, context = QPointer<QObject>(context), fn = std::move(fn),
                    then = std::move(then)](const Result<RunEditor*>& open) mutable {
        R result = open.ok() ? fn(**open) : R(open.error());
        answer(context, std::move(then), std::move(result));
        QMetaObject::invokeMethod(
            this, [this] { poll(); }, Qt::QueuedConnection);
    });
}

} // namespace assay
