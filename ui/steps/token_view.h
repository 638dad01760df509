#pragma once

#include "core/run/session.h"

#include <QWidget>

#include <vector>

class QPainter;

namespace assay {

/// Token sequences as wrapped boxes in the code font: spaces shown as dots, read-out tokens inverted with
/// their label below, special tokens in a frame, what the layout cut struck through. Every token has a
/// tooltip with id, role and label.
class TokenStrip : public QWidget
{
    Q_OBJECT
public:
    explicit TokenStrip(QWidget* parent = nullptr);

    void setTokens(std::vector<TokenView::Token> tokens);
    const std::vector<TokenView::Token>& tokens() const { return m_tokens; }
    /// Tokens of this step get the selection ground; -1 = none.
    void setCurrentStep(int step);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// A token of a step was clicked.
    void stepClicked(int step);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Box
    {
        QRect rect;
        QString text;
    };
    /// One box per token for a given width.
    std::vector<Box> layOut(int width) const;
    /// Whether this token and the one before are each the only one of their step: rows that label every token
    /// flow on, they do not take a line for each.
    bool stepsOfOneToken(std::size_t at) const;
    void paintToken(QPainter* painter, const TokenView::Token& token, const Box& box) const;
    int tokenAt(const QPoint& position) const;

    std::vector<TokenView::Token> m_tokens;
    std::vector<Box> m_boxes;
    int m_currentStep = -1;
};

/// What a token box shows: dots for spaces, ⏎ for line breaks.
QString visibleTokenText(const std::string& text);

} // namespace assay
