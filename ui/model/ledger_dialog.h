#pragma once

#include "ui/model/model_requests.h"

#include <QDialog>

namespace assay {

/// What loading its model did to every tensor when a run began.
class LedgerDialog : public QDialog
{
    Q_OBJECT
public:
    /// `name` is how people know the run.
    LedgerDialog(ModelRequests& requests, const RunId& run, const QString& name, QWidget* parent = nullptr);
};

} // namespace assay
