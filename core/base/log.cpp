#include "core/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace assay {

namespace {

/// To standard error: standard output belongs to what a command prints.
spdlog::logger& log()
{
    static const auto logger = [] {
        auto made =
            std::make_shared<spdlog::logger>("assay", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("%H:%M:%S %l: %v");
        return made;
    }();
    return *logger;
}

} // namespace

void logInfo(std::string_view message)
{
    log().info("{}", message);
}

void logWarning(std::string_view message)
{
    log().warn("{}", message);
}

void logError(std::string_view message)
{
    log().error("{}", message);
}

} // namespace assay
