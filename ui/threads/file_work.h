#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>

#include <utility>

namespace assay {

/// Reads and writes files for the window, one after the other on a thread of its own, so that no slow disk
/// holds up the event loop. What was begun is done before it goes away.
class FileWork : public QObject
{
    Q_OBJECT
public:
    explicit FileWork(QObject* parent = nullptr)
        : QObject(parent)
    {
        m_pool.setMaxThreadCount(1);
    }
    ~FileWork() override { m_pool.waitForDone(); }

    /// Whether something was asked whose `then` has not run yet.
    bool busy() const { return m_asked > 0; }

    /// Runs `fn()` on the worker thread and `then` with its value on the thread of this object, unless that
    /// is gone by then.
    template <typename Fn, typename Then>
    void run(Fn fn, Then then)
    {
        ++m_asked;
        m_pool.start([this, fn = std::move(fn), then = std::move(then)]() mutable {
            const auto answer = [this, then = std::move(then), value = fn()]() mutable {
                --m_asked;
                then(std::move(value));
            };
            QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
        });
    }

private:
    QThreadPool m_pool;
    int m_asked = 0; ///< on the thread of this object only
};

} // namespace assay
