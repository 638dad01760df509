#include "ui/experiment/preflight/caption.h"

#include "ui/widgets/text_label.h"

namespace assay {

TextLabel* makeCaption(const QString& text)
{
    auto* label = new TextLabel(text, TextSize::Caption, &Palette::text2);
    QFont font = label->font();
    font.setWeight(QFont::DemiBold);
    label->setFont(font);
    return label;
}

} // namespace assay
