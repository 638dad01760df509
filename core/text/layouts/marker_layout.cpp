#include "core/text/chat/chat_template.h"
#include "core/text/layouts/row_error.h"
#include "core/text/layouts/step_row.h"

#include <algorithm>

namespace assay {

namespace {

/// Stands for the tag while a chat template writes around it; no text of a row may hold it.
constexpr std::string_view kPlace = "\xF4\x8F\xBF\xBD"; // U+10FFFD, private use

/// A row as one text: bytes [0, promptEnd) are its prompt, and every step ends at its tag.
struct Written
{
    std::string text;
    std::size_t promptEnd = 0;
    std::vector<std::size_t> tags; ///< [steps], where each begins
};

class MarkerLayout : public StepLayout
{
public:
    using StepLayout::StepLayout;

protected:
    Result<LaidOut> layOutSteps(const Example& example, const StepwiseExample& solution,
                                bool training) const override
    {
        TRY_STATUS(checkTexts(example, solution));
        Written written;
        if (m_options.conversation == "none") {
            written = plain(solution);
        } else {
            TRY(written, rendered(example, solution));
        }
        StepRow row(solution.steps.size());
        const auto bos = m_tokenizer->special().bos;
        if (m_options.conversation == "none" && m_options.addBos && bos)
            row.append({&*bos, 1}, TokenRole::Bos);
        TRY_STATUS(appendTokens(row, example, written));
        return limit(std::move(row), example, labelsOf(solution, training));
    }

private:
    /// The whole text is read with its special tokens, so that the tag may be one. Text of the row must not
    /// become one by its spelling.
    Status checkTexts(const Example& example, const StepwiseExample& solution) const
    {
        const auto check = [&](const std::string& text, const std::string& what) -> Status {
            const auto pieces = m_tokenizer->encodeParsed(text);
            const bool special = std::any_of(pieces.begin(), pieces.end(), [&](const TokenPiece& piece) {
                return piece.end > piece.begin && m_tokenizer->isSpecial(piece.id);
            });
            if (special && pieces.size() != m_tokenizer->encode(text).size())
                return rowError(example, what + " spells a special token of the tokenizer",
                                "Take the token out of the text");
            if (text.find(kPlace) != std::string::npos)
                return rowError(example, what + " holds the character U+10FFFD", "Take it out of the text");
            return {};
        };
        TRY_STATUS(check(solution.prompt, "the prompt"));
        for (std::size_t i = 0; i < solution.steps.size(); ++i)
            TRY_STATUS(check(solution.steps[i].text, "step " + std::to_string(i + 1)));
        return {};
    }

    /// Prompt, then every step with its separator; the last separator ends with its tag.
    Written plain(const StepwiseExample& solution) const
    {
        Written written;
        written.text = solution.prompt;
        written.promptEnd = written.text.size();
        written.text += m_options.promptSeparator;
        const auto tagAt = m_options.stepSeparator.find(m_options.stepTag);
        for (const auto& step : solution.steps) {
            written.text += step.text;
            written.tags.push_back(written.text.size() + tagAt);
            written.text += m_options.stepSeparator;
        }
        if (!written.tags.empty())
            written.text.resize(written.tags.back() + m_options.stepTag.size());
        return written;
    }

    std::vector<Message> messagesOf(const StepwiseExample& solution) const
    {
        std::vector<Message> messages;
        if (!m_options.system.empty())
            messages.push_back({"system", m_options.system});
        if (m_options.conversation == "turns") {
            for (std::size_t i = 0; i < solution.steps.size(); ++i) {
                const auto& step = solution.steps[i].text;
                messages.push_back(
                    {"user", i == 0 ? solution.prompt + m_options.promptSeparator + step : step});
                messages.push_back({"assistant", std::string(kPlace)});
            }
            return messages;
        }
        auto separator = m_options.stepSeparator;
        separator.replace(separator.find(m_options.stepTag), m_options.stepTag.size(), kPlace);
        Message answer{"assistant", {}};
        for (const auto& step : solution.steps)
            answer.content += step.text + separator;
        messages.push_back({"user", solution.prompt});
        messages.push_back(std::move(answer));
        return messages;
    }

    /// The conversation as the chat template writes it, with the tags put in their places.
    Result<Written> rendered(const Example& example, const StepwiseExample& solution) const
    {
        const ChatTemplate* chat = m_tokenizer->chatTemplate();
        if (!chat)
            return rowError(example,
                            "the layout writes a conversation, and the tokenizer has no chat template",
                            "Add a chat_template.jinja to the model's folder");
        const auto text = chat->render(messagesOf(solution), false);
        if (!text)
            return templateError(example, text.error());
        Written written;
        std::size_t from = 0;
        for (auto place = text->find(kPlace); place != std::string::npos; place = text->find(kPlace, from)) {
            written.text.append(*text, from, place - from);
            written.tags.push_back(written.text.size());
            written.text += m_options.stepTag;
            from = place + kPlace.size();
        }
        written.text.append(*text, from);
        if (written.tags.size() != solution.steps.size())
            return rowError(example,
                            "the chat template writes " + std::to_string(written.tags.size()) +
                                " of the row's " + std::to_string(solution.steps.size()) + " step tags",
                            "Choose a model with another template");
        // Only the token view asks; a template that rewrites the prompt leaves it unknown.
        const auto prompt = written.text.find(solution.prompt);
        if (prompt != std::string::npos)
            written.promptEnd = prompt + solution.prompt.size();
        return written;
    }

    Status appendTokens(StepRow& row, const Example& example, const Written& written) const
    {
        const auto pieces = m_tokenizer->encodeParsed(written.text);
        std::size_t step = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto& piece = pieces[i];
            const auto begin = static_cast<std::size_t>(piece.begin);
            const auto end = static_cast<std::size_t>(piece.end);
            const bool open = step < written.tags.size();
            const auto tag = open ? written.tags[step] : written.text.size();
            if (!open || end <= tag) {
                const bool prompt = end <= written.promptEnd;
                row.append({&piece.id, 1},
                           prompt  ? TokenRole::Prompt
                           : !open ? TokenRole::Separator
                                   : TokenRole::Step,
                           prompt || !open ? -1 : static_cast<std::int32_t>(step));
                continue;
            }
            // The tag alone, perhaps with the space that a vocabulary counts to the word behind it.
            const auto spelt = std::string_view(written.text).substr(begin, end - begin);
            const auto word = spelt.find_first_not_of(' ');
            if (word == std::string_view::npos || spelt.substr(word) != m_options.stepTag)
                return rowError(example,
                                "the tag of step " + std::to_string(step + 1) + " is not one token: \"" +
                                    std::string(spelt) + "\" is",
                                "Choose a tag that is a token of this tokenizer");
            if (m_options.readBeforeTag) {
                if (row.size() == 0)
                    return rowError(example, "nothing stands before the tag of the first step");
                row.readHere(step);
            }
            row.append({&piece.id, 1}, TokenRole::Separator, static_cast<std::int32_t>(step));
            if (!m_options.readBeforeTag)
                row.readHere(step);
            ++step;
        }
        if (step < written.tags.size())
            return rowError(example, "the tokenizer loses the tag of step " + std::to_string(step + 1),
                            "Choose a tag that is a token of this tokenizer");
        return {};
    }
};

} // namespace

LayoutPtr makeMarkerLayout(LayoutOptions options, TokenizerPtr tokenizer)
{
    return std::make_shared<MarkerLayout>(std::move(options), std::move(tokenizer));
}

} // namespace assay
