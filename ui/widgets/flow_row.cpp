#include "ui/widgets/flow_row.h"

#include "ui/theme.h"

#include <algorithm>

namespace assay {

FlowRow::FlowRow(QWidget* parent)
    : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void FlowRow::add(QWidget* item)
{
    item->setParent(this);
    m_items.push_back(item);
    rearrange();
}

std::vector<QRect> FlowRow::layOut(int width) const
{
    const int gap = scaled(6);
    std::vector<QRect> rects;
    int x = 0, y = 0, rowHeight = 0;
    for (const auto* item : m_items) {
        const QSize size = item->sizeHint();
        if (x > 0 && x + size.width() > width) {
            x = 0;
            y += rowHeight + gap;
            rowHeight = 0;
        }
        rects.emplace_back(QPoint(x, y), size);
        x += size.width() + gap;
        rowHeight = std::max(rowHeight, size.height());
    }
    return rects;
}

int FlowRow::heightForWidth(int width) const
{
    const auto rects = layOut(width);
    return rects.empty() ? 0 : rects.back().bottom() + 1;
}

QSize FlowRow::sizeHint() const
{
    return {scaled(280), heightForWidth(std::max(width(), scaled(200)))};
}

QSize FlowRow::minimumSizeHint() const
{
    return {scaled(120), heightForWidth(std::max(width(), scaled(200)))};
}

void FlowRow::rearrange()
{
    const auto rects = layOut(width());
    for (std::size_t i = 0; i < m_items.size(); ++i)
        m_items[i]->setGeometry(rects[i]);
    updateGeometry();
}

void FlowRow::resizeEvent(QResizeEvent*)
{
    rearrange();
}

} // namespace assay
