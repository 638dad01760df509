#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

namespace assay {

/// A line of key caps with what they do; what does not fit is left out from the end, never cut.
class KeyLegend : public QWidget
{
    Q_OBJECT
public:
    struct Entry
    {
        QStringList keys;
        QString text;
    };

    explicit KeyLegend(std::vector<Entry> entries, Qt::Alignment alignment = Qt::AlignRight,
                       QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int entryWidth(const Entry& entry) const;

    std::vector<Entry> m_entries;
    Qt::Alignment m_alignment;
};

} // namespace assay
