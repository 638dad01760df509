#pragma once

#include <QWidget>

namespace assay {

/// The reward scale with its threshold, between the words for its ends.
class ScaleKey : public QWidget
{
    Q_OBJECT
public:
    explicit ScaleKey(QWidget* parent = nullptr);
    void setThreshold(double threshold);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_threshold = 0.5;
};

} // namespace assay
