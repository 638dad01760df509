#pragma once

#include "core/config/experiment.h"
#include "core/config/fields.h"

#include <QScrollArea>

#include <map>
#include <vector>

class QVBoxLayout;

namespace assay {

class FieldRow;
class FormGroup;

/// The form of an experiment, made from the field table: one row per field, groups that fold, conditions,
/// changed markers, validation in place.
class ConfigForm : public QScrollArea
{
    Q_OBJECT
public:
    explicit ConfigForm(QWidget* parent = nullptr);

    const ExperimentConfig& config() const { return m_config; }
    /// Fills every control; emits configChanged.
    void setConfig(const ExperimentConfig& config);
    /// Sets one field from its text form, as if it had been typed.
    void setField(const QString& id, const QString& text);

    /// Everything that keeps the experiment from starting: texts that are no value, and what `validate` says.
    const std::vector<FieldProblem>& problems() const { return m_problems; }
    /// False while some control holds a text that is no value of its field.
    bool allReadable() const { return m_unreadable.empty(); }

    const std::vector<FormGroup*>& groups() const { return m_groups; }
    FieldRow* row(const QString& id) const;
    /// Shows rows whose label, key or help contains the text; empty = all.
    void setSearch(const QString& text);
    void setOnlyChanged(bool only);
    /// What "changed" means: different from `baseline`, which `word` names ("default", "run").
    void setBaseline(const ExperimentConfig& baseline, const QString& word);
    /// Facts beside fields and warnings below them, by field id; fields that are not named have none.
    void setRemarks(const std::map<QString, QString>& hints, const std::map<QString, QString>& notes);
    /// Texts in controls that are no value of their field, by id (for drafts).
    std::map<QString, QString> unreadableTexts() const;
    /// Opens the group and scrolls to it.
    void showGroup(const QString& id);
    /// Opens the row's group, scrolls to it and gives it the keyboard.
    void showField(const QString& id);

Q_SIGNALS:
    /// A field got another value.
    void configChanged();
    /// Counts, problems or visible rows may have changed.
    void stateChanged();
    /// No row is left by search and "only changed", and the user wants all of them back.
    void showAllAsked();
    /// The user edited one field, from one text form to another (for undo).
    void fieldEdited(const QString& id, const QString& before, const QString& after);

private:
    void rowEdited(FieldRow* row);
    void refresh();
    void refreshVisible();
    QWidget* makeNothing();
    QString summaryOf(const FormGroup& group) const;

    ExperimentConfig m_config, m_baseline;
    QString m_baselineWord;
    std::vector<FormGroup*> m_groups;
    std::map<QString, FieldRow*> m_rows;
    std::map<QString, QString> m_unreadable; ///< id -> why the text in the control is no value
    std::vector<FieldProblem> m_problems;
    QWidget* m_nothing = nullptr; ///< shown when no row is left
    QString m_search;
    bool m_onlyChanged = false;
};

} // namespace assay
