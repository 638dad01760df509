#include "core/base/durable_file.h"
#include "core/files/safetensors.h"
#include "core/files/weight_folder.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <sys/stat.h>

#include <cstring>

using namespace assay;

namespace {

std::string fileBytes(const std::string& header, std::size_t dataBytes)
{
    std::string bytes;
    for (std::size_t i = 0; i < 8; ++i)
        bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
    return bytes + header + std::string(dataBytes, '\x3f');
}

std::span<const std::byte> bytesOf(const std::vector<float>& values)
{
    return std::as_bytes(std::span(values));
}

} // namespace

/// The strict reader against a table of hostile headers, and the writer against the reader.
class TestSafetensors : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void headers_data();
    void headers();
    void manyTensors();
    void brokenFiles_data();
    void brokenFiles();
    void roundTrip();
    void equalContentGivesEqualBytes();
    void shards();
    void brokenShards_data();
    void brokenShards();
    void refusesWhatIsNoFile();

private:
    std::filesystem::path path(const char* name) const
    {
        return (m_folder.path() + "/" + name).toStdString();
    }
    QTemporaryDir m_folder;
};

void TestSafetensors::headers_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("dataBytes");
    QTest::addColumn<QByteArray>("reason"); // empty = accepted
    const auto row = [](const char* name, QByteArray header, int dataBytes, const char* reason) {
        QTest::newRow(name) << header << dataBytes << QByteArray(reason);
    };
    const QByteArray f32 = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
    row("one tensor", f32 + "}", 8, "");
    row("blanks behind", f32 + "}   ", 8, "");
    row("empty object", "{}", 0, "");
    row("metadata",
        R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8, "");
    row("scalar", R"({"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})", 8, "");
    row("no elements", R"({"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]}})", 0, "");
    row("two, out of order",
        R"({"b":{"dtype":"I16","shape":[1],"data_offsets":[4,6]},)"
        R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
        6, "");
    row("four bits", R"({"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2, "");

    row("nothing", "", 0, "begin with {");
    row("a list", "[]", 0, "begin with {");
    row("blank first", " {}", 0, "begin with {");
    row("byte order mark", "\xEF\xBB\xBF{}", 0, "begin with {");
    row("line break behind", "{}\n", 0, "end with }");
    row("hidden bytes behind", QByteArray("{}\0\0", 4), 0, "end with }");
    row("second value", "{}{}", 0, "not valid JSON");
    row("cut off", f32, 8, "not valid JSON");
    row("not UTF-8", "{\"\xff\":1}", 0, "not valid JSON");
    row("lone surrogate", R"({"\ud800":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8,
        "not valid JSON");
    row("name twice", f32 + R"(,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8, "twice");
    row("metadata twice", R"({"__metadata__":{},"__metadata__":{}})", 0, "twice");
    row("metadata key twice", R"({"__metadata__":{"a":"b","a":"c"}})", 0, "twice");
    row("field twice", R"({"a":{"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8, "twice");
    row("unknown field", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":"y"}})", 8,
        "unknown key");
    row("no dtype", R"({"a":{"shape":[2],"data_offsets":[0,8]}})", 8, "missing");
    row("no offsets", R"({"a":{"dtype":"F32","shape":[2]}})", 8, "missing");
    row("tensor is a text", R"({"a":"F32"})", 0, "text is not allowed");
    row("tensor is null", R"({"a":null})", 0, "null");
    row("metadata number", R"({"__metadata__":{"a":1}})", 0, "number is not allowed");
    row("metadata nested", R"({"__metadata__":{"a":{}}})", 0, "nested");
    row("deep shape", R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", 8,
        "list is not allowed");
    row("very deep", R"({"a":)" + QByteArray(20000, '[') + "}", 0, "list is not allowed");
    row("negative dimension", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "negative");
    row("fraction", R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8, "whole number");
    row("exponent", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,1e300]}})", 8, "whole number");
    row("beyond 64 bits", R"({"a":{"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,8]}})", 8,
        "whole number");
    row("dimension beyond 63 bits",
        R"({"a":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]}})", 8, "too large");
    row("product overflows", R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]}})",
        8, "too large");
    row("bytes overflow", R"({"a":{"dtype":"F32","shape":[9223372036854775807],"data_offsets":[0,8]}})", 8,
        "too large");
    row("half a byte", R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2, "whole bytes");
    row("unknown dtype", R"({"a":{"dtype":"F31","shape":[2],"data_offsets":[0,8]}})", 8, "F31");
    row("three offsets", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}})", 8, "more than two");
    row("one offset", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8, "two numbers");
    row("begin behind end", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8, "end before");
    row("hole at the start", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "no tensor");
    row("hole in the middle",
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
        R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
        3, "no tensor");
    row("bytes behind", f32 + "}", 9, "behind the last");
    row("overlap",
        R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
        R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
        3, "overlap");
    row("past the end", f32 + "}", 7, "ends before");
    row("shape and range differ", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8,
        "needs 12 bytes");
    row("long name", "{\"" + QByteArray(5000, 'n') + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
        0, "longer than");
}

void TestSafetensors::headers()
{
    QFETCH(QByteArray, header);
    QFETCH(int, dataBytes);
    QFETCH(QByteArray, reason);
    const auto parsed = parseSafetensorsHeader(header.toStdString(), static_cast<std::uint64_t>(dataBytes));
    if (reason.isEmpty()) {
        QVERIFY_RESULT(parsed);
        return;
    }
    QVERIFY(!parsed.ok());
    QVERIFY(parsed.error().code == ErrorCode::BadModel);
    QVERIFY2(parsed.error().message.find(reason.toStdString()) != std::string::npos,
             parsed.error().message.c_str());
}

void TestSafetensors::manyTensors()
{
    std::string header = "{";
    for (int i = 0; i < 1'000'001; ++i)
        header +=
            (i ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    const auto parsed = parseSafetensorsHeader(header + "}", 0);
    QVERIFY(!parsed.ok());
    QVERIFY(parsed.error().message.find("more than 1000000 tensors") != std::string::npos);
}

void TestSafetensors::brokenFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("empty") << QByteArray() << QByteArray("only 0 bytes");
    QTest::newRow("seven bytes") << QByteArray(7, '\0') << QByteArray("only 7 bytes");
    QTest::newRow("length zero") << QByteArray(8, '\0') << QByteArray("begin with {");
    QTest::newRow("length behind the end")
        << QByteArray::fromStdString(fileBytes("{}", 0)).left(9) << QByteArray("header of 2 bytes");
    QTest::newRow("absurd length") << QByteArray(8, '\x7f') + QByteArray(64, ' ') << QByteArray("cut off");
    QTest::newRow("pointer") << QByteArray(
                                    "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
                             << QByteArray("Git LFS pointer");
    QTest::newRow("a model of llama.cpp")
        << QByteArray("GGUF\x03\0\0\0 and more", 17) << QByteArray("GGUF file");
}

void TestSafetensors::brokenFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, reason);
    QVERIFY_RESULT(writeDurably(path("broken.safetensors"), bytes.toStdString()));
    const auto file = SafetensorsFile::open(path("broken.safetensors"));
    QVERIFY(!file.ok());
    QVERIFY2(file.error().message.find(reason.toStdString()) != std::string::npos,
             file.error().text().c_str());
    QVERIFY(file.error().where.find("broken.safetensors") != std::string::npos);
}

void TestSafetensors::roundTrip()
{
    const std::vector<float> a{1.5F, -2.0F, 0.25F, 4.0F, 5.0F, 6.0F};
    const std::vector<float> b{7.0F};
    const std::vector<std::uint16_t> half{0x3f80, 0xffff, 0x7fc0}; // a NaN's payload must survive
    const std::vector<TensorSource> sources{{"z.half", DType::BF16, {3}, std::as_bytes(std::span(half))},
                                            {"a \"quoted\" ▁name", DType::F32, {2, 3}, bytesOf(a)},
                                            {"scalar", DType::F32, {}, bytesOf(b)},
                                            {"nothing", DType::I64, {0, 4}, {}}};
    QVERIFY_RESULT(writeSafetensors(path("round.safetensors"), sources, {{"format", "pt"}}));
    const auto file = SafetensorsFile::open(path("round.safetensors"));
    QVERIFY_RESULT(file);
    QCOMPARE(file->tensors().size(), sources.size());
    QCOMPARE(file->metadata().at("format"), std::string("pt"));
    for (const auto& source : sources) {
        const auto* info = file->find(source.name);
        QVERIFY2(info, source.name.c_str());
        QVERIFY(info->dtype == source.dtype);
        QVERIFY(info->shape == source.shape);
        QCOMPARE(info->begin % static_cast<std::uint64_t>(dtypeBits(info->dtype) / 8), std::uint64_t{0});
        std::vector<std::byte> read(info->bytes());
        QVERIFY_RESULT(file->read(*info, read));
        QVERIFY(std::equal(read.begin(), read.end(), source.bytes.begin(), source.bytes.end()));
    }
}

void TestSafetensors::equalContentGivesEqualBytes()
{
    const std::vector<float> a{1.0F};
    const std::vector<float> b{2.0F};
    QVERIFY_RESULT(writeSafetensors(
        path("one"), {{"a", DType::F32, {1}, bytesOf(a)}, {"b", DType::F32, {1}, bytesOf(b)}}));
    QVERIFY_RESULT(writeSafetensors(
        path("two"), {{"b", DType::F32, {1}, bytesOf(b)}, {"a", DType::F32, {1}, bytesOf(a)}}));
    QCOMPARE(*readFile(path("one")), *readFile(path("two")));
}

void TestSafetensors::shards()
{
    const auto folder = path("sharded");
    QVERIFY_RESULT(createDirectories(folder));
    const std::vector<float> a{1.0F, 2.0F};
    const std::vector<float> b{3.0F};
    QVERIFY_RESULT(writeSafetensors(folder / "model-1.safetensors", {{"a", DType::F32, {2}, bytesOf(a)}}));
    QVERIFY_RESULT(writeSafetensors(folder / "model-2.safetensors", {{"b", DType::F32, {1}, bytesOf(b)}}));
    QVERIFY_RESULT(writeDurably(folder / "model.safetensors.index.json",
                                R"({"metadata":{"total_size":12},)"
                                R"("weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})"));
    const auto weights = WeightFolder::open(folder);
    QVERIFY_RESULT(weights);
    QCOMPARE(weights->totalBytes(), std::uint64_t{12});
    QCOMPARE(weights->tensors().size(), std::size_t{2});
    QCOMPARE(weights->fileOf("b").filename().string(), std::string("model-2.safetensors"));
    float value = 0.0F;
    QVERIFY_RESULT(weights->read("b", std::as_writable_bytes(std::span(&value, 1))));
    QCOMPARE(value, 3.0F);
    const auto hash = weights->contentSha256();
    QVERIFY_RESULT(hash);
    QVERIFY_RESULT(
        writeSafetensors(folder / "model-2.safetensors", {{"b", DType::F32, {1}, bytesOf({4.0F})}}));
    QVERIFY(*WeightFolder::open(folder)->contentSha256() != *hash);
}

void TestSafetensors::brokenShards_data()
{
    QTest::addColumn<QByteArray>("index");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("not JSON") << QByteArray("{") << QByteArray("weight_map");
    QTest::newRow("no map") << QByteArray("{}") << QByteArray("weight_map");
    QTest::newRow("empty map") << QByteArray(R"({"weight_map":{}})") << QByteArray("empty");
    QTest::newRow("deep") << QByteArray(R"({"weight_map":{"a":)" + QByteArray(100000, '['))
                          << QByteArray("weight_map");
    QTest::newRow("number") << QByteArray(R"({"weight_map":{"a":1}})") << QByteArray("a is not a text");
    QTest::newRow("missing shard") << QByteArray(R"({"weight_map":{"a":"other.safetensors"}})")
                                   << QByteArray("other.safetensors");
    QTest::newRow("escapes") << QByteArray(R"({"weight_map":{"a":"../x.safetensors"}})")
                             << QByteArray("../x.safetensors");
    QTest::newRow("absolute") << QByteArray(R"({"weight_map":{"a":"/etc/passwd"}})")
                              << QByteArray("/etc/passwd");
    QTest::newRow("hidden") << QByteArray(R"({"weight_map":{"a":".."}})") << QByteArray("inside the folder");
    QTest::newRow("lacks a tensor") << QByteArray(
                                           R"({"weight_map":{"a":"x.safetensors","c":"x.safetensors"}})")
                                    << QByteArray("tensor c");
    QTest::newRow("unnamed tensor") << QByteArray(
                                           R"({"weight_map":{"a":"x.safetensors","b":"y.safetensors"}})")
                                    << QByteArray("tensor extra");
    QTest::newRow("in two files") << QByteArray(R"({"weight_map":{"a":"x.safetensors","b":"z.safetensors"}})")
                                  << QByteArray("two files");
}

void TestSafetensors::brokenShards()
{
    QFETCH(QByteArray, index);
    QFETCH(QByteArray, named);
    const auto folder = path("broken-shards");
    QVERIFY_RESULT(createDirectories(folder));
    const std::vector<float> a{1.0F};
    QVERIFY_RESULT(writeSafetensors(folder / "x.safetensors", {{"a", DType::F32, {1}, bytesOf(a)}}));
    QVERIFY_RESULT(writeSafetensors(folder / "y.safetensors", {{"b", DType::F32, {1}, bytesOf(a)},
                                                               {"extra", DType::F32, {1}, bytesOf(a)}}));
    QVERIFY_RESULT(writeSafetensors(
        folder / "z.safetensors", {{"a", DType::F32, {1}, bytesOf(a)}, {"b", DType::F32, {1}, bytesOf(a)}}));
    QVERIFY_RESULT(writeDurably(folder / "model.safetensors.index.json", index.toStdString()));
    const auto weights = WeightFolder::open(folder);
    QVERIFY(!weights.ok());
    QVERIFY2(weights.error().text().find(named.toStdString()) != std::string::npos,
             weights.error().text().c_str());
}

void TestSafetensors::refusesWhatIsNoFile()
{
    QVERIFY(SafetensorsFile::open(path("absent")).error().code == ErrorCode::NotFound);
    QVERIFY(SafetensorsFile::open(m_folder.path().toStdString()).error().message.find("regular") !=
            std::string::npos);
    QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
    QVERIFY(SafetensorsFile::open(path("pipe")).error().message.find("regular") != std::string::npos);
    const auto folder = path("pickled");
    QVERIFY_RESULT(createDirectories(folder));
    const auto none = WeightFolder::open(folder);
    QVERIFY(none.error().code == ErrorCode::NotFound);
    QVERIFY(none.error().message.find("model.safetensors") != std::string::npos);
    QVERIFY(none.error().message.find("pytorch_model.bin") != std::string::npos);
    QVERIFY_RESULT(writeDurably(folder / "pytorch_model.bin", "x"));
    QVERIFY(WeightFolder::open(folder).error().where.ends_with("pytorch_model.bin"));
}

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
