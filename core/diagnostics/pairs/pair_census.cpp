#include "core/diagnostics/pairs/pair_census.h"

#include "core/base/check.h"
#include "core/diagnostics/labelled_steps.h"

namespace assay {

namespace {

struct Answer
{
    std::string bytes;
    std::int32_t length = 0;
};

std::string bytesOf(const Passage& passage)
{
    auto bytes = passage.text;
    for (const auto& message : passage.messages)
        bytes += '\0' + message.role + '\0' + message.content;
    return bytes;
}

Answer answerOf(const Passage& passage)
{
    Answer answer{bytesOf(passage), characterCount(passage.text)};
    for (const auto& message : passage.messages)
        answer.length += characterCount(message.content);
    return answer;
}

void addPairs(std::vector<AnswerPair>& pairs, const AnswerPair& common, const std::vector<Answer>& answers)
{
    for (std::size_t worse = 1; worse < answers.size(); ++worse)
        for (std::size_t better = 0; better < worse; ++better) {
            auto pair = common;
            pair.better = answers[better].bytes;
            pair.worse = answers[worse].bytes;
            pair.betterLength = answers[better].length;
            pair.worseLength = answers[worse].length;
            pairs.push_back(std::move(pair));
        }
}

bool hasMargin(const Example& example)
{
    if (const auto* row = example.preference())
        return row->margin.has_value();
    const auto* given = example.tokenisedPreference();
    return given && given->margin.has_value();
}

} // namespace

std::vector<AnswerPair> answerPairs(const Dataset& dataset)
{
    std::vector<AnswerPair> pairs;
    for (std::int64_t i = 0; i < dataset.size(); ++i) {
        const Example example = dataset.at(i);
        AnswerPair common;
        common.row = example.row;
        std::vector<Answer> answers;
        if (const auto* row = example.preference()) {
            common.prompt = bytesOf(row->prompt);
            for (const auto& candidate : row->candidates)
                answers.push_back(answerOf(candidate));
        } else if (const auto* given = example.tokenisedPreference()) {
            common.isText = false;
            for (const auto& ids : given->candidates)
                answers.push_back(
                    {std::string(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(ids[0])),
                     static_cast<std::int32_t>(ids.size())});
        }
        addPairs(pairs, common, answers);
    }
    return pairs;
}

PairCensus takePairCensus(const Dataset& dataset, std::span<const AnswerPair> pairs,
                          std::span<const LaidOut> laidOut)
{
    CHECK(laidOut.empty() || laidOut.size() == std::size_t(dataset.size()),
          "laid-out rows of another data set");
    PairCensus census;
    census.rows = dataset.size();
    for (std::int64_t i = 0; i < dataset.size(); ++i)
        census.withMargin += hasMargin(dataset.at(i)) ? 1 : 0;
    for (const auto& pair : pairs) {
        ++census.pairs;
        census.longer += pair.betterLength > pair.worseLength ? 1 : 0;
        census.equallyLong += pair.betterLength == pair.worseLength ? 1 : 0;
        census.betterLength += pair.betterLength;
        census.worseLength += pair.worseLength;
    }
    if (census.pairs > 0) {
        census.betterLength /= double(census.pairs);
        census.worseLength /= double(census.pairs);
    }
    for (const auto& row : laidOut) {
        census.dropped += row.cut.dropped ? 1 : 0;
        census.cut += !row.cut.dropped && row.cut.tokens > 0 ? 1 : 0;
    }
    return census;
}

} // namespace assay
