#pragma once

#include "ui/experiment/draft.h"

#include <QString>
#include <QUndoCommand>

#include <functional>

namespace assay {

class ConfigForm;

/// One edited field; edits of the same field in a row are one step back.
class EditField : public QUndoCommand
{
public:
    EditField(ConfigForm& form, const QString& id, const QString& before, const QString& after);

    void undo() override;
    void redo() override;
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override;

private:
    ConfigForm& m_form;
    QString m_id, m_before, m_after;
    bool m_done = true; ///< the user has done it already when the command is pushed
};

/// Another experiment in the form: loaded, cloned, or begun anew.
class ReplaceExperiment : public QUndoCommand
{
public:
    using Apply = std::function<void(const ExperimentDraft&)>;
    ReplaceExperiment(ExperimentDraft before, ExperimentDraft after, const QString& text, Apply apply);

    void undo() override { m_apply(m_before); }
    void redo() override { m_apply(m_after); }

private:
    ExperimentDraft m_before, m_after;
    Apply m_apply;
};

} // namespace assay
