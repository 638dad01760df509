#include "core/base/durable_file.h"
#include "core/files/safetensors.h"
#include "core/files/weight_folder.h"
#include "tests/support/test_data.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace assay;

/// Real and hostile weight files of the test data.
class TestSafetensorsGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void conformance();
    void smallFiles();
    void everyCheckpointOpens();
    void badContainers();
};

void TestSafetensorsGolden::conformance()
{
    NEED_TEST_DATA("bad-safetensors");
    const auto folder = tests::testData() / "bad-safetensors";
    const auto cases = nlohmann::json::parse(*readFile(folder / "cases.json"));
    QVERIFY(!cases.empty());
    for (const auto& entry : cases) {
        const auto name = entry["file"].get<std::string>();
        const auto file = SafetensorsFile::open(folder / name);
        QVERIFY2(file.ok() == (entry["expect"] == "accept"),
                 (name + ": " + (file.ok() ? "accepted" : file.error().text())).c_str());
        QVERIFY(file.ok() || file.error().where.find(name) != std::string::npos);
    }
}

void TestSafetensorsGolden::smallFiles()
{
    NEED_TEST_DATA("model-small-files");
    int opened = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::testData() / "model-small-files")) {
        if (entry.path().extension() != ".safetensors")
            continue;
        const auto file = SafetensorsFile::open(entry.path());
        // The one file that is the text of a symbolic link does not even begin like a header.
        const auto start = readFile(entry.path())->substr(8, 1);
        QVERIFY2(file.ok() == (start == "{"), entry.path().c_str());
        for (const auto& tensor : file.ok() ? file->tensors() : std::span<const TensorInfo>()) {
            std::vector<std::byte> bytes(tensor.bytes());
            QVERIFY_RESULT(file->read(tensor, bytes));
        }
        opened += file.ok() ? 1 : 0;
    }
    QVERIFY(opened > 0);
}

void TestSafetensorsGolden::everyCheckpointOpens()
{
    NEED_TEST_DATA("golden-hf");
    int opened = 0;
    for (const auto& entry : std::filesystem::directory_iterator(tests::testData() / "golden-hf")) {
        if (!std::filesystem::exists(entry.path() / "reference.json"))
            continue;
        const auto weights = WeightFolder::open(entry.path());
        QVERIFY2(weights.ok(), entry.path().c_str());
        QVERIFY(weights->totalBytes() > 0);
        ++opened;
    }
    QVERIFY(opened > 0);
}

void TestSafetensorsGolden::badContainers()
{
    NEED_TEST_DATA("golden-hf/bad");
    const auto folder = tests::testData() / "golden-hf" / "bad";
    const auto cases = nlohmann::json::parse(*readFile(folder / "cases.json"));
    int containers = 0;
    for (const auto& [name, entry] : cases.items()) {
        const auto weights = WeightFolder::open(folder / name);
        // What opens is bad in another way (names, shapes, configuration): the model loader's tests see to
        // it.
        if (weights.ok())
            continue;
        ++containers;
        const auto text = weights.error().text();
        const bool pickle = std::filesystem::exists(folder / name / "pytorch_model.bin");
        for (const auto& named : entry["must_name"]) {
            // A pickle is refused as a whole, before any tensor of it has a name.
            if (pickle && named != "pytorch_model.bin")
                continue;
            QVERIFY2(text.find(named.get<std::string>()) != std::string::npos, (name + ": " + text).c_str());
        }
        QVERIFY(!std::filesystem::exists("/tmp/golden_pwned"));
        qInfo("%s: %s", name.c_str(), text.c_str());
    }
    QVERIFY(containers > 0);
}

QTEST_GUILESS_MAIN(TestSafetensorsGolden)
#include "tst_safetensors_golden.moc"
