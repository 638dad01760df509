#pragma once

#include "core/base/result.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QLineEdit;

namespace assay {

class TextLabel;

/// A line to type a filter in; applied shortly after the last key, at once with Enter. What cannot be
/// understood is said below the line, with its place, and the line keeps what was typed.
class FilterLine : public QWidget
{
    Q_OBJECT
public:
    explicit FilterLine(const QString& placeholder, const QString& accessibleName, QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString& text);
    void setError(const std::optional<Error>& error);
    QString errorText() const;
    QLineEdit* edit() const { return m_edit; }

Q_SIGNALS:
    /// A changed text to filter by, trimmed.
    void filterChanged(const QString& text);

private:
    void apply();

    QLineEdit* m_edit = nullptr;
    QWidget* m_errorRow = nullptr;
    TextLabel* m_errorText = nullptr;
    QString m_applied;
    QTimer m_delay;
};

} // namespace assay
