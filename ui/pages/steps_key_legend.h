#pragma once

#include <QStackedWidget>

namespace assay {

/// The keys of the Steps page, for steps or for pairs.
class StepsKeyLegend : public QStackedWidget
{
    Q_OBJECT
public:
    explicit StepsKeyLegend(QWidget* parent = nullptr);
    void setPairs(bool pairs) { setCurrentIndex(pairs ? 1 : 0); }
};

} // namespace assay
