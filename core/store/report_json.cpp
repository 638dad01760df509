#include "core/store/run_store.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace assay {

namespace {

using Json = nlohmann::json;

/// JSON has no NaN and no infinity: they are written as the words "nan", "inf" and "-inf".
Json numberToJson(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

double numberFromJson(const Json& json)
{
    if (json.is_number())
        return json.get<double>();
    if (json == "inf")
        return std::numeric_limits<double>::infinity();
    if (json == "-inf")
        return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
}

Json optionalToJson(const std::optional<double>& value)
{
    return value ? numberToJson(*value) : Json();
}

std::optional<double> optionalFromJson(const Json& object, const char* key)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return std::nullopt;
    return numberFromJson(*found);
}

Json numbersToJson(const std::vector<double>& values)
{
    Json array = Json::array();
    for (const double value : values)
        array.push_back(numberToJson(value));
    return array;
}

std::vector<double> numbersFromJson(const Json& array)
{
    std::vector<double> values;
    for (const auto& value : array)
        values.push_back(numberFromJson(value));
    return values;
}

Json metricToJson(const Metric& m)
{
    return {{"id", m.id},
            {"title", m.title},
            {"value", optionalToJson(m.value)},
            {"low", optionalToJson(m.low)},
            {"high", optionalToJson(m.high)},
            {"chance", optionalToJson(m.chance)},
            {"reason", m.undefinedReason}};
}

Metric metricFromJson(const Json& j)
{
    return {j.at("id"),
            j.at("title"),
            optionalFromJson(j, "value"),
            optionalFromJson(j, "low"),
            optionalFromJson(j, "high"),
            optionalFromJson(j, "chance"),
            j.at("reason")};
}

const char* severityWord(Severity severity)
{
    return severity == Severity::Red ? "red" : severity == Severity::Warning ? "warning" : "note";
}

Json findingToJson(const Finding& f)
{
    return {{"id", f.id},       {"severity", severityWord(f.severity)},
            {"title", f.title}, {"evidence", f.evidence},
            {"cause", f.cause}, {"remedy", f.remedy},
            {"rows", f.rows},   {"number", numberToJson(f.number)}};
}

Finding findingFromJson(const Json& j)
{
    const std::string word = j.at("severity");
    const Severity severity = word == "red"       ? Severity::Red
                              : word == "warning" ? Severity::Warning
                                                  : Severity::Note;
    return {j.at("id"),    severity,       j.at("title"), j.at("evidence"),
            j.at("cause"), j.at("remedy"), j.at("rows"),  numberFromJson(j.at("number"))};
}

} // namespace

std::string reportToJson(const Report& report)
{
    Json json = {{"metrics", Json::array()},
                 {"tables", Json::array()},
                 {"curves", Json::array()},
                 {"findings", Json::array()}};
    for (const auto& metric : report.metrics)
        json["metrics"].push_back(metricToJson(metric));
    for (const auto& t : report.tables)
        json["tables"].push_back(
            {{"id", t.id}, {"title", t.title}, {"columns", t.columns}, {"rows", t.rows}});
    for (const auto& c : report.curves)
        json["curves"].push_back(
            {{"id", c.id}, {"title", c.title}, {"x", numbersToJson(c.x)}, {"y", numbersToJson(c.y)}});
    for (const auto& finding : report.findings)
        json["findings"].push_back(findingToJson(finding));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Report> reportFromJson(const std::string& text)
{
    try {
        const Json json = Json::parse(text);
        Report report;
        for (const auto& metric : json.at("metrics"))
            report.metrics.push_back(metricFromJson(metric));
        for (const auto& t : json.at("tables"))
            report.tables.push_back({t.at("id"), t.at("title"), t.at("columns"), t.at("rows")});
        for (const auto& c : json.at("curves"))
            report.curves.push_back(
                {c.at("id"), c.at("title"), numbersFromJson(c.at("x")), numbersFromJson(c.at("y"))});
        for (const auto& finding : json.at("findings"))
            report.findings.push_back(findingFromJson(finding));
        return report;
    } catch (const Json::exception& exception) {
        return Error{ErrorCode::BadData, std::string("a stored report cannot be read: ") + exception.what()};
    }
}

} // namespace assay
