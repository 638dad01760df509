// assay-gui: the window.
#include "app/exit_codes.h"
#include "app/gui/display.h"
#include "app/process/short_spin.h"
#include "core/run/session.h"
#include "ui/run_controller.h"
#include "ui/screenshot.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/window_pages.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QRegularExpression>

#include <cstdio>
#include <filesystem>

namespace {

using namespace assay;

struct Options
{
    StorePlace store = StorePlace::standard();
    ThemeChoice theme = ThemeChoice::System;
    bool themeGiven = false;
    QString page, file, run, model;
    QSize size{1440, 900};
};

/// Says what went wrong; the exit codes are those of the command line.
int failure(const Error& error)
{
    std::fprintf(stderr, "assay-gui: %s\n", error.text().c_str());
    return exitCodeOf(error.code);
}

int usageError(const QString& message)
{
    return failure({ErrorCode::Usage, message.toStdString(), {}, "See assay-gui --help."});
}

bool parseSize(const QString& text, Options& options)
{
    const auto match = QRegularExpression(QStringLiteral("^([0-9]{3,4})x([0-9]{3,4})$")).match(text);
    if (match.hasMatch())
        options.size = QSize(match.captured(1).toInt(), match.captured(2).toInt());
    return match.hasMatch();
}

/// -1 = go on, else the exit status.
int parse(Options& options)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("The window of Assay, a workbench for reward models."));
    const auto help = parser.addHelpOption();
    const auto version = parser.addVersionOption();
    const QCommandLineOption store(QStringLiteral("store"), QStringLiteral("Folder of the run store."),
                                   QStringLiteral("DIR"));
    const QCommandLineOption theme(QStringLiteral("theme"), QStringLiteral("light, dark or system."),
                                   QStringLiteral("NAME"));
    const QCommandLineOption run(QStringLiteral("run"),
                                 QStringLiteral("Run to show: id, its beginning, name, or last."),
                                 QStringLiteral("RUN"));
    const QCommandLineOption model(QStringLiteral("model"),
                                   QStringLiteral("Model to open: folder, or name in the local cache."),
                                   QStringLiteral("MODEL"));
    const QCommandLineOption shot(
        QStringLiteral("screenshot"),
        QStringLiteral("Save a picture of PAGE (runs, experiment, run, steps, model) in FILE and end."),
        QStringLiteral("PAGE"));
    const QCommandLineOption size(QStringLiteral("size"),
                                  QStringLiteral("Size of the picture, 1440x900 if not given."),
                                  QStringLiteral("WxH"));
    parser.addOptions({store, theme, run, model, shot, size});
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 QStringLiteral("Where --screenshot saves the picture."),
                                 QStringLiteral("[FILE]"));
    if (!parser.parse(QApplication::arguments()))
        return usageError(parser.errorText());
    if (parser.isSet(help)) {
        std::fputs(qPrintable(parser.helpText()), stdout);
        return 0;
    }
    if (parser.isSet(version))
        parser.showVersion();
    if (parser.isSet(store))
        options.store.folder = parser.value(store).toStdString();
    options.store.folder = std::filesystem::absolute(options.store.folder).lexically_normal();
    options.run = parser.value(run);
    options.model = parser.value(model);
    options.themeGiven = parser.isSet(theme);
    if (parser.value(theme) == QLatin1String("dark"))
        options.theme = ThemeChoice::Dark;
    else if (parser.value(theme) == QLatin1String("light"))
        options.theme = ThemeChoice::Light;
    else if (options.themeGiven && parser.value(theme) != QLatin1String("system"))
        return usageError(
            QStringLiteral("--theme is light, dark or system, not %1").arg(parser.value(theme)));
    options.page = parser.value(shot);
    if (parser.isSet(size) && !parseSize(parser.value(size), options))
        return usageError(
            QStringLiteral("--size is WIDTHxHEIGHT, each from 100 to 9999, not %1").arg(parser.value(size)));
    const QStringList rest = parser.positionalArguments();
    if (parser.isSet(shot) != (rest.size() == 1) || rest.size() > 1)
        return usageError(
            QStringLiteral("--screenshot PAGE needs exactly one FILE, and nothing else takes one"));
    options.file = rest.value(0);
    return -1;
}

} // namespace

int main(int argc, char** argv)
{
    restartWithShortSpin(argv);
    const auto application = openApplication(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Assay"));
    QApplication::setApplicationVersion(QStringLiteral(ASSAY_VERSION));
    Options options;
    if (const int status = parse(options); status >= 0)
        return status;
    const bool picture = !options.file.isEmpty();
    if (!options.run.isEmpty()) {
        // Before there is a window to hold up: a beginning of an id, a name, or `last`.
        auto reader = RunReader::open(options.store);
        const auto found =
            reader.ok() ? (*reader)->findRun(options.run.toStdString()) : Result<RunId>(reader.error());
        if (!found.ok())
            return failure(found.error());
        options.run = QString::fromStdString(*found);
    }
    UiSettings settings = picture ? UiSettings(QString()) : UiSettings();
    const ThemeChoice fallback = picture ? ThemeChoice::Light : settings.theme();
    Theme theme(*application, options.themeGiven ? options.theme : fallback);
    StoreSource source(options.store);
    RunController controller(options.store, [place = options.store] { return Session::create(place); });
    const auto window = makeMainWindow(source, controller, settings, theme);
    if (picture) {
        const auto& shown = options.page == QLatin1String("model") ? options.model : options.run;
        const Status saved = saveScreenshot(*window, options.page, shown, options.size, options.file);
        return saved.ok() ? 0 : failure(saved.error());
    }
    window->restoreLayout();
    window->show();
    if (!options.run.isEmpty()) {
        window->page(QStringLiteral("run"))->showRun(options.run, 0);
        window->openPage(QStringLiteral("run"));
    }
    if (!options.model.isEmpty()) {
        window->page(QStringLiteral("model"))->showModel(options.model);
        window->openPage(QStringLiteral("model"));
    }
    return QApplication::exec();
}
