#pragma once

#include "core/run/probes/model_report.h"

#include <QWidget>

#include <utility>
#include <vector>

class QGridLayout;

namespace assay {

/// What a model folder is, as names and values; values can be selected and copied.
class ModelFacts : public QWidget
{
    Q_OBJECT
public:
    explicit ModelFacts(QWidget* parent = nullptr);
    void setReport(const ModelReport& report);

private:
    QGridLayout* m_grid = nullptr;
};

/// The rows that are shown: name, value.
std::vector<std::pair<QString, QString>> factsOf(const ModelReport& report);
/// "scoring 513.1 MiB, training 2.0 GiB of 20.5 GiB available", or what does not fit.
QString memoryText(const MemoryFacts& memory);

} // namespace assay
