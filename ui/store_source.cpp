#include "ui/store_source.h"

#include <QThread>

namespace assay {

namespace {

constexpr int kPollMilliseconds = 500; ///< a curve that grows twice a second is live; each time costs a page

} // namespace

StoreSource::StoreSource(StorePlace place, QObject* parent)
    : QObject(parent)
    , m_place(std::move(place))
    , m_thread(new QThread(this))
    , m_worker(new QObject)
    , m_writer(std::make_unique<StoreWriter>(m_place))
{
    m_thread->setObjectName(QStringLiteral("store-reader"));
    m_worker->moveToThread(m_thread);
    connect(m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread->start();
    m_pollTimer.setInterval(kPollMilliseconds);
    connect(&m_pollTimer, &QTimer::timeout, this, &StoreSource::poll);
    m_pollTimer.start();
}

StoreSource::~StoreSource()
{
    m_pollTimer.stop();
    m_writer.reset();
    m_thread->quit();
    m_thread->wait();
}

void StoreSource::post(Job job)
{
    QMetaObject::invokeMethod(m_worker, std::move(job), Qt::QueuedConnection);
}

Result<const RunReader*> StoreSource::reader()
{
    if (!m_reader) {
        TRY(m_reader, RunReader::open(m_place));
    }
    return static_cast<const RunReader*>(m_reader.get());
}

void StoreSource::poll()
{
    if (m_polling)
        return;
    m_polling = true;
    query(
        this, [](const RunReader& store) { return store.version(); },
        [this](Result<std::int64_t> version) {
            m_polling = false;
            if (version.ok() && *version != m_version) {
                // The first answer is news too: a store that was not there before has appeared.
                m_version = *version;
                Q_EMIT changed();
            }
        });
}

} // namespace assay
