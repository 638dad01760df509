// How long the window's event loop keeps people waiting: idle, and while every core trains, in turns.
//
// measure_gaps [SECONDS per phase, 20] [ROUNDS, 3]
//
// Trains the built-in demo with the real session in the window's own engine, while pages are switched and the
// window is resized and painted (offscreen). Prints the gaps between the ticks of a 5 ms timer, its period
// included, and what the processors did meanwhile. Ends with 0 when the promise (p99 at most 20 ms, longest
// at most 100 ms while training) holds in two of three rounds. Run by hand, on a quiet machine.
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
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace assay;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 5;
constexpr int kActionMilliseconds = 350;

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

struct Gaps
{
    double p50 = 0.0, p99 = 0.0, longest = 0.0; ///< milliseconds
    double cores = 0.0;                         ///< processor time per second
    std::size_t count = 0;
};

/// Does what a person does: looks at one page after the other, and pulls at the window.
void act(MainWindow& window, int number)
{
    static constexpr const char* kPages[] = {"run", "runs", "run", "steps", "run", "experiment"};
    window.openPage(QString::fromLatin1(kPages[number % 6]));
    window.resize(1380 + 10 * (number % 7), 860 + 5 * (number % 5));
}

Gaps measure(MainWindow& window, double forSeconds)
{
    std::vector<double> gaps;
    auto last = Clock::now();
    const auto start = last;
    const double processorBefore = processorSeconds();
    QTimer tick, action;
    tick.setTimerType(Qt::PreciseTimer);
    QObject::connect(&tick, &QTimer::timeout, &tick, [&] {
        const auto now = Clock::now();
        gaps.push_back(1e3 * seconds(now - last));
        last = now;
    });
    int number = 0;
    QObject::connect(&action, &QTimer::timeout, &action, [&] { act(window, number++); });
    tick.start(kTickMilliseconds);
    action.start(kActionMilliseconds);
    while (seconds(Clock::now() - start) < forSeconds)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    Gaps result;
    result.cores = (processorSeconds() - processorBefore) / seconds(Clock::now() - start);
    result.count = gaps.size();
    std::sort(gaps.begin(), gaps.end());
    result.p50 = gaps[gaps.size() / 2];
    result.p99 = gaps[gaps.size() * 99 / 100];
    result.longest = gaps.back();
    return result;
}

void print(const char* phase, int round, const Gaps& gaps)
{
    double load = 0.0;
    (void)getloadavg(&load, 1);
    std::printf("round %d  %-8s  p50 %5.1f ms  p99 %5.1f ms  longest %6.1f ms  (%zu ticks, %.2f cores busy, "
                "load %.1f)\n",
                round, phase, gaps.p50, gaps.p99, gaps.longest, gaps.count, gaps.cores, load);
    std::fflush(stdout);
}

/// Lets the run in progress end with its checkpoint.
void stopTraining(RunController& controller)
{
    controller.stopAll();
    while (controller.busy())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const double phase = argc > 1 ? std::atof(argv[1]) : 20.0;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
    QTemporaryDir folder;
    const StorePlace place{folder.path().toStdString()};
    UiSettings settings{QString()};
    Theme theme(application, ThemeChoice::Light);
    StoreSource source(place);
    RunController controller(place, [place] { return Session::create(place); });
    const auto window = makeMainWindow(source, controller, settings, theme);
    window->show();
    // A run to look at in the idle phases, too.
    controller.startDemo();
    (void)measure(*window, std::min(phase, 8.0));
    stopTraining(controller);

    int kept = 0;
    for (int round = 1; round <= rounds; ++round) {
        print("idle", round, measure(*window, phase));
        controller.startDemo();
        const auto training = measure(*window, phase);
        print("training", round, training);
        stopTraining(controller);
        kept += training.p99 <= 20.0 && training.longest <= 100.0 ? 1 : 0;
    }
    std::printf("the promise held in %d of %d rounds\n", kept, rounds);
    return 3 * kept >= 2 * rounds ? 0 : 1;
}
