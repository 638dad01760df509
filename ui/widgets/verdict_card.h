#pragma once

#include "core/store/records.h"
#include "ui/widgets/badge.h"

#include <QWidget>

class QLabel;

namespace assay {

/// A verdict as a card: coloured edge, soft ground, icon, the word in bold and the sentence behind it.
class VerdictCard : public QWidget
{
    Q_OBJECT
public:
    explicit VerdictCard(QWidget* parent = nullptr);
    /// Hides itself while the run has no verdict.
    void showVerdict(const RunSummary& run);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();
    QRect textRect(int width) const;

    BadgeLook m_look;
    QString m_word, m_sentence;
};

} // namespace assay
