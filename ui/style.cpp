#include "ui/style.h"

#include "ui/icons.h"
#include "ui/style_painting.h"
#include "ui/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QPainter>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>

#include <algorithm>

namespace assay {

Style::Style()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
{}

void Style::polish(QWidget* widget)
{
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
        qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QHeaderView*>(widget) ||
        qobject_cast<QAbstractSlider*>(widget))
        widget->setAttribute(Qt::WA_Hover, true);
}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const
{
    const Palette& p = colors();
    switch (element) {
    case PE_PanelButtonCommand:
    case PE_PanelButtonTool:
        painting::button(painter, option, widget);
        return;
    case PE_FrameDefaultButton:
        return;
    case PE_FrameFocusRect:
        // Buttons, sliders and check boxes draw their own ring; item views mark the current cell.
        if (qobject_cast<const QAbstractItemView*>(widget))
            painting::focusRing(painter, option->rect, 0);
        return;
    case PE_FrameLineEdit:
    case PE_PanelLineEdit:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            frame && frame->lineWidth > 0 &&
            !(widget && qobject_cast<const QAbstractSpinBox*>(widget->parentWidget())))
            painting::field(painter, option, widget);
        return;
    case PE_Frame:
        painter->setPen(QPen(p.line2, 0));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        painting::checkBox(painter, option, false);
        return;
    case PE_IndicatorRadioButton:
        painting::checkBox(painter, option, true);
        return;
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem:
        painting::itemRow(painter, option, widget);
        return;
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, p.surface);
        painter->setPen(QPen(p.line2, 0));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
        return;
    case PE_IndicatorArrowDown:
        paintIcon(painter, QRectF(option->rect), Icon::ChevronDown,
                  option->state & State_Enabled ? p.text2 : p.disabled);
        return;
    case PE_IndicatorArrowUp:
        paintIcon(painter, QRectF(option->rect), Icon::ChevronUp,
                  option->state & State_Enabled ? p.text2 : p.disabled);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const
{
    const Palette& p = colors();
    switch (element) {
    case CE_HeaderSection:
        painting::headerSection(painter, option, widget);
        return;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, p.alt);
        painter->setPen(QPen(p.line2, 0));
        painter->drawLine(option->rect.bottomLeft(), option->rect.bottomRight());
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            painter->save();
            painter->setFont(textFont(TextSize::Caption));
            painter->setPen(p.text2);
            const QString text =
                painter->fontMetrics().elidedText(header->text, Qt::ElideRight, header->rect.width());
            painter->drawText(header->rect, static_cast<int>(header->textAlignment) | Qt::AlignVCenter, text);
            painter->restore();
        }
        return;
    case CE_Splitter:
        painter->fillRect(option->rect, p.line2);
        return;
    case CE_PushButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            QStyleOptionButton copy(*button);
            const QString kind = widget ? widget->property("assayKind").toString() : QString();
            QColor color = p.text;
            if (kind == QLatin1String("primary"))
                color = p.onAccent;
            if (copy.state & State_On)
                color = p.accentText;
            if (!(copy.state & State_Enabled))
                color = p.disabled;
            copy.palette.setColor(QPalette::ButtonText, color);
            copy.state &= ~(State_On | State_Sunken);
            QProxyStyle::drawControl(element, &copy, painter, widget);
        }
        return;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, p.sunken);
        return;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            const bool active = item->state & (State_Selected | State_Sunken);
            painter->fillRect(option->rect, active ? p.accentSoft : p.sunken);
            painter->setPen(active ? p.accentText : p.text);
            painter->drawText(option->rect, Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextHideMnemonic,
                              item->text);
        }
        return;
    case CE_ProgressBarGroove:
        painter->fillRect(option->rect, p.line2);
        return;
    case CE_ProgressBarContents:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
            bar && bar->maximum > bar->minimum) {
            QRect filled = option->rect;
            const double share =
                static_cast<double>(bar->progress - bar->minimum) / (bar->maximum - bar->minimum);
            filled.setWidth(static_cast<int>(filled.width() * std::clamp(share, 0.0, 1.0)));
            painter->fillRect(filled, p.accent);
        }
        return;
    default:
        QProxyStyle::drawControl(element, option, painter, widget);
    }
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const
{
    const Palette& p = colors();
    if (control == CC_ComboBox) {
        painting::field(painter, option, widget);
        const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
        paintIcon(painter, QRectF(arrow).adjusted(3, 3, -3, -3), Icon::ChevronDown,
                  option->state & State_Enabled ? p.text2 : p.disabled);
        return;
    }
    if (control == CC_SpinBox) {
        painting::field(painter, option, widget);
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
            spin && spin->buttonSymbols != QAbstractSpinBox::NoButtons) {
            for (const auto& [sub, id, flag] :
                 {std::tuple(SC_SpinBoxUp, Icon::ChevronUp, QAbstractSpinBox::StepUpEnabled),
                  std::tuple(SC_SpinBoxDown, Icon::ChevronDown, QAbstractSpinBox::StepDownEnabled)}) {
                const QRect rect = subControlRect(CC_SpinBox, option, sub, widget);
                const bool enabled = (option->state & State_Enabled) && (spin->stepEnabled & flag);
                paintIcon(painter, QRectF(rect).adjusted(4, 1, -4, -1), id, enabled ? p.text2 : p.disabled);
            }
        }
        return;
    }
    if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
        if (control == CC_ScrollBar) {
            painting::scrollBar(painter, slider, subControlRect(control, option, SC_ScrollBarSlider, widget));
            return;
        }
        if (control == CC_Slider && slider->orientation == Qt::Horizontal) {
            painting::slider(painter, slider, subControlRect(control, option, SC_SliderGroove, widget),
                             subControlRect(control, option, SC_SliderHandle, widget));
            return;
        }
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const
{
    switch (metric) {
    case PM_ScrollBarExtent:
        return scaled(8);
    case PM_ScrollBarSliderMin:
        return scaled(24);
    case PM_SplitterWidth:
        return 1; // Qt widens the grab area of a 1 px handle to 5 px by itself
    case PM_ButtonIconSize:
    case PM_SmallIconSize:
        return scaled(16);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return scaled(14);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    case PM_ButtonMargin:
        return scaled(8);
    case PM_HeaderMargin:
        return scaled(6);
    case PM_SliderLength:
        return scaled(14);
    case PM_SliderThickness:
    case PM_SliderControlThickness:
        return scaled(16);
    case PM_MenuBarItemSpacing:
        return 0;
    case PM_MenuBarHMargin:
        return scaled(6);
    case PM_FocusFrameHMargin:
        return scaled(5);
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* data) const
{
    switch (hint) {
    case SH_ScrollBar_Transient:
    case SH_ItemView_ShowDecorationSelected:
    case SH_UnderlineShortcut:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
        return hint == SH_ItemView_ShowDecorationSelected ? 1 : 0;
    case SH_ComboBox_Popup:
        return 0;
    case SH_Widget_Animate:
        return 0;
    case SH_Slider_AbsoluteSetButtons:
        return Qt::LeftButton;
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl sub,
                            const QWidget* widget) const
{
    if (control == CC_ScrollBar) {
        const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (bar && (sub == SC_ScrollBarAddLine || sub == SC_ScrollBarSubLine))
            return {};
        if (bar && sub == SC_ScrollBarGroove)
            return bar->rect;
        if (bar && (sub == SC_ScrollBarSlider || sub == SC_ScrollBarAddPage || sub == SC_ScrollBarSubPage)) {
            const bool horizontal = bar->orientation == Qt::Horizontal;
            const int length = horizontal ? bar->rect.width() : bar->rect.height();
            const qint64 range = qint64(bar->maximum) - bar->minimum;
            int handle = length;
            if (range > 0) {
                handle = static_cast<int>(qint64(length) * bar->pageStep / (range + bar->pageStep));
                handle = std::clamp(
                    handle, std::min(length, pixelMetric(PM_ScrollBarSliderMin, option, widget)), length);
            }
            const int start = sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition,
                                                      length - handle, bar->upsideDown);
            int from = start, extent = handle;
            if (sub == SC_ScrollBarSubPage)
                from = 0, extent = start;
            else if (sub == SC_ScrollBarAddPage)
                from = start + handle, extent = length - start - handle;
            return horizontal ? QRect(bar->rect.left() + from, bar->rect.top(), extent, bar->rect.height())
                              : QRect(bar->rect.left(), bar->rect.top() + from, bar->rect.width(), extent);
        }
    }
    if (control == CC_ComboBox) {
        const int arrow = scaled(20);
        const QRect r = option->rect;
        if (sub == SC_ComboBoxArrow)
            return visualRect(option->direction, r,
                              QRect(r.right() - arrow - 2, r.top() + (r.height() - arrow) / 2, arrow, arrow));
        if (sub == SC_ComboBoxEditField)
            return visualRect(option->direction, r, r.adjusted(scaled(5), 2, -arrow - 4, -2));
    }
    return QProxyStyle::subControlRect(control, option, sub, widget);
}

QSize Style::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                              const QWidget* widget) const
{
    QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
    switch (type) {
    case CT_PushButton: {
        const bool small = widget && widget->property("small").toBool();
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        const int height = scaled(small ? 22 : 26);
        if (button && button->text.isEmpty())
            return {height, height};
        return {size.width() + scaled(18), height};
    }
    case CT_ComboBox:
    case CT_LineEdit:
    case CT_SpinBox:
        result.setHeight(scaled(26));
        return result;
    case CT_HeaderSection:
        result.setHeight(scaled(26));
        return result;
    case CT_MenuBarItem:
        return {size.width() + scaled(18), scaled(26)};
    default:
        return result;
    }
}

} // namespace assay
