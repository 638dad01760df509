#include "ui/models/machine_state.h"

#include "ui/number_text.h"

#include <QFile>
#include <QLocale>

#include <filesystem>
#include <thread>

namespace assay {

namespace {

std::int64_t memoryField(const QByteArray& text, const char* name)
{
    const auto at = text.indexOf(name);
    if (at < 0)
        return 0;
    const auto from = at + static_cast<qsizetype>(qstrlen(name));
    return text.mid(from, text.indexOf("kB", from) - from).trimmed().toLongLong() * 1024;
}

} // namespace

Result<MachineState> readMachine(const RunReader& store)
{
    MachineState state;
    RunQuery query;
    query.filter = "status = running";
    query.limit = 4;
    TRY(auto page, store.runs(query));
    state.running = std::move(page.rows);
    state.runs = page.total;
    std::error_code error;
    for (const char* suffix : {"", "-wal"}) {
        const auto bytes = std::filesystem::file_size(store.place().database().string() + suffix, error);
        state.storeBytes += error ? 0 : static_cast<std::int64_t>(bytes);
    }
    QFile file(QStringLiteral("/proc/meminfo"));
    if (file.open(QIODevice::ReadOnly)) {
        const QByteArray text = file.readAll();
        state.memoryBytes = memoryField(text, "MemTotal:");
        state.memoryUsedBytes = state.memoryBytes - memoryField(text, "MemAvailable:");
    }
    return state;
}

std::vector<StatusItem> statusItems(const MachineState& state, const QString& storeFolder, bool narrow)
{
    std::vector<StatusItem> items;
    const RunSummary* run = state.running.empty() ? nullptr : &state.running.front();
    StatusItem device;
    device.icon = Icon::Processor;
    device.text = run && !run->device.empty()
                      ? QString::fromStdString(run->device)
                      : QStringLiteral("%1 processor threads").arg(std::thread::hardware_concurrency());
    device.tooltip =
        run ? QStringLiteral("Device of the run in progress") : QStringLiteral("What training can use");
    items.push_back(device);
    if (state.memoryBytes > 0) {
        StatusItem memory;
        memory.text = QStringLiteral("RAM");
        memory.share = static_cast<double>(state.memoryUsedBytes) / static_cast<double>(state.memoryBytes);
        memory.figure = QLocale::c().toString(static_cast<double>(state.memoryUsedBytes) / (1 << 30), 'f', 1);
        memory.tail = QStringLiteral("of %1").arg(bytesText(state.memoryBytes));
        memory.tooltip = QStringLiteral("Memory in use on this computer");
        items.push_back(memory);
    }
    if (run) {
        StatusItem item;
        item.right = true;
        item.icon = Icon::Play;
        item.iconRole = &Palette::accent;
        if (!narrow)
            item.text = QString::fromStdString(run->name);
        const double share = run->plannedSteps > 0
                                 ? static_cast<double>(run->step) / static_cast<double>(run->plannedSteps)
                                 : 0;
        item.share = share;
        item.figure = percentText(share);
        items.push_back(item);
    }
    StatusItem store;
    store.right = true;
    store.icon = Icon::Save;
    store.text = QStringLiteral("assay.db, %1").arg(bytesText(state.storeBytes));
    store.tooltip = QStringLiteral("%1 runs in %2").arg(countText(state.runs), storeFolder);
    items.push_back(store);
    return items;
}

} // namespace assay
