#pragma once

#include "core/config/fields.h"

#include <QWidget>

class QPushButton;

namespace assay {

class FieldEditor;
class IconLabel;
class TextLabel;

/// A row of the form: changed bar, label, control, unit, "default x" to revert, and below it what is wrong.
class FieldRow : public QWidget
{
    Q_OBJECT
public:
    explicit FieldRow(const Field& field, QWidget* parent = nullptr);

    const Field& field() const { return m_field; }
    FieldEditor& editor() { return *m_editor; }

    /// A 4 px bar before the label and a way back to the default.
    void setChanged(bool changed);
    bool isChanged() const { return m_changed; }
    /// What is wrong and what is allowed; empty = all is well.
    void setProblem(const QString& sentence);
    QString problem() const;
    /// Whether the row's label, id, help or choices contain the text.
    bool matches(const QString& text) const;

Q_SIGNALS:
    void edited();
    void revertAsked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Field& m_field;
    FieldEditor* m_editor = nullptr;
    QPushButton* m_revert = nullptr;
    QWidget* m_problemRow = nullptr;
    TextLabel* m_problem = nullptr;
    bool m_changed = false;
};

} // namespace assay
