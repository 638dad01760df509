#include "core/store/filter/filter_values.h"

#include "core/store/records.h"

#include <charconv>
#include <cmath>
#include <ctime>

namespace assay {

namespace {

Error badValue(const std::string& what)
{
    return {ErrorCode::Usage, what, "value"};
}

Error badOperator(const std::string& what)
{
    return {ErrorCode::Usage, what, "operator"};
}

/// SQL spelling of an ordering or equality; empty for ~ and !~.
std::string ordering(const std::string& comparator)
{
    if (comparator == "==")
        return "=";
    if (comparator == "<>")
        return "!=";
    return comparator == "~" || comparator == "!~" ? "" : comparator;
}

bool isEquality(const std::string& sql)
{
    return sql == "=" || sql == "!=";
}

Filter condition(const FilterField& field, const std::string& tail, std::vector<SqlValue> values)
{
    Filter result;
    result.sql = "(" + field.sql + tail + ")";
    result.values = field.values;
    for (auto& value : values)
        result.values.push_back(std::move(value));
    return result;
}

std::optional<double> plainNumber(std::string_view text)
{
    double value = 0.0;
    if (!text.empty() && text.front() == '+')
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

Result<Filter> compareNumber(const FilterField& field, const std::string& comparator, const std::string& text)
{
    const std::string sql = ordering(comparator);
    if (sql.empty())
        return badOperator("numbers are compared with = != < <= > >=");
    const bool percent = !text.empty() && text.back() == '%';
    const auto value = plainNumber(percent ? std::string_view(text).substr(0, text.size() - 1) : text);
    if (!value)
        return badValue("\"" + field.name + "\" needs a number");
    return condition(field, " " + sql + " ?", {percent ? *value / 100.0 : *value});
}

Result<Filter> compareDuration(const FilterField& field, const std::string& comparator,
                               const std::string& text)
{
    const std::string sql = ordering(comparator);
    if (sql.empty())
        return badOperator("durations are compared with = != < <= > >=");
    const auto unitAt = text.find_first_not_of("0123456789.");
    const std::string unit = unitAt == std::string::npos ? "s" : lowered(text.substr(unitAt));
    const auto value = plainNumber(text.substr(0, unitAt));
    const double seconds = unit == "s"     ? 1.0
                           : unit == "min" ? 60.0
                           : unit == "h"   ? 3600.0
                           : unit == "d"   ? 86400.0
                                           : 0.0;
    if (!value || seconds == 0.0)
        return badValue("\"" + field.name + "\" needs a duration such as 90s, 5min, 2h or 1d");
    return condition(field, " " + sql + " ?", {*value * seconds});
}

/// First and last millisecond that a date, or a date with a time, covers in local time.
std::optional<std::pair<std::int64_t, std::int64_t>> timeRange(const std::string& text)
{
    std::tm parts{};
    bool day = true;
    const std::string word = lowered(text);
    if (word == "today" || word == "yesterday") {
        const std::time_t now = std::time(nullptr);
        ::localtime_r(&now, &parts);
        parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
        parts.tm_mday -= word == "yesterday" ? 1 : 0;
    } else {
        const char* end = ::strptime(text.c_str(), "%Y-%m-%d", &parts);
        if (!end)
            return std::nullopt;
        if (*end == ' ' || *end == 'T') {
            day = false;
            end = ::strptime(end + 1, "%H:%M", &parts);
        }
        if (!end || *end != '\0')
            return std::nullopt;
    }
    parts.tm_isdst = -1;
    std::tm next = parts;
    (day ? next.tm_mday : next.tm_min) += 1;
    const std::int64_t begin = std::mktime(&parts), end = std::mktime(&next);
    return std::pair(begin * 1000, end * 1000 - 1);
}

Result<Filter> compareTime(const FilterField& field, const std::string& comparator, const std::string& text)
{
    const std::string sql = ordering(comparator);
    if (sql.empty())
        return badOperator("times are compared with = != < <= > >=");
    const auto range = timeRange(text);
    if (!range)
        return badValue("\"" + field.name + "\" needs a date such as 2026-07-16, today or yesterday");
    if (sql == "=")
        return condition(field, " BETWEEN ? AND ?", {range->first, range->second});
    if (sql == "!=")
        return condition(field, " NOT BETWEEN ? AND ?", {range->first, range->second});
    // After a day is after its end; from a day on is from its beginning.
    return condition(field, " " + sql + " ?", {sql == ">" || sql == "<=" ? range->second : range->first});
}

Result<Filter> compareText(const FilterField& field, const std::string& comparator, const std::string& text)
{
    if (comparator == "~")
        return condition(field, " LIKE ? ESCAPE '\\'", {likePattern(text)});
    if (comparator == "!~")
        return condition(field, " NOT LIKE ? ESCAPE '\\'", {likePattern(text)});
    const std::string sql = ordering(comparator);
    if (!isEquality(sql))
        return badOperator("text is compared with = != ~ !~");
    return condition(field, " " + sql + " ? COLLATE NOCASE", {text});
}

Result<Filter> compareStatus(const FilterField& field, const std::string& comparator, const std::string& text)
{
    const std::string sql = ordering(comparator);
    if (!isEquality(sql))
        return badOperator("a status is compared with = and !=");
    const std::string status = lowered(text);
    if (!runStatusFromId(status))
        return badValue("there is no status \"" + text +
                        "\": running, paused, finished, stopped, failed or interrupted");
    return condition(field, " " + sql + " ?", {status});
}

Result<Filter> compareVerdict(const FilterField&, const std::string& comparator, const std::string& text)
{
    std::string slug = lowered(text);
    for (auto& c : slug)
        if (c == ' ')
            c = '-';
    const bool contains = comparator == "~" || comparator == "!~";
    if (!contains && !isEquality(ordering(comparator)))
        return badOperator("a verdict is compared with = != ~ !~");
    Filter result;
    // The badge reads "always True: no signal": the flag, the verdict and the whole all find it.
    const std::string badge = "replace(lower(r.verdict_badge), ' ', '-')";
    if (contains) {
        result.sql = "(" + badge + " LIKE ? ESCAPE '\\')";
        result.values = {likePattern(slug)};
    } else {
        result.sql =
            "(r.verdict_id = ? OR " + badge + " = ? OR substr(" + badge + ", 1, length(?) + 1) = ? || ':')";
        result.values = {slug, slug, slug, slug};
    }
    if (comparator == "!=" || comparator == "<>" || comparator == "!~")
        result.sql = "(NOT " + result.sql + ")";
    return result;
}

Result<Filter> compareTag(const std::string& comparator, const std::string& text)
{
    const bool contains = comparator == "~" || comparator == "!~";
    const std::string sql = ordering(comparator);
    if (!contains && !isEquality(sql))
        return badOperator("a tag is compared with = != ~ !~");
    Filter result;
    result.sql = std::string("(") + (comparator == "!~" || sql == "!=" ? "NOT " : "") +
                 "EXISTS (SELECT 1 FROM tags t WHERE t.run = r.number AND t.tag " +
                 (contains ? "LIKE ? ESCAPE '\\'" : "= ? COLLATE NOCASE") + "))";
    result.values = {contains ? likePattern(text) : text};
    return result;
}

} // namespace

std::string lowered(std::string_view text)
{
    std::string result(text);
    for (auto& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::string likePattern(std::string_view text)
{
    std::string pattern = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            pattern += '\\';
        pattern += c;
    }
    return pattern + "%";
}

Result<Filter> compare(const FilterField& field, const std::string& comparator, const std::string& value)
{
    switch (field.kind) {
    case FieldKind::Text:
        return compareText(field, comparator, value);
    case FieldKind::Number:
        return compareNumber(field, comparator, value);
    case FieldKind::Time:
        return compareTime(field, comparator, value);
    case FieldKind::Duration:
        return compareDuration(field, comparator, value);
    case FieldKind::State:
        return compareStatus(field, comparator, value);
    case FieldKind::Verdict:
        return compareVerdict(field, comparator, value);
    case FieldKind::Tag:
        return compareTag(comparator, value);
    case FieldKind::Flag:
        break;
    }
    return badOperator("\"" + field.name + "\" stands alone");
}

} // namespace assay
