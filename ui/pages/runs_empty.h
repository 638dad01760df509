#pragma once

#include <QWidget>

namespace assay {

/// The Runs page of a store without runs: what Assay does, and the two ways to begin.
class RunsEmpty : public QWidget
{
    Q_OBJECT
public:
    explicit RunsEmpty(const QString& storePath, QWidget* parent = nullptr);

Q_SIGNALS:
    void demoRequested();
    void experimentRequested();
};

} // namespace assay
