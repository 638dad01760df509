#include "ui/experiment/group_list.h"

#include "ui/experiment/form_group.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace assay {

namespace {

enum Role { ChangedRole = Qt::UserRole, InvalidRole, IdRole };

class GroupDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override
    {
        return {scaled(150), scaled(27)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Palette& p = colors();
        const bool current = option.state & QStyle::State_Selected;
        painter->save();
        painter->fillRect(option.rect, current                                  ? p.accentSoft
                                       : option.state & QStyle::State_MouseOver ? p.hover
                                                                                : p.window);
        if (current)
            painter->fillRect(QRect(option.rect.left(), option.rect.top(), scaled(3), option.rect.height()),
                              p.accent);
        const QRect line = option.rect.adjusted(scaled(14), 0, -scaled(10), 0);
        QFont font = textFont(TextSize::Body);
        font.setWeight(current ? QFont::DemiBold : QFont::Normal);
        painter->setFont(font);
        painter->setPen(current ? p.accentText : p.text);
        painter->drawText(line, Qt::AlignVCenter, index.data().toString());
        const int changed = index.data(ChangedRole).toInt();
        const QString text = changed > 0 ? GroupList::tr("%1 changed").arg(changed) : QString();
        painter->setFont(textFont(TextSize::Caption));
        painter->setPen(p.text3);
        painter->drawText(line, Qt::AlignVCenter | Qt::AlignRight, text);
        if (index.data(InvalidRole).toInt() > 0) {
            const int size = scaled(13);
            const int right = line.right() - painter->fontMetrics().horizontalAdvance(text) - scaled(6);
            paintIcon(painter, QRectF(right - size, line.center().y() - size / 2, size, size), Icon::Error,
                      p.err);
        }
        if (option.state & QStyle::State_HasFocus) {
            painter->setPen(QPen(p.accent, 2));
            painter->drawRect(option.rect.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }
};

} // namespace

GroupList::GroupList(QWidget* parent)
    : QListWidget(parent)
{
    setItemDelegate(new GroupDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Groups of settings"));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    viewport()->setBackgroundRole(QPalette::Window);
    connect(this, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item)
            Q_EMIT chosen(item->data(IdRole).toString());
    });
}

void GroupList::setGroups(const std::vector<FormGroup*>& groups)
{
    const QSignalBlocker block(this);
    m_groups = groups;
    clear();
    for (const auto* group : groups) {
        auto* item = new QListWidgetItem(group->title(), this);
        item->setData(IdRole, group->id());
    }
    setCurrentRow(0);
    refresh();
}

void GroupList::refresh()
{
    for (int i = 0; i < count(); ++i) {
        const auto* group = m_groups[static_cast<std::size_t>(i)];
        item(i)->setData(ChangedRole, group->changed());
        item(i)->setData(InvalidRole, group->invalid());
        QString words = group->title();
        if (group->changed() > 0)
            words += tr(", %1 changed").arg(group->changed());
        if (group->invalid() > 0)
            words += tr(", %1 invalid").arg(group->invalid());
        item(i)->setData(Qt::AccessibleTextRole, words);
    }
}

} // namespace assay
