#include "core/data/formats/builtin.h"
#include "core/data/formats/json_format.h"
#include "core/data/formats/json_values.h"
#include "core/data/formats/published/first_error.h"

#include <charconv>

namespace assay {

namespace {

constexpr std::string_view kFirstError = "Model_Solution_First_Error_Step";

Error badRow(std::string_view key, const std::string& message)
{
    return {ErrorCode::BadData, "solution " + std::string(key.substr(0, 40)) + ": " + message, "", ""};
}

/// "N/A" or a 1-based number, as a text or as a number; 0-based, -1 = none wrong.
Result<std::int64_t> firstErrorOf(const simdjson::dom::object& solution, std::size_t steps)
{
    TRY(const auto value, requiredValue(solution, kFirstError));
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) {
        TRY(const auto number, wholeNumber(value, kFirstError, 1, static_cast<std::int64_t>(steps)));
        return number - 1;
    }
    if (text == "N/A")
        return -1;
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || number < 1 ||
        number > static_cast<std::int64_t>(steps))
        return Error{ErrorCode::BadData, std::string(kFirstError) + " is \"" +
                                             std::string(text.substr(0, 40)) + "\", a number from 1 to " +
                                             std::to_string(steps) + " or N/A was expected"};
    return number - 1;
}

Result<Example> readSolution(const simdjson::dom::object& solution)
{
    TRY(auto prompt, textValue(solution, "Question"));
    simdjson::dom::element options;
    std::string_view choices;
    if (solution.at_key("Options").get(options) == simdjson::SUCCESS &&
        options.get(choices) == simdjson::SUCCESS && !choices.empty())
        prompt += "\n" + std::string(choices);
    TRY(auto steps, textsValue(solution, "Model_Solution_Steps"));
    TRY(const auto first, firstErrorOf(solution, steps.size()));
    Example example;
    example.content = solutionWithFirstError(std::move(prompt), std::move(steps), first);
    example.metadata = otherColumns(solution, {"Question", "Options", "Model_Solution_Steps", kFirstError});
    return example;
}

/// MR-Ben: the file is one object, question -> its solutions by several models.
Result<std::vector<Example>> readQuestions(const simdjson::dom::object& file)
{
    std::vector<Example> examples;
    std::int64_t question = 0;
    for (const auto& [key, value] : file) {
        simdjson::dom::array solutions;
        if (value.get(solutions) != simdjson::SUCCESS)
            return badRow(key, "is no list of solutions");
        for (const auto element : solutions) {
            simdjson::dom::object solution;
            if (element.get(solution) != simdjson::SUCCESS)
                return badRow(key, "is no object");
            auto example = readSolution(solution);
            if (!example)
                return badRow(key, example.error().message);
            example->row = question;
            examples.push_back(std::move(example).value());
        }
        ++question;
    }
    return examples;
}

bool looksLikeIt(std::string_view head)
{
    return head.find("\"" + std::string(kFirstError) + "\"") != std::string_view::npos;
}

} // namespace

const DatasetFormat& mrBenFormat()
{
    static const JsonFormat kFormat("mr-ben", "MR-Ben (questions with judged solutions of several models)",
                                    readQuestions, looksLikeIt);
    return kFormat;
}

} // namespace assay
