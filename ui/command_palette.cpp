#include "ui/command_palette.h"

#include "ui/actions.h"
#include "ui/icons.h"
#include "ui/style_painting.h"
#include "ui/theme.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <vector>

namespace assay {

namespace {

constexpr int kIdRole = Qt::UserRole, kRightRole = Qt::UserRole + 1;

/// Command at the left, shortcut or the reason why it is off at the right.
class CommandDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {100, scaled(27)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Palette& p = colors();
        const bool enabled = index.flags() & Qt::ItemIsEnabled;
        if (option.state & QStyle::State_Selected) {
            painter->fillRect(option.rect, p.accentSoft);
            painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())), p.accent);
        }
        const QRect inner = option.rect.adjusted(scaled(12), 0, -scaled(12), 0);
        painter->setFont(textFont(TextSize::Body));
        painter->setPen(enabled ? p.text : p.disabled);
        painter->drawText(inner, Qt::AlignVCenter | Qt::AlignLeft, index.data().toString());
        painter->setFont(textFont(TextSize::Tick));
        painter->setPen(p.text3);
        painter->drawText(inner, Qt::AlignVCenter | Qt::AlignRight, index.data(kRightRole).toString());
    }
};

} // namespace

CommandPalette::CommandPalette(const Actions& actions, QWidget* window)
    : QFrame(window)
    , m_actions(actions)
    , m_field(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAccessibleName(QStringLiteral("Commands"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setFrameShape(QFrame::StyledPanel);
    m_field->setPlaceholderText(QStringLiteral("Find a command"));
    m_field->setAccessibleName(QStringLiteral("Find a command"));
    m_list->setAccessibleName(QStringLiteral("Commands"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setItemDelegate(new CommandDelegate(m_list));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(6), scaled(6), scaled(6), scaled(6));
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_field, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
    hide();
}

void CommandPalette::open()
{
    const QWidget* window = parentWidget();
    const int width = std::min(scaled(560), window->width() - scaled(40));
    setGeometry((window->width() - width) / 2, scaled(40), width,
                std::min(scaled(380), window->height() - scaled(80)));
    m_field->clear();
    refresh();
    show();
    raise();
    m_field->setFocus();
}

void CommandPalette::refresh()
{
    struct Hit
    {
        QAction* action;
        int score;
    };
    std::vector<Hit> hits;
    const QString pattern = m_field->text().trimmed();
    for (auto* action : m_actions.all()) {
        const QString words =
            Actions::tooltip(action) + QLatin1Char(' ') + action->property("keywords").toString();
        int score = matchScore(pattern, words);
        if (score < 0)
            continue;
        if (const auto at = m_recent.indexOf(action->objectName()); at >= 0)
            score += pattern.isEmpty() ? 100 - static_cast<int>(at) : 2;
        hits.push_back({action, score});
    }
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
    m_list->clear();
    for (const auto& hit : hits) {
        QString text = hit.action->text();
        auto* item = new QListWidgetItem(text.remove(QLatin1Char('&')), m_list);
        item->setData(kIdRole, hit.action->objectName());
        item->setData(kRightRole, hit.action->isEnabled()
                                      ? hit.action->shortcut().toString(QKeySequence::NativeText)
                                      : hit.action->property("reason").toString());
        if (!hit.action->isEnabled())
            item->setFlags(Qt::ItemIsSelectable);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::run()
{
    const auto* item = m_list->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled))
        return;
    const QString id = item->data(kIdRole).toString();
    m_recent.removeAll(id);
    m_recent.prepend(id);
    hide();
    if (auto* action = m_actions.find(id))
        action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut && watched == m_field) {
        hide();
    } else if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            hide();
            return true;
        }
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int row = m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1);
            m_list->setCurrentRow(std::clamp(row, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

CommandField::CommandField(QWidget* parent)
    : QAbstractButton(parent)
{
    setObjectName(QStringLiteral("commandField"));
    setAccessibleName(QStringLiteral("Find a command"));
    setToolTip(QStringLiteral("Find a command (Ctrl+Shift+P)"));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
}

void CommandField::setCompact(bool compact)
{
    m_compact = compact;
    updateGeometry();
    update();
}

QSize CommandField::sizeHint() const
{
    return {scaled(m_compact ? 196 : 330), scaled(22)};
}

void CommandField::paintEvent(QPaintEvent*)
{
    const Palette& p = colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(p.line2, 1));
    painter.setBrush(underMouse() ? p.hover : p.surface);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(box, 4, 4);
    const int icon = scaled(13);
    paintIcon(&painter, QRectF(scaled(8), (height() - icon) / 2.0, icon, icon), Icon::Search, p.text3);
    painter.setFont(textFont(TextSize::Table));
    painter.setPen(p.text3);
    painter.drawText(rect().adjusted(scaled(27), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     m_compact ? QStringLiteral("Commands") : QStringLiteral("Find a command"));
    const QString keys = QStringLiteral("Ctrl+Shift+P");
    painter.setFont(textFont(TextSize::Tick));
    const int width = painter.fontMetrics().horizontalAdvance(keys) + scaled(10);
    const QRectF cap(this->width() - width - scaled(4) + 0.5, scaled(3) + 0.5, width,
                     height() - 2 * scaled(3) - 1);
    painter.setBrush(p.window);
    painter.setPen(QPen(p.line2, 1));
    painter.drawRoundedRect(cap, 3, 3);
    painter.setPen(p.text2);
    painter.drawText(cap, Qt::AlignCenter, keys);
    if (hasFocus())
        painting::focusRing(&painter, QRectF(rect()), 4);
}

} // namespace assay
