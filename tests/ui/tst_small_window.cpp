// On a small screen nothing is cut off, nothing lies on something else, and everything can be reached.
#include "tests/support/fake_session.h"
#include "tests/support/pair_store.h"
#include "tests/support/sample_store.h"
#include "tests/support/test_data.h"
#include "ui/run_controller.h"
#include "ui/screenshot.h"
#include "ui/store_source.h"
#include "ui/theme.h"
#include "ui/ui_settings.h"
#include "ui/widgets/verdict_card.h"
#include "ui/window_pages.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QtTest/QTest>

using namespace assay;

namespace {

QString nameOf(const QWidget* widget)
{
    QString text;
    if (const auto* label = qobject_cast<const QLabel*>(widget))
        text = label->text();
    else if (const auto* button = qobject_cast<const QAbstractButton*>(widget))
        text = button->text();
    return QStringLiteral("%1 %2 \"%3\" %4x%5+%6+%7 in %8")
        .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(), text)
        .arg(widget->width())
        .arg(widget->height())
        .arg(widget->x())
        .arg(widget->y())
        .arg(QLatin1String(widget->parentWidget() ? widget->parentWidget()->metaObject()->className() : "-"));
}

/// The scroll area whose contents `widget` is; null = none.
const QAbstractScrollArea* scrolled(const QWidget* widget)
{
    const auto* viewport = widget->parentWidget();
    const auto* area =
        viewport ? qobject_cast<const QAbstractScrollArea*>(viewport->parentWidget()) : nullptr;
    return area && area->viewport() == viewport ? area : nullptr;
}

/// What sticks out of its parent where no scroll bar leads to.
QString cutOff(const QWidget* widget)
{
    if (const auto* area = scrolled(widget)) {
        const bool wide = widget->width() > widget->parentWidget()->width() &&
                          area->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff;
        const bool high = widget->height() > widget->parentWidget()->height() &&
                          area->verticalScrollBarPolicy() == Qt::ScrollBarAlwaysOff;
        return wide || high ? QStringLiteral("is scrolled, but has no scroll bar: ") + nameOf(widget)
                            : QString();
    }
    return widget->parentWidget()->rect().contains(widget->geometry())
               ? QString()
               : QStringLiteral("sticks out: ") + nameOf(widget);
}

/// A text that has less room than it needs and is neither wrapped nor elided (that one asks for no room).
QString clipped(const QWidget* widget)
{
    const auto* label = qobject_cast<const QLabel*>(widget);
    const bool checked = (label && !label->wordWrap() && !label->text().isEmpty() &&
                          label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored) ||
                         qobject_cast<const QPushButton*>(widget);
    const bool fits = widget->width() >= widget->minimumSizeHint().width() && widget->height() >= scaled(12);
    const bool wraps = (label && label->wordWrap()) || qobject_cast<const VerdictCard*>(widget);
    if (wraps && widget->height() < widget->heightForWidth(widget->width()))
        return QStringLiteral("is lower than its text: ") + nameOf(widget);
    return checked && !fits ? QStringLiteral("has no room for its text: ") + nameOf(widget) : QString();
}

/// What scrolls, but shows less than a line.
QString tooLow(const QWidget* widget)
{
    const bool low = qobject_cast<const QAbstractScrollArea*>(widget) && widget->height() < scaled(18);
    return low ? QStringLiteral("is too low to read: ") + nameOf(widget) : QString();
}

/// Two visible neighbours on top of each other.
QString overlap(const QWidget* parent)
{
    if (qobject_cast<const QStackedWidget*>(parent))
        return {};
    QList<const QWidget*> seen;
    for (const auto* child : parent->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (!child->isVisible() || child->isWindow() || child->size().isEmpty() ||
            child->objectName().startsWith(
                QStringLiteral("qt_splithandle"))) // wider than its line, to be hit
            continue;
        for (const auto* other : seen)
            if (child->geometry().intersects(other->geometry()))
                return QStringLiteral("on each other: ") + nameOf(child) + QStringLiteral(" and ") +
                       nameOf(other);
        seen.append(child);
    }
    return {};
}

QStringList faults(const QWidget* window)
{
    QStringList found;
    const auto note = [&found](const QString& fault) {
        if (!fault.isEmpty())
            found << fault;
    };
    for (const auto* widget : window->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != window || widget->isWindow())
            continue;
        note(overlap(widget));
        const bool inside = !widget->objectName().startsWith(QStringLiteral("qt_"));
        if (inside) {
            note(cutOff(widget));
            note(clipped(widget));
            note(tooLow(widget));
        }
    }
    return found;
}

} // namespace

class SmallWindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto filled = tests::fillSampleStore(m_folder.filePath(QStringLiteral("steps")).toStdString());
        QVERIFY_RESULT(filled);
        m_steps = *filled;
        m_pairs.folder = m_folder.filePath(QStringLiteral("pairs")).toStdString();
        auto pairs = tests::samplePairs();
        for (auto& pair : pairs) // long enough to need scrolling
            for (auto* text : {&pair.prompt, &pair.chosen, &pair.rejected})
                for (int i = 0; i < 4; ++i)
                    *text += " " + *text;
        QVERIFY_RESULT(tests::fillPairStore(m_pairs, pairs));
    }

    void everythingFits_data()
    {
        QTest::addColumn<QString>("page");
        QTest::addColumn<bool>("pairs");
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(900, 600), QSize(1024, 700), QSize(1440, 900)})
            for (const char* page : {"runs", "experiment", "run", "steps"})
                for (const bool pairs : {false, true})
                    QTest::addRow("%s of %s at %dx%d", page, pairs ? "pairs" : "steps", size.width(),
                                  size.height())
                        << QString::fromLatin1(page) << pairs << size;
    }

    void everythingFits()
    {
        QFETCH(QString, page);
        QFETCH(bool, pairs);
        QFETCH(QSize, size);
        const StorePlace place = pairs ? m_pairs : m_steps.place;
        UiSettings settings{QString()};
        StoreSource source(place);
        RunController controller(place, [state = std::make_shared<tests::FakeSessionState>()] {
            return std::make_unique<tests::FakeSession>(state);
        });
        static Theme* theme = new Theme(*qApp, ThemeChoice::Light);
        const auto window = makeMainWindow(source, controller, settings, *theme);
        const QString file = m_folder.filePath(QStringLiteral("picture.png"));
        const RunId& steps = page == QStringLiteral("runs") ? m_steps.fault : m_steps.full; // a long verdict
        const QString run = pairs ? QString() : QString::fromStdString(steps);
        QVERIFY_RESULT(saveScreenshot(*window, page, run, size, file)); // shown, with its data
        QCOMPARE(window->size(), size);
        const QStringList found = faults(window.get());
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

private:
    QTemporaryDir m_folder;
    tests::SampleStore m_steps;
    StorePlace m_pairs;
};

QTEST_MAIN(SmallWindowTest)
#include "tst_small_window.moc"
