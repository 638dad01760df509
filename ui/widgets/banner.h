#pragma once

#include "ui/widgets/badge.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace assay {

/// The verdict or an error in one sentence, with its evidence, one primary action and at most two others.
class Banner : public QWidget
{
    Q_OBJECT
public:
    explicit Banner(QWidget* parent = nullptr);

    /// An empty sentence hides the banner. All texts are plain.
    void show(const BadgeLook& look, const QString& sentence, const QString& evidence);
    QString sentence() const;
    /// Adds a button; the first one added as primary is filled.
    QPushButton* addAction(const QString& text, Icon icon, bool primary);
    /// One line of evidence, for a narrow window.
    void setCompact(bool compact);
    /// What is folded under `Why?`; empty = no such button.
    void setDetails(const QString& details);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void layOutEvidence();

    BadgeLook m_look;
    QString m_evidence;
    QLabel* m_sentence = nullptr;
    QLabel* m_evidenceLabel = nullptr;
    QLabel* m_details = nullptr;
    QPushButton* m_why = nullptr;
    QHBoxLayout* m_buttons = nullptr;
    bool m_compact = false;
};

} // namespace assay
