#include "app/commands/commands.h"
#include "app/json_values.h"
#include "app/output.h"
#include "core/text/tokenizer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <iostream>

namespace assay {

namespace {

Json tokenizedJson(const Tokenizer& tokenizer, const std::string& text)
{
    const auto pieces = tokenizer.encodeWithOffsets(text);
    std::vector<TokenId> ids;
    Json json = {{"ids", Json::array()}, {"pieces", Json::array()}, {"offsets", Json::array()}};
    for (const auto& piece : pieces) {
        ids.push_back(piece.id);
        json["pieces"].push_back(piece.piece);
        json["offsets"].push_back({piece.begin, piece.end});
    }
    json["ids"] = ids;
    json["decoded"] = tokenizer.decode(ids);
    return json;
}

class TokenizeCommand : public Command
{
public:
    std::string_view name() const override { return "tokenize"; }
    std::string_view summary() const override
    {
        return "Tokenize JSON strings from standard input, one per line, to JSON lines with ids, pieces, "
               "byte offsets and the decoded text";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("FOLDER", m_path,
                       "Model folder, name of a model in the local cache, or vocabulary file "
                       "(tokenizer.json, SentencePiece, tiktoken, "
                       "vocab.json, vocab.txt)")
            ->required();
    }

    Result<int> run(const Invocation&) override
    {
        TRY(const auto tokenizer, openTokenizer(m_path));
        std::string line;
        for (std::int64_t number = 1; std::getline(std::cin, line); ++number) {
            if (line.find_first_not_of(" \t\r") == std::string::npos)
                continue;
            const auto json = Json::parse(line, nullptr, false);
            if (json.is_discarded() || !json.is_string())
                return Error{ErrorCode::BadData, "Is not a JSON string",
                             fmt::format("standard input, line {}", number),
                             "Write one JSON string per line, for example \"2 + 3 = 5\""};
            printJsonLine(tokenizedJson(*tokenizer, json.get<std::string>()));
        }
        return 0;
    }

private:
    std::string m_path;
};

} // namespace

std::unique_ptr<Command> makeTokenizeCommand()
{
    return std::make_unique<TokenizeCommand>();
}

} // namespace assay
