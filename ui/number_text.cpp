#include "ui/number_text.h"

#include <QLocale>

#include <array>
#include <cmath>

namespace assay {

namespace {

constexpr char16_t kNoBreakSpace = 0x00a0;
constexpr char16_t kMinus = 0x2212;

QString withMinus(QString text)
{
    return text.replace(QLatin1Char('-'), QChar(kMinus));
}

} // namespace

QString metricText(std::optional<double> value, int decimals)
{
    if (!value)
        return QStringLiteral("–");
    if (std::isnan(*value))
        return QStringLiteral("NaN");
    if (std::isinf(*value))
        return *value > 0 ? QStringLiteral("∞") : QString(QChar(kMinus)) + QStringLiteral("∞");
    return withMinus(QLocale::c().toString(*value, 'f', decimals));
}

QString intervalText(std::optional<double> low, std::optional<double> high)
{
    if (!low || !high)
        return {};
    return QStringLiteral("[%1, %2]").arg(metricText(low), metricText(high));
}

QString countText(std::int64_t value)
{
    return withMinus(QLocale(QLocale::English).toString(static_cast<qlonglong>(value)));
}

QString percentText(double share, int decimals)
{
    return metricText(100.0 * share, decimals) + QChar(kNoBreakSpace) + QLatin1Char('%');
}

QString durationText(double seconds)
{
    const auto unit = [](const QString& number, const char* name) {
        return number + QChar(kNoBreakSpace) + QLatin1String(name);
    };
    if (!(seconds >= 0.0) || std::isinf(seconds))
        return QStringLiteral("–");
    if (seconds < 10.0)
        return unit(QLocale::c().toString(seconds, 'f', 1), "s");
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    if (whole < 60)
        return unit(QString::number(whole), "s");
    if (whole < 600)
        return unit(QString::number(whole / 60), "min") + QLatin1Char(' ') +
               unit(QString::number(whole % 60), "s");
    if (whole < 3600)
        return unit(QString::number(whole / 60), "min");
    return unit(QString::number(whole / 3600), "h") + QLatin1Char(' ') +
           unit(QString::number(whole % 3600 / 60), "min");
}

QString bytesText(std::int64_t bytes)
{
    static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t index = 0;
    while (value >= 1024.0 && index + 1 < kUnits.size()) {
        value /= 1024.0;
        ++index;
    }
    return QLocale::c().toString(value, 'f', index == 0 ? 0 : 1) + QChar(kNoBreakSpace) +
           QLatin1String(kUnits[index]);
}

QString rateText(double value)
{
    if (value != 0.0 && std::isfinite(value) && (std::abs(value) < 1e-3 || std::abs(value) >= 1e4))
        return withMinus(
            QLocale::c().toString(value, 'e', 1).replace(QLatin1String("e-0"), QLatin1String("e-")));
    return withMinus(QLocale::c().toString(value, 'g', 3));
}

} // namespace assay
