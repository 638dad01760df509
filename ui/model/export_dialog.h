#pragma once

#include "ui/model/model_requests.h"

#include <QDialog>

class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLineEdit;
class QPushButton;

namespace assay {

class TextLabel;

/// Asks what `assay export` asks, runs it on the engine and says what became of it.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    /// `requests` outlives the dialog. `step` 0 = the newest checkpoint; `name` is how people know the run.
    ExportDialog(ModelRequests& requests, const QString& run, qint64 step, const QString& name,
                 QWidget* parent = nullptr);

    /// The same as a command line; the error of a size that is none.
    Result<QString> command() const;
    bool running() const { return m_running; }

protected:
    /// A running export is stopped first.
    void reject() override;

private:
    QComboBox* addChoice(QFormLayout* form, const QString& label, const char* name,
                         const QList<QPair<QString, QString>>& choices);
    QLineEdit* addLine(QFormLayout* form, const QString& label, const char* name, const QString& placeholder);
    void addFields(QFormLayout* form);
    void addButtons(QHBoxLayout* row);
    void chooseTarget();
    void start();
    void finish(const Result<ExportReport>& report);
    void setRunning(bool running);
    void say(const QString& text, bool fault);
    Result<ModelRequests::ExportRequest> request() const;

    ModelRequests& m_requests;
    QString m_run;
    qint64 m_step;
    bool m_running = false;
    QLineEdit *m_target = nullptr, *m_shards = nullptr, *m_temperature = nullptr, *m_centre = nullptr,
              *m_threshold = nullptr;
    QComboBox *m_format = nullptr, *m_dtype = nullptr, *m_class = nullptr, *m_bias = nullptr,
              *m_aggregation = nullptr;
    QPushButton *m_export = nullptr, *m_copy = nullptr, *m_close = nullptr;
    QWidget* m_fields = nullptr;
    TextLabel* m_message = nullptr;
};

/// What an export says when it is done.
QString exportedText(const ExportReport& report);

} // namespace assay
