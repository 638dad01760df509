#include "ui/model/try_it_pane.h"

#include "ui/number_text.h"
#include "ui/steps/token_view.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QVBoxLayout>

namespace assay {

namespace {

constexpr int kPauseMilliseconds = 350;

const char* const kPrompt = "Lily has 2 apples and finds 3 more. How many apples does she have?";
const char* const kParts = "She has 2 + 3 = 5 apples.\nSo she has 6 apples.";

} // namespace

QStringList scoreLines(const ModelRequests::TrialLook& look, const TrialAnswer& answer)
{
    QStringList lines;
    for (std::size_t i = 0; i < answer.values.size(); ++i) {
        const auto& value = answer.values[i];
        const QString name =
            look.steps ? QStringLiteral("Step %1").arg(i + 1) : QStringLiteral("Answer %1").arg(i + 1);
        if (!value) {
            lines << name + QStringLiteral(": cut away by the layout");
            continue;
        }
        QString line = look.steps ? QStringLiteral("%1: probability %2, score %3")
                                        .arg(name, metricText(value->reward), metricText(value->score))
                                  : QStringLiteral("%1: reward %2").arg(name, metricText(value->reward));
        if (value->correct)
            line += *value->correct ? QStringLiteral(", correct") : QStringLiteral(", wrong");
        lines << line;
    }
    if (answer.reward)
        lines << QStringLiteral("Whole answer: %1").arg(metricText(*answer.reward));
    return lines;
}

TryItPane::TryItPane(ModelRequests& requests, QWidget* parent)
    : QWidget(parent)
    , m_requests(requests)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(scaled(12), scaled(12), scaled(12), scaled(12));
    column->setSpacing(scaled(6));
    column->addWidget(new TextLabel(tr("Try it"), TextSize::Section));
    column->addWidget(new TextLabel(tr("Prompt"), TextSize::Caption, &Palette::text2));
    m_prompt = addEditor(column, QStringLiteral("tryPrompt"), tr("Prompt"));
    m_partsName = new TextLabel(tr("Steps, one per line"), TextSize::Caption, &Palette::text2);
    column->addWidget(m_partsName);
    m_parts = addEditor(column, QStringLiteral("tryParts"), tr("Steps or answers"));
    m_prompt->setPlainText(QString::fromLatin1(kPrompt));
    m_parts->setPlainText(QString::fromLatin1(kParts));
    m_special = new QCheckBox(tr("Take spellings of special tokens as these tokens"));
    m_special->setObjectName(QStringLiteral("trySpecial"));
    connect(m_special, &QCheckBox::toggled, this, &TryItPane::ask);
    column->addWidget(m_special);
    m_note = new TextLabel({}, TextSize::Table, &Palette::text2);
    m_note->setObjectName(QStringLiteral("tryNote"));
    m_note->setWordWrap(true);
    column->addWidget(m_note);
    m_scores = new QWidget;
    m_scoreRows = new QVBoxLayout(m_scores);
    m_scoreRows->setContentsMargins(0, 0, 0, 0);
    m_scoreRows->setSpacing(scaled(4));
    column->addWidget(m_scores);
    m_tokenCount = new TextLabel({}, TextSize::Caption, &Palette::text2);
    column->addWidget(m_tokenCount);
    m_tokens = new TokenStrip;
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("Tokens"));
    scroll->setWidget(m_tokens);
    column->addWidget(scroll, 1);

    m_delay.setSingleShot(true);
    m_delay.setInterval(kPauseMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &TryItPane::ask);
    setModel(std::nullopt);
}

QPlainTextEdit* TryItPane::addEditor(QVBoxLayout* column, const QString& name, const QString& placeholder)
{
    auto* editor = new QPlainTextEdit;
    editor->setObjectName(name);
    editor->setAccessibleName(placeholder);
    editor->setPlaceholderText(placeholder);
    editor->setTabChangesFocus(true);
    editor->setFixedHeight(scaled(72));
    connect(editor, &QPlainTextEdit::textChanged, &m_delay, qOverload<>(&QTimer::start));
    column->addWidget(editor);
    return editor;
}

void TryItPane::setModel(const std::optional<ModelRequest>& request)
{
    m_request = request;
    ++m_number;
    m_waiting = false;
    m_tokens->setTokens({});
    m_tokenCount->setText({});
    m_note->setText({});
    m_special->setVisible(false);
    clearScores();
    setEnabled(request.has_value());
    if (request)
        ask();
    else
        m_requests.forget();
}

TrialText TryItPane::text() const
{
    TrialText text;
    text.prompt = m_prompt->toPlainText().toStdString();
    for (const auto& line : m_parts->toPlainText().split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        text.parts.push_back(line.toStdString());
    text.parseSpecial = m_special->isChecked();
    return text;
}

void TryItPane::ask()
{
    m_delay.stop();
    if (!m_request)
        return;
    if (m_tokens->tokens().empty())
        m_note->setText(tr("Opening the model for scoring…"));
    m_waiting = true;
    m_requests.tryText(*m_request, text(), this,
                       [this, number = ++m_number](const Result<ModelRequests::Tried>& tried) {
                           if (number != m_number)
                               return; // a newer text is on its way
                           m_waiting = false;
                           if (!tried)
                               showError(tried.error());
                           else
                               show(*tried);
                       });
}

void TryItPane::clearScores()
{
    while (auto* item = m_scoreRows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

void TryItPane::show(const ModelRequests::Tried& tried)
{
    const auto& look = tried.look;
    m_partsName->setText(look.steps ? tr("Steps, one per line") : tr("Answers, one per line"));
    m_special->setVisible(look.withoutScores.has_value());
    if (!tried.answer) {
        showError(tried.answer.error());
        return;
    }
    QString note =
        look.withoutScores
            ? tr("Tokens only. No scores: %1").arg(QString::fromStdString(look.withoutScores->text()))
            : tr("Layout %1").arg(look.layout);
    if (!look.rewards.isEmpty())
        note += QStringLiteral("; ") + look.rewards;
    m_note->setText(note);
    clearScores();
    for (const auto& line : scoreLines(look, *tried.answer)) {
        auto* label = new TextLabel(line);
        label->setNumber();
        m_scoreRows->addWidget(label);
    }
    const auto count = static_cast<qint64>(tried.answer->view.tokens.size());
    m_tokenCount->setText(count == 1 ? tr("1 token") : tr("%1 tokens").arg(countText(count)));
    m_tokens->setTokens(tried.answer->view.tokens);
}

void TryItPane::showError(const Error& error)
{
    m_note->setText(QString::fromStdString(error.text()));
    clearScores();
    m_tokenCount->setText({});
    m_tokens->setTokens({});
}

} // namespace assay
