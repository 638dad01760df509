#include "ui/ui_settings.h"

#include <QSettings>

namespace assay {

namespace {

/// Raised whenever pages or splitters change, because an old state would put panes in wrong places.
constexpr int kLayoutVersion = 1;

} // namespace

UiSettings::UiSettings()
    : m_settings(std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                             QStringLiteral("assay"), QStringLiteral("window")))
{
    checkLayoutVersion();
}

UiSettings::UiSettings(const QString& file)
{
    if (!file.isEmpty()) {
        m_settings = std::make_unique<QSettings>(file, QSettings::IniFormat);
        checkLayoutVersion();
    }
}

UiSettings::~UiSettings() = default;

void UiSettings::checkLayoutVersion()
{
    if (m_settings->value(QStringLiteral("layout/version")).toInt() != kLayoutVersion) {
        m_settings->remove(QStringLiteral("layout"));
        m_settings->setValue(QStringLiteral("layout/version"), kLayoutVersion);
    }
}

ThemeChoice UiSettings::theme() const
{
    const QString value = text(QStringLiteral("theme"));
    if (value == QLatin1String("light"))
        return ThemeChoice::Light;
    return value == QLatin1String("dark") ? ThemeChoice::Dark : ThemeChoice::System;
}

void UiSettings::setTheme(ThemeChoice theme)
{
    setText(QStringLiteral("theme"), theme == ThemeChoice::Light  ? QStringLiteral("light")
                                     : theme == ThemeChoice::Dark ? QStringLiteral("dark")
                                                                  : QStringLiteral("system"));
}

QByteArray UiSettings::layout(const QString& name) const
{
    return m_settings ? m_settings->value(QStringLiteral("layout/") + name).toByteArray() : QByteArray();
}

void UiSettings::setLayout(const QString& name, const QByteArray& state)
{
    if (m_settings)
        m_settings->setValue(QStringLiteral("layout/") + name, state);
}

void UiSettings::resetLayout()
{
    if (m_settings) {
        m_settings->remove(QStringLiteral("layout"));
        m_settings->setValue(QStringLiteral("layout/version"), kLayoutVersion);
    }
}

QString UiSettings::text(const QString& key, const QString& fallback) const
{
    return m_settings ? m_settings->value(key, fallback).toString() : fallback;
}

void UiSettings::setText(const QString& key, const QString& value)
{
    if (m_settings)
        m_settings->setValue(key, value);
}

} // namespace assay
