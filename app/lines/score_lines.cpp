#include "app/lines/score_lines.h"

#include "app/error_json.h"
#include "core/data/row_reader.h"

#include <fmt/format.h>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

/// The id of a request, null without one.
Json requestId(const std::string& text)
{
    const auto request = Json::parse(text, nullptr, false);
    const auto found = request.is_object() ? request.find("id") : request.end();
    return request.is_object() && found != request.end() ? *found : Json(nullptr);
}

Result<Example> requestRow(const ReceivedLine& line, std::string_view format)
{
    if (line.tooLong)
        return Error{ErrorCode::BadData, fmt::format("the line is longer than {} bytes", kLongestLineBytes)};
    return readRow(line.text, format);
}

} // namespace

void addScores(Json& json, const Result<RowScores>& scores)
{
    if (!scores) {
        json["error"] = errorJson(scores.error());
        return;
    }
    Json rewards = Json::array(), raw = Json::array(), correct = Json::array();
    bool judged = false;
    for (const auto& value : scores->values) {
        judged = judged || (value && value->correct);
        correct.push_back(value && value->correct ? Json(*value->correct) : Json(nullptr));
        rewards.push_back(value ? Json(value->reward) : Json(nullptr));
        raw.push_back(value ? Json(value->score) : Json(nullptr));
    }
    json["rewards"] = std::move(rewards);
    json["scores"] = std::move(raw);
    if (judged)
        json["correct"] = std::move(correct);
    if (scores->reward)
        json["reward"] = *scores->reward;
    if (scores->cut.tokens > 0)
        json["cut"] = {{"tokens", scores->cut.tokens}, {"read_outs", scores->cut.readOuts}};
}

std::vector<std::string> answerScoreLines(BatchScorer& scorer, std::string_view format,
                                          std::span<const ReceivedLine> lines)
{
    std::vector<Json> answers;
    std::vector<Example> rows;
    std::vector<std::size_t> places;
    for (const auto& line : lines) {
        answers.push_back({{"id", requestId(line.text)}});
        auto row = requestRow(line, format);
        if (row) {
            rows.push_back(std::move(*row));
            places.push_back(answers.size() - 1);
        } else {
            addScores(answers.back(), row.error());
        }
    }
    const auto scores = scorer.score(rows);
    for (std::size_t i = 0; i < scores.size(); ++i)
        addScores(answers[places[i]], scores[i]);
    std::vector<std::string> texts;
    texts.reserve(answers.size());
    for (const auto& answer : answers)
        texts.push_back(answer.dump(-1, ' ', false, Json::error_handler_t::replace));
    return texts;
}

} // namespace assay
