// A model that does not fit is refused from its headers alone.
#include "core/run/preflight/model_memory.h"
#include "core/run/probes/probe_model.h"
#include "tests/support/published_folder.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

using namespace assay;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

/// A folder whose config.json is right and whose weights are `bytes` of nothing: a file with one tensor and a
/// hole. Reading it would take hours and all memory.
void writeHole(const fs::path& folder, std::int64_t bytes)
{
    const auto header =
        nlohmann::json{{"model.embed_tokens.weight",
                        {{"dtype", "F32"}, {"shape", {bytes / 4}}, {"data_offsets", {0, bytes}}}}}
            .dump();
    const std::uint64_t length = header.size();
    std::ofstream file(folder / "model.safetensors", std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), 8);
    file << header;
    file.close();
    fs::resize_file(folder / "model.safetensors", 8 + length + static_cast<std::uint64_t>(bytes));
}

} // namespace

class TestModelMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void counts()
    {
        QTemporaryDir place;
        tests::PublishedFolder published;
        published.write(place.path().toStdString());
        std::int64_t values = 0;
        for (const auto& [name, tensor] : published.tensors)
            values += tensor.numel();
        const auto single = modelMemory(place.path().toStdString(), at::kFloat);
        QVERIFY_RESULT(single);
        QCOMPARE(single->weightBytes, 4 * values);
        QCOMPARE(single->trainingBytes, 16 * values); // weights, gradients, two moments
        const auto twice = modelMemory(place.path().toStdString(), at::kDouble);
        QVERIFY_RESULT(twice);
        QCOMPARE(twice->weightBytes, 8 * values);
    }

    void decides_data()
    {
        QTest::addColumn<int>("use");
        QTest::addColumn<qint64>("available");
        QTest::addColumn<QStringList>("words"); // none: it fits
        const auto row = [](const char* name, ModelUse use, std::int64_t available,
                            const QStringList& words) {
            QTest::newRow(name) << static_cast<int>(use) << static_cast<qint64>(available) << words;
        };
        row("training fits", ModelUse::Training, 40 * kGib, {});
        row("training just not", ModelUse::Training, 40 * kGib - 1,
            {"moments", "40.0 GiB", "--backbone.frozen true", "only score", "10.0 GiB"});
        row("frozen fits", ModelUse::FrozenTraining, 10 * kGib, {});
        row("scoring fits", ModelUse::Scoring, 10 * kGib, {});
        row("nothing fits", ModelUse::Training, 5 * kGib, {"40.0 GiB", "5.0 GiB are free", "Neither"});
        row("scoring does not fit", ModelUse::Scoring, 5 * kGib,
            {"10.0 GiB", "5.0 GiB are free", "smaller model"});
        row("not known", ModelUse::Training, 0, {});
    }
    void decides()
    {
        QFETCH(int, use);
        QFETCH(qint64, available);
        QFETCH(QStringList, words);
        const auto status =
            checkMemory({10 * kGib, 40 * kGib}, static_cast<ModelUse>(use), available, "place/of/model");
        QCOMPARE(status.ok(), words.empty());
        if (status.ok())
            return;
        QCOMPARE(status.error().code, ErrorCode::OutOfMemory);
        QCOMPARE(status.error().where, std::string("place/of/model"));
        for (const auto& word : words)
            QVERIFY2(QString::fromStdString(status.error().text()).contains(word),
                     qPrintable(word + QStringLiteral(" is not in: ") +
                                QString::fromStdString(status.error().text())));
    }

    void refusedBeforeReading()
    {
        QTemporaryDir place;
        const fs::path folder = place.path().toStdString();
        tests::PublishedFolder().write(folder);
        std::error_code noRoom;
        writeHole(folder, std::int64_t{1} << 42); // 4 TiB
        if (fs::file_size(folder / "model.safetensors", noRoom) < (std::uintmax_t{1} << 42))
            QSKIP("skipped: this file system has no sparse files of 4 TiB");
        const auto description = describeModel(folder);
        QVERIFY(!description.ok());
        QCOMPARE(description.error().code, ErrorCode::OutOfMemory);
        QVERIFY2(description.error().text().find("4096.0 GiB") != std::string::npos,
                 description.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(TestModelMemory)
#include "tst_model_memory.moc"
