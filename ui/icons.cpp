#include "ui/icons.h"

#include "core/base/check.h"
#include "core/base/embedded_file.h"

#include <QIconEngine>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace assay {

/// The files of resources/icons, compiled in.
std::span<const EmbeddedFile> embeddedIcons();

namespace {

constexpr std::array<std::string_view, 47> kNames = {
    "runs",         "experiment",   "run",          "steps",    "model",        "search",        "filter",
    "columns",      "plus",         "close",        "more",     "chevron-left", "chevron-right", "chevron-up",
    "chevron-down", "pin",          "tag",          "note",     "archive",      "trash",         "edit",
    "copy",         "open",         "save",         "terminal", "revert",       "resume",        "expand",
    "swap",         "play",         "pause",        "stop",     "evaluate",     "clock",         "processor",
    "check",        "check-circle", "cross-circle", "warning",  "error",        "info",          "trend",
    "always-true",  "flat",         "slider",       "drop",     "zigzag"};
static_assert(kNames.size() == static_cast<std::size_t>(Icon::Zigzag) + 1);

QByteArray source(Icon id)
{
    const auto name = std::string(kNames[static_cast<std::size_t>(id)]) + ".svg";
    for (const auto& file : embeddedIcons())
        if (file.name == name)
            return {file.content.data(), static_cast<qsizetype>(file.content.size())};
    CHECK(false, "icon without a file: " + name);
}

QSvgRenderer& renderer(Icon id, const QColor& color)
{
    // Parsed once per icon and colour; only the GUI thread paints.
    static std::map<std::pair<int, QRgb>, std::unique_ptr<QSvgRenderer>> cache;
    auto& entry = cache[{static_cast<int>(id), color.rgba()}];
    if (!entry) {
        QByteArray svg = source(id);
        svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
        entry = std::make_unique<QSvgRenderer>(svg);
        CHECK(entry->isValid(), "icon that is no SVG");
    }
    return *entry;
}

class TokenIconEngine : public QIconEngine
{
public:
    TokenIconEngine(Icon id, ColorRole role)
        : m_id(id)
        , m_role(role)
    {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        paintIcon(painter, rect, m_id, inkOf(mode));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override
    {
        const QColor color = inkOf(mode);
        const QString key = QStringLiteral("icon %1 %2 %3x%4")
                                .arg(static_cast<int>(m_id))
                                .arg(color.rgba(), 0, 16)
                                .arg(size.width())
                                .arg(size.height());
        QPixmap result;
        if (QPixmapCache::find(key, &result))
            return result;
        result = QPixmap(size);
        result.fill(Qt::transparent);
        QPainter painter(&result);
        paintIcon(&painter, QRect(QPoint(0, 0), size), m_id, color);
        painter.end();
        QPixmapCache::insert(key, result);
        return result;
    }
    QIconEngine* clone() const override { return new TokenIconEngine(m_id, m_role); }

private:
    QColor inkOf(QIcon::Mode mode) const
    {
        const Palette& p = colors();
        return mode == QIcon::Disabled ? p.disabled : p.*m_role;
    }

    Icon m_id;
    ColorRole m_role;
};

} // namespace

QIcon icon(Icon id, ColorRole role)
{
    return QIcon(new TokenIconEngine(id, role));
}

void paintIcon(QPainter* painter, const QRectF& rect, Icon id, const QColor& color)
{
    const double side = std::min(rect.width(), rect.height());
    const QRectF square(rect.center().x() - side / 2, rect.center().y() - side / 2, side, side);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    renderer(id, color).render(painter, square);
    painter->restore();
}

} // namespace assay
