#pragma once

#include "core/config/fields.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace assay {

/// The control of one field, chosen by its type. It speaks the text form of the field table, so that form,
/// flag and file read a value alike.
class FieldEditor : public QWidget
{
    Q_OBJECT
public:
    explicit FieldEditor(const Field& field, QWidget* parent = nullptr);

    QString text() const;
    /// Emits nothing.
    void setText(const QString& text);
    /// A red border; the sentence beside it is the row's business.
    void setInvalid(bool invalid);
    /// The widget that takes the keyboard and carries the accessible name.
    QWidget* control() const;

Q_SIGNALS:
    void edited();

private:
    void makeLine();
    void makePath();
    void choosePath();

    const Field& m_field;
    QCheckBox* m_check = nullptr;
    QComboBox* m_combo = nullptr;
    QLineEdit* m_line = nullptr;
};

} // namespace assay
