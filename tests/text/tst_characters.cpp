#include "core/text/unicode/characters.h"
#include "core/text/unicode/code_points.h"

#include <QTest>

using namespace assay;

/// What is said of characters by looking at each alone.
class TestCharacters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void surelyNormalized_data();
    void surelyNormalized();
    void whatIsSurelyNormalizedStays();
};

void TestCharacters::surelyNormalized_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("forms"); // c, d, C and D for the four
    QTest::newRow("nothing") << ""
                             << "cdCD";
    QTest::newRow("plain") << "It's 5 o'clock.\n"
                           << "cdCD";
    QTest::newRow("quotation marks") << QString::fromUtf16(u"It\u2019s \u201cso\u201d") << "cdCD";
    QTest::newRow("composed") << QString::fromUtf16(u"caf\u00e9") << "cC";
    QTest::newRow("decomposed") << QString::fromUtf16(u"cafe\u0301") << "";
    QTest::newRow("compatible") << QString::fromUtf16(u"\ufb01n") << "cd";
    QTest::newRow("two marks") << QString::fromUtf16(u"q\u0307\u0323") << "";
    QTest::newRow("Hangul") << QString::fromUtf16(u"\uac00") << "cC";
    QTest::newRow("Hangul in parts") << QString::fromUtf16(u"\u1100\u1161") << "dD";
}

void TestCharacters::surelyNormalized()
{
    QFETCH(QString, text);
    QFETCH(QString, forms);
    const auto bytes = text.toStdString();
    QString sure;
    for (const auto& [form, letter] : {std::pair(NormalForm::Nfc, 'c'), std::pair(NormalForm::Nfd, 'd'),
                                       std::pair(NormalForm::Nfkc, 'C'), std::pair(NormalForm::Nfkd, 'D')})
        if (isSurelyNormalized(bytes, form))
            sure += QLatin1Char(letter);
    QCOMPARE(sure, forms);
}

void TestCharacters::whatIsSurelyNormalizedStays()
{
    for (const auto form : {NormalForm::Nfc, NormalForm::Nfd, NormalForm::Nfkc, NormalForm::Nfkd}) {
        int sure = 0;
        for (char32_t value = 1; value < 0x30000; value += value == 0xd7ff ? 0x801 : 1) {
            std::string text = "a";
            appendCodePoint(text, value);
            text += text;
            if (!isSurelyNormalized(text, form))
                continue;
            ++sure;
            std::string same;
            for (const auto& character : normalized(text, form))
                appendCodePoint(same, character.change == 0 ? character.value : U'?');
            QVERIFY2(same == text, std::to_string(static_cast<std::uint32_t>(value)).c_str());
        }
        QVERIFY2(sure > 150'000, std::to_string(sure).c_str());
    }
}

QTEST_GUILESS_MAIN(TestCharacters)
#include "tst_characters.moc"
