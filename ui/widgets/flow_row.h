#pragma once

#include <QWidget>

#include <vector>

namespace assay {

/// Buttons side by side that wrap into further rows when the width is not enough.
class FlowRow : public QWidget
{
    Q_OBJECT
public:
    explicit FlowRow(QWidget* parent = nullptr);

    /// Takes the widget over.
    void add(QWidget* item);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// To be called when the texts of the items changed.
    void rearrange();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    std::vector<QRect> layOut(int width) const;

    std::vector<QWidget*> m_items;
};

} // namespace assay
