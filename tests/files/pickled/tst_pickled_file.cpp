// Weights of torch.save read as data: the golden containers, views, and what must be refused without running.
#include "core/base/random.h"
#include "core/files/pickled/pickle_program.h"
#include "core/files/weight_folder.h"
#include "tests/support/test_data.h"
#include "tests/support/toy_torch_file.h"
#include "tests/support/weight_content.h"

#include <QTemporaryDir>
#include <QtTest/QTest>

#include <fstream>
#include <sstream>

using namespace assay;
using namespace assay::tests;
namespace fs = std::filesystem;

using Floats = QList<float>;
using Integers = QList<int>;

class TestPickledFile : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path write(const std::string& bytes) const
    {
        const fs::path path = m_folder.filePath("pytorch_model.bin").toStdString();
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        return path;
    }

    static std::string readAll(const fs::path& path)
    {
        std::ifstream file(path, std::ios::binary);
        std::stringstream stream;
        stream << file.rdbuf();
        return stream.str();
    }

    /// Every tensor, or the error.
    static Result<std::map<std::string, std::vector<float>>> valuesOf(const fs::path& path)
    {
        TRY(const auto weights, WeightFolder::open(path));
        std::map<std::string, std::vector<float>> values;
        for (const auto& tensor : weights.tensors()) {
            std::vector<std::byte> bytes(tensor.bytes());
            TRY_STATUS(weights.read(tensor.name, bytes));
            auto& own = values[tensor.name];
            own.resize(bytes.size() / sizeof(float));
            std::memcpy(own.data(), bytes.data(), own.size() * sizeof(float));
        }
        return values;
    }

private Q_SLOTS:
    void golden_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::newRow("one file") << "pytorch-bin";
        QTest::newRow("shards") << "pytorch-bin-sharded";
        QTest::newRow("views, transposed, a parameter") << "pytorch-bin-views";
    }
    void golden()
    {
        NEED_TEST_DATA("golden-hf/formats");
        QFETCH(QString, folder);
        const auto root = testData() / "golden-hf";
        const auto content = contentOf(root / "formats" / folder.toStdString());
        QVERIFY(!content.empty());
        QVERIFY(content == contentOf(root / "llama-token-classification"));
    }

    void before16()
    {
        NEED_TEST_DATA("golden-hf/formats");
        const auto weights =
            WeightFolder::open(testData() / "golden-hf" / "formats" / "pytorch-bin-before-1.6");
        QVERIFY(!weights);
        QCOMPARE(weights.error().code, ErrorCode::Unsupported);
        QVERIFY(weights.error().message.find("before 1.6") != std::string::npos);
    }

    void views_data()
    {
        QTest::addColumn<int>("offset");
        QTest::addColumn<Integers>("shape");
        QTest::addColumn<Integers>("strides");
        QTest::addColumn<Floats>("values");
        QTest::newRow("whole") << 0 << Integers{2, 3} << Integers{3, 1} << Floats{0, 1, 2, 3, 4, 5};
        QTest::newRow("transposed") << 0 << Integers{3, 2} << Integers{1, 3} << Floats{0, 3, 1, 4, 2, 5};
        QTest::newRow("a row") << 3 << Integers{3} << Integers{1} << Floats{3, 4, 5};
        QTest::newRow("a column") << 1 << Integers{2} << Integers{3} << Floats{1, 4};
        QTest::newRow("overlapping") << 0 << Integers{2, 2} << Integers{2, 2} << Floats{0, 2, 2, 4};
        QTest::newRow("a side of one") << 2 << Integers{1, 2} << Integers{100, 1} << Floats{2, 3};
        QTest::newRow("the last element, a scalar") << 5 << Integers{} << Integers{} << Floats{5};
        QTest::newRow("empty") << 6 << Integers{0, 3} << Integers{3, 1} << Floats{};
    }
    void views()
    {
        QFETCH(int, offset);
        QFETCH(Integers, shape);
        QFETCH(Integers, strides);
        QFETCH(Floats, values);
        ToyTensor tensor;
        tensor.offset = offset;
        tensor.shape.assign(shape.begin(), shape.end());
        tensor.strides.assign(strides.begin(), strides.end());
        const auto read = valuesOf(write(toyTorchFile(toyPickle({tensor}))));
        QVERIFY_RESULT(read);
        QVERIFY(read->at("weight") == std::vector<float>(values.begin(), values.end()));
    }

    void twoTensorsShareAStorage()
    {
        ToyTensor first, second;
        first.name = "b";
        second.name = "a";
        second.offset = 4;
        second.shape = {2};
        second.strides = {1};
        const auto read = valuesOf(write(toyTorchFile(toyPickle({first, second}))));
        QVERIFY_RESULT(read);
        QCOMPARE(read->at("a"), (std::vector<float>{4, 5}));
        QCOMPARE(read->at("b").size(), 6U);
    }

    void refusedViews_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* says, auto change) {
            ToyTensor tensor;
            change(tensor);
            QTest::newRow(name) << QByteArray::fromStdString(toyTorchFile(toyPickle({tensor})))
                                << QString(says);
        };
        row("offset outside", "outside its storage", [](auto& t) { t.offset = 1; });
        row("negative offset", "offset", [](auto& t) { t.offset = -1; });
        row("stride outside", "outside its storage", [](auto& t) { t.strides = {4, 1}; });
        row("negative stride", "stride -1", [](auto& t) { t.strides = {3, -1}; });
        row("negative size", "size -2", [](auto& t) { t.shape = {-2, 3}; });
        row("one element many times", "outside its storage", [](auto& t) {
            t.shape = {1000000};
            t.strides = {0};
        });
        row("too many elements", "64 bits", [](auto& t) {
            t.shape = {2000000000, 2000000000, 2000000000};
            t.strides = {0, 0, 0};
        });
        row("strides of another count", "sizes", [](auto& t) { t.strides = {1}; });
        row("no such record", "data/7", [](auto& t) { t.record = "7"; });
        row("a record outside", "data/../data.pkl", [](auto& t) { t.record = "../data.pkl"; });
        row("more promised than there is", "promised", [](auto& t) { t.promised = 7; });
        row("complex", "unknown kind", [](auto& t) { t.storageType = "ComplexFloatStorage"; });
        const auto file = [](const char* name, const std::string& bytes, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << QString(says);
        };
        const auto good = toyTorchFile(toyPickle({ToyTensor()}));
        file("big-endian", toyTorchFile(toyPickle({ToyTensor()}), "big"), "big-endian");
        file("no dictionary", toyTorchFile("\x80\x02N."), "no dictionary of tensors");
        file("an entry that is no tensor", toyTorchFile("\x80\x02}" + pickle::text("epoch") + "K\x03s."),
             "tensor epoch");
        file("no pickle", toyZip({{"archive/data/0", "abcd"}}), "no data.pkl");
        file("cut in half", good.substr(0, good.size() / 2), "no end record");
        file("twice the same record", toyZip({{"a/data.pkl", "."}, {"a/data.pkl", "."}}), "two records");
        file("a pointer", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
        file("a text", "hello", "no zip container");
        file("empty", "", "no zip container");
    }
    void refusedViews()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const auto read = valuesOf(write(bytes.toStdString()));
        QVERIFY(!read);
        QVERIFY(read.error().code == ErrorCode::BadModel || read.error().code == ErrorCode::Unsupported);
        const auto text = read.error().text();
        QVERIFY2(text.find(says.toStdString()) != std::string::npos, text.c_str());
        QVERIFY2(text.find("pytorch_model.bin") != std::string::npos, text.c_str());
    }

    void packedRecords()
    {
        auto bytes = toyTorchFile(toyPickle({ToyTensor()}));
        bytes[bytes.find("PK\x01\x02") + 10] = 8; // deflate
        const auto read = valuesOf(write(bytes));
        QVERIFY(!read);
        QVERIFY(read.error().message.find("is packed") != std::string::npos);
    }

    void programs_data()
    {
        using namespace pickle;
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<QString>("says"); // empty = it is read
        const auto row = [](const char* name, const std::string& program, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(program) << QString(says);
        };
        row("an empty dictionary", "}.", "");
        row("protocol 4",
            std::string("\x80\x04\x95", 3) + std::string(8, '\0') +
                "}\x94\x8c\x01"
                "aK\x01s.",
            "");
        row("a state on a dictionary", call(name("collections", "OrderedDict"), ")") + "}b.", "");
        row("a system call", call(name("os", "system"), tuple({text("true")})) + ".", "os.system");
        row("eval", name("builtins", "eval") + ".", "builtins.eval");
        row("a dotted name", text("torch") + text("serialization.os.system") + "\x93.",
            "serialization.os.system");
        row("a storage by another path", name("torch.os", "FooStorage") + ".", "torch.os.FooStorage");
        row("an instance", "(ios\nsystem\n.", "0x69");
        row("an object", "(cos\nsystem\no.", "os.system");
        row("a storage type called", call(name("torch", "FloatStorage"), ")") + ".", "no function of torch");
        row("a call of a text", text("a") + ")R.", "no function of torch");
        row("a state on a tensor", text("a") + "}b.", "no dictionary");
        row("an extension", "\x82\x01.", "0x82");
        row("bytes that run", "Vabc\n.", "0x56");
        row("cut off", "}(", "cut off");
        row("a text that is cut off",
            std::string("X\xff\xff\xff\x7f"
                        "abc",
                        8),
            "cut off");
        row("a text that is no UTF-8", std::string("X\x01\0\0\0\xff.", 7), "damaged");
        row("nothing on the stack", ".", "damaged");
        row("two values", "NN.", "damaged");
        row("a mark that stays", "}(.", "damaged");
        row("no mark", "}u.", "damaged");
        row("an odd dictionary", "}(Nu.", "damaged");
        row("unknown memory", "h\x05.", "damaged");
        row("a number of 9 bytes", std::string("\x8a\x09") + std::string(9, '\1') + ".", "64 bits");
        row("a list into a dictionary", "}(Ne.", "damaged");
    }
    void programs()
    {
        QFETCH(QByteArray, program);
        QFETCH(QString, says);
        const auto values = readPickle(program.toStdString());
        QVERIFY2(values.ok() == says.isEmpty(), values.ok() ? "was read" : values.error().text().c_str());
        if (!values) {
            QCOMPARE(values.error().code, ErrorCode::BadModel);
            QVERIFY2(values.error().message.find(says.toStdString()) != std::string::npos,
                     values.error().message.c_str());
        }
    }

    void longNumbers_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<qlonglong>("value");
        QTest::newRow("none") << QByteArray("") << 0LL;
        QTest::newRow("one byte") << QByteArray("\x7f") << 127LL;
        QTest::newRow("negative") << QByteArray("\xff") << -1LL;
        QTest::newRow("two bytes") << QByteArray("\xff\x00", 2) << 255LL;
        QTest::newRow("eight bytes") << QByteArray("\x00\x00\x00\x00\x00\x00\x00\x80", 8)
                                     << std::numeric_limits<qlonglong>::min();
    }
    void longNumbers()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(qlonglong, value);
        const auto values =
            readPickle("\x8a" + std::string(1, static_cast<char>(bytes.size())) + bytes.toStdString() + ".");
        QVERIFY_RESULT(values);
        QCOMPARE((*values)[values->root].integer, value);
    }

    /// A thousand damaged files: tensors that can be read, or an error that says something.
    void mutations()
    {
        ToyTensor turned;
        turned.name = "turned";
        turned.shape = {3, 2};
        turned.strides = {1, 3};
        const auto good = toyTorchFile(toyPickle({ToyTensor(), turned}));
        RandomStream stream(5, "pickled");
        int read = 0;
        for (int round = 0; round < 1000; ++round) {
            auto bytes = good;
            for (std::uint64_t i = 0; i <= stream.below(4); ++i)
                bytes[stream.below(bytes.size())] = static_cast<char>(stream.below(256));
            if (stream.chance(0.2))
                bytes.resize(stream.below(bytes.size()));
            const auto values = valuesOf(write(bytes));
            read += values.ok() ? 1 : 0;
            if (!values)
                QVERIFY(!values.error().message.empty() && values.error().code != ErrorCode::Internal);
        }
        QVERIFY(read > 0 && read < 1000);
    }
};

QTEST_APPLESS_MAIN(TestPickledFile)
#include "tst_pickled_file.moc"
