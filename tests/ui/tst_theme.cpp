#include "ui/icons.h"
#include "ui/theme.h"

#include <QImage>
#include <QPainter>
#include <QtTest/QTest>

#include <cmath>

using namespace assay;

namespace {

double linear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// Relative luminance of WCAG 2.
double luminance(const QColor& color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

using Role = QColor Palette::*;

/// Lowest contrast over the six grounds and the token's own soft ground.
double lowest(const Palette& palette, Role role, Role soft)
{
    double least = 100.0;
    for (const Role ground : {&Palette::window, &Palette::surface, &Palette::sunken, &Palette::alt,
                              &Palette::hover, &Palette::accentSoft, soft})
        least = std::min(least, contrast(palette.*role, palette.*ground));
    return least;
}

} // namespace

class ThemeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void contrastIsAsPublished_data()
    {
        QTest::addColumn<int>("role");
        QTest::addColumn<int>("soft");
        QTest::addColumn<double>("light");
        QTest::addColumn<double>("dark");
        // The figures of the visual system; indices into kRoles.
        QTest::newRow("text") << 0 << 0 << 13.5 << 9.4;
        QTest::newRow("text2") << 1 << 0 << 6.6 << 6.2;
        QTest::newRow("text3") << 2 << 0 << 4.8 << 4.7;
        QTest::newRow("accentText") << 3 << 0 << 7.2 << 7.0;
        QTest::newRow("ok") << 4 << 1 << 5.1 << 5.8;
        QTest::newRow("warn") << 5 << 2 << 5.4 << 6.0;
        QTest::newRow("err") << 6 << 3 << 5.6 << 5.1;
        QTest::newRow("info") << 7 << 4 << 6.3 << 5.9;
    }

    void contrastIsAsPublished()
    {
        static constexpr Role kRoles[] = {&Palette::text,       &Palette::text2, &Palette::text3,
                                          &Palette::accentText, &Palette::ok,    &Palette::warn,
                                          &Palette::err,        &Palette::info};
        static constexpr Role kSofts[] = {&Palette::accentSoft, &Palette::okSoft, &Palette::warnSoft,
                                          &Palette::errSoft, &Palette::infoSoft};
        QFETCH(int, role);
        QFETCH(int, soft);
        QFETCH(double, light);
        QFETCH(double, dark);
        QCOMPARE(std::round(lowest(lightPalette(), kRoles[role], kSofts[soft]) * 10.0) / 10.0, light);
        QCOMPARE(std::round(lowest(darkPalette(), kRoles[role], kSofts[soft]) * 10.0) / 10.0, dark);
    }

    void buttonsAndControlsAreVisible()
    {
        QCOMPARE(std::round(contrast(lightPalette().onAccent, lightPalette().accent) * 10.0) / 10.0, 6.4);
        QCOMPARE(std::round(contrast(darkPalette().onAccent, darkPalette().accent) * 10.0) / 10.0, 7.4);
        for (const Palette* palette : {&lightPalette(), &darkPalette()})
            QVERIFY(contrast(palette->ctl, palette->surface) >= 3.1);
    }

    void runColoursStandOutFromTheSurface()
    {
        for (const Palette* palette : {&lightPalette(), &darkPalette()})
            for (const QColor& color : palette->run)
                QVERIFY2(contrast(color, palette->surface) >= 3.0, qPrintable(color.name()));
    }

    void rewardScaleTurnsAtTheThreshold_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("threshold");
        QTest::addColumn<int>("stop");
        QTest::newRow("zero") << 0.0 << 0.5 << 0;
        QTest::newRow("one") << 1.0 << 0.5 << 4;
        QTest::newRow("middle") << 0.5 << 0.5 << 2;
        QTest::newRow("threshold 0.9") << 0.9 << 0.9 << 2;
        QTest::newRow("half way below 0.9") << 0.45 << 0.9 << 1;
        QTest::newRow("half way above 0.9") << 0.95 << 0.9 << 3;
        QTest::newRow("threshold 0: everything is above") << 0.5 << 0.0 << 3;
        QTest::newRow("threshold 1: everything is below") << 0.5 << 1.0 << 1;
        QTest::newRow("outside") << 7.0 << 0.5 << 4;
    }

    void rewardScaleTurnsAtTheThreshold()
    {
        QFETCH(double, value);
        QFETCH(double, threshold);
        QFETCH(int, stop);
        for (const Palette* palette : {&lightPalette(), &darkPalette()})
            QCOMPARE(palette->rewardColor(value, threshold).name(),
                     palette->reward[static_cast<std::size_t>(stop)].name());
    }

    void everyIconPaintsInTheGivenColour()
    {
        for (int id = 0; id <= static_cast<int>(Icon::Zigzag); ++id) {
            QImage image(32, 32, QImage::Format_ARGB32);
            image.fill(Qt::transparent);
            QPainter painter(&image);
            paintIcon(&painter, QRectF(0, 0, 32, 32), static_cast<Icon>(id), Qt::red);
            painter.end();
            int inked = 0;
            for (int y = 0; y < 32; ++y)
                for (int x = 0; x < 32; ++x)
                    inked += qAlpha(image.pixel(x, y)) > 200 && qRed(image.pixel(x, y)) > 240;
            QVERIFY2(inked > 8, qPrintable(QString::number(id)));
        }
    }

    void changingTheThemeReachesPaletteAndIcons()
    {
        Theme theme(*qApp, ThemeChoice::Light);
        const QIcon sign = icon(Icon::Check, &Palette::ok);
        const auto ink = [&sign] {
            const QImage image = sign.pixmap(32, 32).toImage();
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixelColor(x, y).alpha() == 255)
                        return image.pixelColor(x, y).name();
            return QString();
        };
        QCOMPARE(colors().dark, false);
        QCOMPARE(ink(), lightPalette().ok.name());
        theme.setChoice(ThemeChoice::Dark);
        QCOMPARE(colors().dark, true);
        QCOMPARE(QApplication::palette().color(QPalette::Window), darkPalette().window);
        QCOMPARE(ink(), darkPalette().ok.name());
    }
};

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
