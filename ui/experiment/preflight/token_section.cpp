#include "ui/experiment/preflight/token_section.h"

#include "ui/experiment/preflight/caption.h"
#include "ui/icons.h"
#include "ui/number_text.h"
#include "ui/run_controller.h"
#include "ui/steps/reward_paint.h"
#include "ui/steps/token_view.h"
#include "ui/theme.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace assay {

namespace {

QPushButton* arrow(Icon id, const QString& name)
{
    auto* button = new QPushButton(icon(id), QString());
    button->setProperty("small", true);
    button->setFixedWidth(scaled(28));
    button->setToolTip(name);
    button->setAccessibleName(name);
    return button;
}

/// What the shapes under read-outs mean.
class LabelKey : public QWidget
{
public:
    LabelKey() { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }

    QSize sizeHint() const override
    {
        const QFontMetrics metrics(textFont(TextSize::Tick));
        int width = 0;
        for (const auto& [kind, word] : entries())
            width += metrics.horizontalAdvance(word) + scaled(22);
        return {width, scaled(18)};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setFont(textFont(TextSize::Tick));
        int x = 0;
        for (const auto& [kind, word] : entries()) {
            paintLabelShape(&painter, QPointF(x + scaled(5), height() / 2.0), scaled(3.5), kind);
            painter.setPen(colors().text2);
            const int width = painter.fontMetrics().horizontalAdvance(word) + scaled(2);
            painter.drawText(QRect(x + scaled(12), 0, width, height()), Qt::AlignVCenter, word);
            x += width + scaled(20);
        }
    }

private:
    static std::vector<std::pair<LabelKind, QString>> entries()
    {
        return {{LabelKind::Correct, TokenSection::tr("read-out, correct")},
                {LabelKind::Wrong, TokenSection::tr("read-out, wrong")}};
    }
};

} // namespace

TokenSection::TokenSection(RunController& controller, QWidget* parent)
    : QWidget(parent)
    , m_controller(controller)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, scaled(8));
    column->setSpacing(scaled(8));
    column->addWidget(new RuleLine);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(scaled(12), 0, scaled(12), 0);
    line->setSpacing(scaled(8));
    auto* caption = makeCaption(tr("Token view"));
    line->addWidget(caption);
    m_title = new TextLabel(QString(), TextSize::Table, &Palette::text3);
    m_title->setElided(true);
    line->addWidget(m_title, 1);
    line->addWidget(new LabelKey);
    m_previous = arrow(Icon::ChevronLeft, tr("Previous row"));
    m_next = arrow(Icon::ChevronRight, tr("Next row"));
    m_next->setObjectName(QStringLiteral("next-row"));
    line->addWidget(m_previous);
    line->addWidget(m_next);
    column->addLayout(line);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(scaled(12), 0, scaled(12), 0);
    body->setSpacing(scaled(6));
    m_cut = new TextLabel(QString(), TextSize::Table, &Palette::err);
    m_cut->setWordWrap(true);
    m_cut->hide();
    m_tokens = new TokenStrip;
    body->addWidget(m_cut);
    body->addWidget(m_tokens);
    column->addLayout(body);
    connect(m_previous, &QPushButton::clicked, this, [this] { requestRow(m_row - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { requestRow(m_row + 1); });
}

void TokenSection::setExperiment(const ExperimentConfig& config, qint64 rows)
{
    m_config = config;
    m_rows = rows;
    setVisible(rows > 0);
    requestRow(std::min(m_row, std::max<qint64>(0, rows - 1)));
}

void TokenSection::requestRow(qint64 row)
{
    if (!m_config || row < 0 || row >= m_rows)
        return;
    m_row = row;
    m_pending = true;
    m_previous->setEnabled(row > 0);
    m_next->setEnabled(row + 1 < m_rows);
    m_controller.requestTokens(*m_config, row, this, [this, row](const Result<TokenView>& view) {
        if (row == m_row)
            showRow(view);
    });
}

void TokenSection::showRow(const Result<TokenView>& view)
{
    m_pending = false;
    QString which = tr("training row %1 of %2").arg(countText(m_row + 1), countText(m_rows));
    if (!view) {
        m_title->setText(which);
        m_cut->setText(QString::fromStdString(view.error().text()));
        m_cut->show();
        m_tokens->setTokens({});
        return;
    }
    if (view->fileRow >= 0 && view->fileRow != m_row)
        which += tr(" (row %1 of its file)").arg(countText(view->fileRow + 1));
    const auto kept =
        std::count_if(view->tokens.begin(), view->tokens.end(), [](const auto& token) { return !token.cut; });
    const auto readOuts = std::count_if(view->tokens.begin(), view->tokens.end(),
                                        [](const auto& token) { return token.readOut && !token.cut; });
    m_title->setText(tr("%1, %2 tokens, %3 read-outs").arg(which, countText(kept), countText(readOuts)));
    m_cut->setText(QString::fromStdString(view->cutText));
    m_cut->setVisible(!view->cutText.empty());
    m_tokens->setTokens(view->tokens);
}

} // namespace assay
