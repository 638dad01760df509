#pragma once

#include "core/config/fields.h"

#include <QWidget>

class QPushButton;

namespace assay {

class FieldEditor;
class IconLabel;
class TextLabel;

/// A row of the form: changed bar, label, control, unit, a fact or "default x" to revert, and below it what
/// is wrong or doubtful.
class FieldRow : public QWidget
{
    Q_OBJECT
public:
    explicit FieldRow(const Field& field, QWidget* parent = nullptr);

    const Field& field() const { return m_field; }
    FieldEditor& editor() { return *m_editor; }

    /// A 4 px bar before the label and a way back. `origin` is what the value is compared with ("default",
    /// "run"), `value` what it was there, as text.
    void setChanged(bool changed, const QString& origin, const QString& value);
    bool isChanged() const { return m_changed; }
    /// What is wrong and what is allowed; empty = all is well.
    void setProblem(const QString& sentence);
    QString problem() const;
    /// A fact about the value beside it ("128,000 examples"); empty = none.
    void setHint(const QString& fact);
    QString hint() const;
    /// A warning below the control; a problem comes before it. Empty = none.
    void setNote(const QString& sentence);
    QString note() const { return m_note; }
    /// Whether every word of the text stands in the row's label, id, help or choices.
    bool matches(const QString& text) const;

Q_SIGNALS:
    void edited();
    void revertAsked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void makeBelow();
    void showBelow();
    void showSide();

    const Field& m_field;
    FieldEditor* m_editor = nullptr;
    QPushButton* m_revert = nullptr;
    TextLabel* m_hint = nullptr;
    QWidget* m_below = nullptr;
    IconLabel* m_belowIcon = nullptr;
    TextLabel* m_belowText = nullptr;
    QString m_problem, m_note, m_back;
    bool m_changed = false;
};

} // namespace assay
