#include "app/gui/display.h"

#include "app/exit_codes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace assay {

namespace {

bool isSet(const char* variable)
{
    const char* value = std::getenv(variable);
    return value && *value;
}

/// What Qt said meanwhile; worth reading only if the application starts after all.
std::string& keptWords()
{
    static std::string words;
    return words;
}

/// Qt's own words about a display that is not there are many lines, and its last one is an abort.
void sayNoDisplay(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    if (type == QtFatalMsg) {
        const Error error =
            isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM")
                ? Error{ErrorCode::Unsupported,
                        "no window can be opened on this display",
                        {},
                        "Check DISPLAY, WAYLAND_DISPLAY and QT_QPA_PLATFORM; QT_DEBUG_PLUGINS=1 "
                        "shows what Qt tries"}
                : Error{ErrorCode::Unsupported,
                        "there is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set",
                        {},
                        "Start it in a desktop session; --screenshot PAGE FILE needs none"};
        std::fprintf(stderr, "assay-gui: %s\n", error.text().c_str());
        std::_Exit(exitCodeOf(error.code));
    }
    keptWords() += text.toStdString() + "\n";
}

bool needsNoDisplay(std::string_view word)
{
    constexpr std::string_view kWords[] = {"--help", "-h", "--help-all", "--version", "-v"};
    return word.starts_with("--screenshot") || word.starts_with("-screenshot") ||
           std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

} // namespace

std::unique_ptr<QApplication> openApplication(int& argc, char** argv)
{
    // A picture needs no display, and no desktop may lend it its fonts or scale.
    if (std::any_of(argv + 1, argv + argc, needsNoDisplay))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const auto usual = qInstallMessageHandler(sayNoDisplay);
    auto application = std::make_unique<QApplication>(argc, argv);
    qInstallMessageHandler(usual);
    std::fputs(keptWords().c_str(), stderr);
    return application;
}

} // namespace assay
