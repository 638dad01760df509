#pragma once

#include "ui/theme.h"

#include <QByteArray>
#include <QString>

#include <memory>

class QSettings;

namespace assay {

/// What the window remembers between starts. A layout saved by another layout version is ignored, never
/// guessed at.
class UiSettings
{
public:
    /// The user's own settings file.
    UiSettings();
    /// A given file (tests); an empty path remembers nothing.
    explicit UiSettings(const QString& file);
    ~UiSettings();

    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);

    /// Geometry and splitter states, by the object name of what they belong to.
    QByteArray layout(const QString& name) const;
    void setLayout(const QString& name, const QByteArray& state);
    void resetLayout();

    QString text(const QString& key, const QString& fallback = {}) const;
    void setText(const QString& key, const QString& value);

private:
    void checkLayoutVersion();

    std::unique_ptr<QSettings> m_settings; ///< null = remember nothing
};

} // namespace assay
