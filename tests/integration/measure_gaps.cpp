// How long the window's event loop keeps people waiting: idle, and while every core trains, in turns.
//
// measure_gaps [SECONDS per phase, 20] [ROUNDS, 3] [MILLISECONDS between acts, 500]
//
// Trains the built-in demo with the real session in the window's own engine, while in turns a page is opened
// and the window's edge is pulled (offscreen). Prints a table: for every round the gaps between the ticks of
// a 5 ms timer, its period included, first idle, then training; what the processors did meanwhile; and the
// longest gap on each page. A phase
// of training lasts from the start of the run to its end with a checkpoint. Ends with 0 when the promise (p99
// at most 20 ms, longest at most 100 ms while training) holds in two of three rounds, and every phase of
// training took steps all the time. Run by hand, on a quiet machine.
#include "core/run/session.h"
#include "ui/main_window.h"
#include "ui/pages/page.h"
#include "ui/run_controller.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/window_pages.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTimer>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

using namespace assay;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 5;
constexpr double kP99Milliseconds = 20.0, kLongestMilliseconds = 100.0; ///< the promise

double seconds(Clock::duration time)
{
    return std::chrono::duration<double>(time).count();
}

/// Processor seconds of this process, all threads.
double processorSeconds()
{
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    const auto part = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return part(use.ru_utime) + part(use.ru_stime);
}

constexpr std::array<const char*, 6> kPages{"run", "runs", "run", "steps", "run", "experiment"};

struct Pace
{
    double seconds = 20.0; ///< of a phase
    int betweenActs = 500; ///< milliseconds
};

/// The page that is shown after act `number`: every second act opens the next one.
std::size_t pageOf(int number)
{
    return static_cast<std::size_t>(number / 2) % kPages.size();
}

struct Gaps
{
    double p50 = 0.0, p99 = 0.0, longest = 0.0; ///< milliseconds
    double cores = 0.0;                         ///< processor time per second
    std::size_t count = 0;
    std::array<double, kPages.size()> longestAt{}; ///< milliseconds, on each page

    bool hold() const { return p99 <= kP99Milliseconds && longest <= kLongestMilliseconds; }
};

/// Does what a person does: looks at one page after the other, and pulls at the window.
void act(MainWindow& window, int number)
{
    if (number % 2 == 0)
        window.openPage(QString::fromLatin1(kPages[pageOf(number)]));
    else
        window.resize(1380 + 10 * (number % 7), 860 + 5 * (number % 5));
}

/// Until `over` says so, at least for `forSeconds`. `stop` is called once, when the time is up.
Gaps measure(
    MainWindow& window, Pace pace, const std::function<void()>& stop = [] {},
    const std::function<bool()>& over = [] { return true; })
{
    std::vector<double> gaps;
    auto last = Clock::now();
    const auto start = last;
    const double processorBefore = processorSeconds();
    Gaps result;
    int number = 0;
    const auto note = [&] {
        const auto now = Clock::now();
        gaps.push_back(1e3 * seconds(now - last));
        last = now;
        if (number > 0) {
            double& longest = result.longestAt[pageOf(number - 1)];
            longest = std::max(longest, gaps.back());
        }
    };
    QTimer tick, action;
    tick.setTimerType(Qt::PreciseTimer);
    QObject::connect(&tick, &QTimer::timeout, &tick, note);
    QObject::connect(&action, &QTimer::timeout, &action, [&] { act(window, number++); });
    tick.start(kTickMilliseconds);
    action.start(pace.betweenActs);
    bool stopped = false;
    while (!stopped || !over()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        if (!stopped && seconds(Clock::now() - start) >= pace.seconds) {
            stopped = true;
            stop();
        }
    }
    note(); // what the last turn held up, too
    result.cores = (processorSeconds() - processorBefore) / seconds(Clock::now() - start);
    result.count = gaps.size();
    std::sort(gaps.begin(), gaps.end());
    result.p50 = gaps[gaps.size() / 2];
    result.p99 = gaps[gaps.size() * 99 / 100];
    result.longest = gaps.back();
    return result;
}

/// A run in the window's own engine, from its start to its end.
struct Training
{
    Gaps gaps;
    std::int64_t steps = 0;
    bool allTheTime = false; ///< it was still in progress when it was asked to stop
};

Training measureTraining(MainWindow& window, RunController& controller, Pace pace)
{
    Training training;
    const auto counting = QObject::connect(&controller, &RunController::stepsDone, &controller,
                                           [&training](const RunId&, const std::vector<StepRecord>& steps) {
                                               training.steps += static_cast<std::int64_t>(steps.size());
                                           });
    controller.startDemo();
    training.gaps = measure(
        window, pace,
        [&] {
            training.allTheTime = controller.busy() && training.steps > 0;
            controller.stopAll();
        },
        [&controller] { return !controller.busy(); });
    QObject::disconnect(counting);
    return training;
}

void printLongestAt(const char* phase, const Gaps& gaps)
{
    std::printf("      | longest on a page, %s:", phase);
    for (std::size_t i = 0; i < kPages.size(); ++i)
        std::printf(" %s %.0f", kPages[i], gaps.longestAt[i]);
    std::printf("\n");
}

void printRow(int round, const Gaps& idle, const Training& training)
{
    double load = 0.0;
    (void)getloadavg(&load, 1);
    const Gaps& busy = training.gaps;
    std::printf("%5d | %6.1f %6.1f %7.1f %6zu %5.2f | %6.1f %6.1f %7.1f %6zu %5.2f %6lld | %4.1f  %s\n",
                round, idle.p50, idle.p99, idle.longest, idle.count, idle.cores, busy.p50, busy.p99,
                busy.longest, busy.count, busy.cores, static_cast<long long>(training.steps), load,
                !training.allTheTime ? "did not train all the time"
                : busy.hold()        ? "held"
                                     : "not held");
    printLongestAt("idle", idle);
    printLongestAt("training", busy);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    Pace pace;
    if (argc > 1)
        pace.seconds = std::atof(argv[1]);
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
    if (argc > 3)
        pace.betweenActs = std::atoi(argv[3]);
    QTemporaryDir folder;
    const StorePlace place{folder.path().toStdString()};
    UiSettings settings{QString()};
    Theme theme(application, ThemeChoice::Light);
    StoreSource source(place);
    RunController controller(place, [place] { return Session::create(place); });
    const auto window = makeMainWindow(source, controller, settings, theme);
    window->show();
    // A run to look at in the idle phases, too.
    (void)measureTraining(*window, controller, {std::min(pace.seconds, 8.0), pace.betweenActs});

    std::printf(
        "gaps in ms    idle                                  training\n"
        "round |    p50    p99 longest  ticks cores |    p50    p99 longest  ticks cores  steps | load\n");
    int kept = 0;
    bool trained = true;
    for (int round = 1; round <= rounds; ++round) {
        const Gaps idle = measure(*window, pace);
        const Training training = measureTraining(*window, controller, pace);
        printRow(round, idle, training);
        kept += training.gaps.hold() ? 1 : 0;
        trained = trained && training.allTheTime;
    }
    std::printf("p99 at most %.0f ms and longest at most %.0f ms while training: in %d of %d rounds\n",
                kP99Milliseconds, kLongestMilliseconds, kept, rounds);
    return trained && 3 * kept >= 2 * rounds ? 0 : 1;
}
