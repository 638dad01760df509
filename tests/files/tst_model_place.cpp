// Models by name: made caches, hostile links, and what is said when nothing is found.
#include "core/files/model_place.h"
#include "tests/support/test_data.h"

#include <QTemporaryDir>

#include <fstream>

using namespace assay;
namespace fs = std::filesystem;

class TestModelPlace : public QObject
{
    Q_OBJECT

    QTemporaryDir m_place;
    fs::path m_root;
    int m_number = 0;

    /// A model in a cache, laid out as the hub's client does it: blobs, snapshots of links, refs.
    fs::path model(const fs::path& cache, const std::string& commit = "abc123") const
    {
        const auto model = cache / "models--org--small";
        fs::create_directories(model / "blobs");
        fs::create_directories(model / "refs");
        fs::create_directories(model / "snapshots" / commit);
        std::ofstream(model / "blobs" / "b1") << "{}";
        fs::create_symlink("../../blobs/b1", model / "snapshots" / commit / "config.json");
        std::ofstream(model / "refs" / "main") << commit << "\n";
        return model;
    }

    fs::path fresh() { return m_root / std::to_string(++m_number); }

    static void use(const char* name, const fs::path& path)
    {
        qputenv(name, QByteArray::fromStdString(path.string()));
    }

private Q_SLOTS:
    void initTestCase() { m_root = fs::canonical(m_place.path().toStdString()); }
    void init()
    {
        for (const char* name : {"HF_HUB_CACHE", "HF_HOME"})
            qunsetenv(name);
        use("HOME", m_root / "nobody");
    }

    void names_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("name");
        for (const char* text : {"org/small", "org/small@main", "Org_1/a.b-c@v1.0", "org/small@refs/pr/1"})
            QTest::newRow(text) << text << true;
        for (const char* text : {"small", "/org/small", "org/small/x", "../small", "org/..", "./small",
                                 "org/.hidden", "org/a..b", "org--x/small", "org/small@", "org/small@../x",
                                 "org/small@a//b", "", "org/", "/", "org/a b"})
            QTest::newRow(QByteArray("not ").append(text).constData()) << text << false;
    }
    void names()
    {
        QFETCH(QString, text);
        QFETCH(bool, name);
        QCOMPARE(isModelName(text.toStdString()), name);
    }

    void existingPathComesFirst()
    {
        const auto found = findModel(m_root);
        QVERIFY_RESULT(found);
        QCOMPARE(*found, m_root);
    }

    void everyPlace()
    {
        const auto cache = fresh(), home = fresh(), user = fresh();
        model(user / ".cache" / "huggingface" / "hub", "c3");
        use("HOME", user);
        const auto expect = [](const char* text, const fs::path& snapshot) {
            const auto found = findModel(text);
            QVERIFY_RESULT(found);
            QCOMPARE(*found, snapshot);
            QVERIFY(fs::exists(*found / "config.json"));
        };
        const auto in = [](const fs::path& hub, const char* commit) {
            return fs::canonical(hub) / "models--org--small" / "snapshots" / commit;
        };
        expect("org/small", in(user / ".cache" / "huggingface" / "hub", "c3"));
        model(home / "hub", "c2");
        use("HF_HOME", home);
        expect("org/small", in(home / "hub", "c2"));
        model(cache, "c1");
        use("HF_HUB_CACHE", cache);
        expect("org/small", in(cache, "c1"));
        expect("org/small@c1", in(cache, "c1"));
        std::ofstream(cache / "models--org--small" / "refs" / "old") << "c1";
        expect("org/small@old", in(cache, "c1"));
    }

    void cacheMayBeALinkItself()
    {
        const auto real = fresh(), link = fresh();
        model(real);
        fs::create_directory_symlink(real, link);
        use("HF_HUB_CACHE", link);
        QVERIFY_RESULT(findModel("org/small"));
    }

    void refused_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QStringList>("words");
        QTest::newRow("nothing there")
            << "nothing" << QStringList{"models--org--small", "Nothing is downloaded"};
        QTest::newRow("missing snapshot") << "no snapshot" << QStringList{"no snapshot of the revision main"};
        QTest::newRow("unknown revision") << "revision" << QStringList{"no snapshot of the revision v9"};
        QTest::newRow("file outside") << "file link" << QStringList{"weights", "leaves the cache"};
        QTest::newRow("folder outside") << "folder link" << QStringList{"onnx", "leaves the cache"};
        QTest::newRow("snapshot outside") << "snapshot link" << QStringList{"snapshot", "leaves the cache"};
        QTest::newRow("model outside") << "model link" << QStringList{"leaves the cache"};
        QTest::newRow("reference outside")
            << "reference link" << QStringList{"refs/main", "leaves the cache"};
        QTest::newRow("unfinished download") << "dangling" << QStringList{"weights", "not there"};
        QTest::newRow("reference to elsewhere")
            << "path in reference" << QStringList{"refs/main", "no commit"};
        QTest::newRow("empty reference") << "empty reference" << QStringList{"refs/main", "no commit"};
    }
    void refused()
    {
        QFETCH(QString, what);
        QFETCH(QStringList, words);
        const auto cache = fresh(), outside = fresh();
        fs::create_directories(outside);
        std::ofstream(outside / "secret") << "abc123";
        std::string name = "org/small";
        use("HF_HUB_CACHE", cache);
        const auto place = cache / "models--org--small", snapshot = place / "snapshots" / "abc123";
        if (what == "model link") {
            model(outside);
            fs::create_directories(cache);
            fs::create_directory_symlink(outside / "models--org--small", place);
        } else if (what != "nothing") {
            model(cache);
        }
        if (what == "no snapshot")
            fs::remove_all(snapshot);
        if (what == "revision")
            name += "@v9";
        if (what == "file link")
            fs::create_symlink(outside / "secret", snapshot / "weights");
        if (what == "folder link")
            fs::create_directory_symlink(outside, snapshot / "onnx");
        if (what == "dangling")
            fs::create_symlink("../../blobs/b2", snapshot / "weights");
        if (what == "snapshot link") {
            fs::remove_all(snapshot);
            fs::create_directory_symlink(outside, snapshot);
        }
        if (what == "reference link") {
            fs::remove(place / "refs" / "main");
            fs::create_symlink(outside / "secret", place / "refs" / "main");
        }
        if (what == "path in reference")
            std::ofstream(place / "refs" / "main") << "../../../" << outside.filename().string();
        if (what == "empty reference")
            std::ofstream(place / "refs" / "main") << "\n";
        const auto found = findModel(name);
        QVERIFY2(!found.ok(), "was found");
        const auto text = QString::fromStdString(found.error().text());
        for (const auto& word : words)
            QVERIFY2(text.contains(word), qPrintable(word + QStringLiteral(" is not in: ") + text));
    }

    void namesEveryPlace()
    {
        use("HF_HUB_CACHE", "/one");
        use("HF_HOME", "/two");
        use("HOME", "/three");
        const auto found = findModel("org/small");
        QVERIFY(!found.ok());
        for (const char* place : {"/one/models--org--small", "/two/hub/models--org--small",
                                  "/three/.cache/huggingface/hub/models--org--small"})
            QVERIFY2(found.error().text().find(place) != std::string::npos, found.error().text().c_str());
    }
};

QTEST_APPLESS_MAIN(TestModelPlace)
#include "tst_model_place.moc"
