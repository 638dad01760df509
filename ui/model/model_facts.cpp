#include "ui/model/model_facts.h"

#include "ui/number_text.h"
#include "ui/widgets/text_label.h"

#include <QGridLayout>

namespace assay {

namespace {

QString plain(const std::string& text)
{
    return QString::fromStdString(text);
}

QString headText(const ModelReport& report)
{
    if (!report.head)
        return report.languageHead ? QStringLiteral("language head only: no trained reward head")
                                   : QStringLiteral("none: no trained reward head");
    const auto& head = *report.head;
    QStringList parts{head.perToken ? QStringLiteral("every step") : QStringLiteral("whole answer"),
                      head.outputs == 1 ? QStringLiteral("1 output")
                                        : QStringLiteral("%1 outputs").arg(countText(head.outputs))};
    if (head.hidden > 0)
        parts << QStringLiteral("behind a hidden layer of %1").arg(countText(head.hidden));
    parts << (head.bias ? QStringLiteral("with bias") : QStringLiteral("without bias"));
    if (!head.declaration.empty())
        parts << QStringLiteral("read as %1").arg(plain(head.declaration));
    return parts.join(QStringLiteral(", "));
}

QString tokenizerText(const TokenizerFacts& tokenizer)
{
    if (tokenizer.vocabulary == 0)
        return QStringLiteral("cannot be opened: ") + plain(tokenizer.problem);
    QString text =
        QStringLiteral("%1, %2 tokens").arg(plain(tokenizer.file), countText(tokenizer.vocabulary));
    for (const auto& [name, piece] : tokenizer.special)
        text += QStringLiteral(", %1 %2").arg(plain(name), plain(piece));
    return text;
}

} // namespace

QString memoryText(const MemoryFacts& memory)
{
    if (memory.scoring == 0)
        return QStringLiteral("not known");
    const auto fits = [&memory](std::int64_t bytes) {
        return memory.available == 0 || bytes <= memory.available
                   ? bytesText(bytes)
                   : bytesText(bytes) + QStringLiteral(" (does not fit)");
    };
    QString text = QStringLiteral("scoring and frozen training %1, training %2")
                       .arg(fits(memory.scoring), fits(memory.training));
    if (memory.available > 0)
        text += QStringLiteral(", of %1 available; activations come on top").arg(bytesText(memory.available));
    return text;
}

std::vector<std::pair<QString, QString>> factsOf(const ModelReport& report)
{
    const QString positions = report.ropeType == "learned"
                                  ? QStringLiteral("%1, learned").arg(countText(report.positions))
                                  : QStringLiteral("%1, rotary %2, base %3")
                                        .arg(countText(report.positions), plain(report.ropeType),
                                             QString::number(report.ropeTheta, 'g', 7));
    std::vector<std::pair<QString, QString>> rows{
        {QStringLiteral("Family"),
         report.architecture.empty()
             ? plain(report.familyTitle)
             : QStringLiteral("%1, %2").arg(plain(report.familyTitle), plain(report.architecture))},
        {QStringLiteral("Size"), QStringLiteral("%1 weights, %2 layers, width %3, MLP %4")
                                     .arg(countText(report.parameters), countText(report.layers),
                                          countText(report.width), countText(report.mlpWidth))},
        {QStringLiteral("Attention"),
         QStringLiteral("%1 heads of %2, %3 for keys and values")
             .arg(countText(report.heads), countText(report.headWidth), countText(report.keyValueHeads))},
        {QStringLiteral("Positions"), positions},
        {QStringLiteral("Head"), headText(report)},
        {QStringLiteral("Tokenizer"), tokenizerText(report.tokenizer)},
        {QStringLiteral("Chat template"),
         report.tokenizer.chatTemplate ? QStringLiteral("yes") : QStringLiteral("none")},
        {QStringLiteral("On disk"),
         QStringLiteral("%1, %2, SHA-256 %3…")
             .arg(plain(report.dtype.empty() ? "type not said" : report.dtype), bytesText(report.weightBytes),
                  plain(report.weightsHash.substr(0, 12)))},
        {QStringLiteral("Memory"), memoryText(report.memory)}};
    if (!report.rewards.empty())
        rows.insert(rows.begin() + 5, {QStringLiteral("Rewards"), plain(report.rewards)});
    return rows;
}

ModelFacts::ModelFacts(QWidget* parent)
    : QWidget(parent)
    , m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(scaled(16));
    m_grid->setVerticalSpacing(scaled(6));
    m_grid->setColumnStretch(1, 1);
}

void ModelFacts::setReport(const ModelReport& report)
{
    while (auto* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const auto& [name, value] : factsOf(report)) {
        auto* label = new TextLabel(name, TextSize::Body, &Palette::text2);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        auto* text = new TextLabel(value);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        text->setObjectName(QStringLiteral("fact.") + name);
        text->setAccessibleName(name);
        m_grid->addWidget(label, row, 0);
        m_grid->addWidget(text, row, 1);
        ++row;
    }
}

} // namespace assay
