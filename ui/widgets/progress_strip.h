#pragma once

#include <QWidget>

namespace assay {

/// Progress of a run in ten segments.
class ProgressStrip : public QWidget
{
    Q_OBJECT
public:
    explicit ProgressStrip(QWidget* parent = nullptr);
    /// In [0, 1]; `muted` = not in progress any more.
    void setShare(double share, bool muted);
    double share() const { return m_share; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double m_share = 0.0;
    bool m_muted = false;
};

} // namespace assay
