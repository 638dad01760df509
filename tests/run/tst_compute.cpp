// How `compute.dtype auto` decides: timings in turns, a margin, an error that is allowed, and a sentence.
#include "core/run/compute.h"
#include "tests/support/test_data.h"

#include <QtTest/QTest>

#include <time.h>

#include <chrono>
#include <limits>
#include <thread>

using namespace assay;

namespace {

double computedSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

} // namespace

class TestCompute : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Neither a machine that is busy at the start or nearly always nor one that takes the processor away
    /// turns the answer.
    void disturbancesDoNotDecide_data()
    {
        QTest::addColumn<int>("disturbFrom");
        QTest::addColumn<int>("disturbTo");
        QTest::newRow("none") << 0 << 0;
        QTest::newRow("the first calls") << 0 << 5;
        QTest::newRow("all but the last") << 0 << 9;
    }
    void disturbancesDoNotDecide()
    {
        QFETCH(int, disturbFrom);
        QFETCH(int, disturbTo);
        int call = 0;
        std::string order;
        const auto work = [&](char name, int microseconds) {
            order += name;
            const bool disturbed = call >= disturbFrom && call < disturbTo;
            ++call;
            const double end = computedSeconds() + 1e-6 * microseconds + (disturbed ? 0.02 : 0.0);
            while (computedSeconds() < end) {
            }
            if (name == 'b') // others have the processor
                std::this_thread::sleep_for(std::chrono::milliseconds(6));
        };
        const auto times = timeInTurns([&] { work('a', 4'000); }, [&] { work('b', 1'000); }, 0.0);
        QCOMPARE(times.rounds, 5);
        QCOMPARE(order, std::string("abababababab")); // the first round does not count
        QVERIFY2(times.ratio() > 1.15, qPrintable(QString::number(times.ratio())));
    }

    void decides_data()
    {
        QTest::addColumn<double>("plain");
        QTest::addColumn<double>("error");
        QTest::addColumn<bool>("use");
        QTest::newRow("much faster") << 2.0 << 0.004 << true;
        QTest::newRow("at the margin") << 1.15 << 0.004 << true;
        QTest::newRow("below the margin") << 1.14 << 0.004 << false;
        QTest::newRow("slower") << 0.5 << 0.004 << false;
        QTest::newRow("fast but wrong") << 3.0 << 0.03 << false;
        QTest::newRow("fast but not finite") << 3.0 << std::numeric_limits<double>::quiet_NaN() << false;
    }
    void decides()
    {
        QFETCH(double, plain);
        QFETCH(double, error);
        QFETCH(bool, use);
        const auto test = judgeBfloat16({plain, 1.0, 7}, error);
        QCOMPARE(test.use, use);
        const std::string chosen = use ? "Computing in bfloat16:" : "Computing in float32:";
        QVERIFY2(test.text.starts_with(chosen), test.text.c_str());
        for (const char* part : {"best of 7 in turns", "1.15 is asked for", "allowed 0.02"})
            QVERIFY2(test.text.find(part) != std::string::npos, test.text.c_str());
    }

    void autoSaysWhatItChose()
    {
        ComputeConfig config;
        config.device = "cpu";
        config.threads = 1;
        config.dtype = "auto";
        DecoderConfig decoder;
        decoder.width = 64;
        decoder.mlpWidth = 128;
        const auto choice = chooseCompute(config, decoder);
        QVERIFY_RESULT(choice);
        QVERIFY2(choice->reason.find("Computing in " + choice->dtype) == 0, choice->reason.c_str());
        QVERIFY(chooseCompute(config, decoder, "float32")->reason.empty()); // a resume does not test
    }
};

QTEST_APPLESS_MAIN(TestCompute)
#include "tst_compute.moc"
