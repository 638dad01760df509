#include "core/text/pipeline/template_processor.h"

namespace assay {

namespace {

/// A place of a template: a text, or a special token.
struct Place
{
    int text = -1; ///< 0 or 1; -1 = the tokens
    std::vector<TokenPiece> tokens;
    std::uint8_t type = 0;
};

class TemplateProcessor : public PostProcessor
{
public:
    TemplateProcessor(std::vector<Place> single, std::vector<Place> pair)
        : m_single(std::move(single))
        , m_pair(std::move(pair))
    {}

    TemplatedPieces apply(TemplatedPieces given, bool pair) const override
    {
        TemplatedPieces result;
        for (const auto& place : pair ? m_pair : m_single) {
            for (const auto& token : place.tokens)
                result.add(token, place.type, -1);
            for (std::size_t i = 0; place.text >= 0 && i < given.pieces.size(); ++i)
                if (given.texts[i] == place.text)
                    result.add(given.pieces[i], place.type, given.texts[i]);
        }
        return result;
    }

private:
    std::vector<Place> m_single, m_pair;
};

Result<std::uint8_t> typeId(const Component& part)
{
    TRY(const auto type, part.number("type_id"));
    if (type < 0 || type > 255)
        return part.refuse("a type id lies outside 0 to 255");
    return static_cast<std::uint8_t>(type);
}

/// Ids and spellings of the special token `name`.
Result<std::vector<TokenPiece>> specialTokens(const Component& component, const std::string& name)
{
    TRY(const auto all, component.object("special_tokens"));
    if (!all.has(name))
        return component.refuse("the template names the special token \"" + name.substr(0, 80) +
                                "\" and does not define it");
    TRY(const auto token, all.object(name));
    const auto ids = token.json().find("ids");
    const auto spellings = token.json().find("tokens");
    if (ids == token.json().end() || spellings == token.json().end() || !ids->is_array() ||
        !spellings->is_array() || ids->size() != spellings->size())
        return token.refuse("\"ids\" and \"tokens\" must be lists of the same length");
    std::vector<TokenPiece> tokens;
    for (std::size_t i = 0; i < ids->size(); ++i) {
        const auto id = tokenIdFrom((*ids)[i]);
        if (!id || !(*spellings)[i].is_string())
            return token.refuse("\"ids\" must hold ids, \"tokens\" texts");
        tokens.push_back({*id, (*spellings)[i].get<std::string>(), 0, 0});
    }
    return tokens;
}

Result<std::vector<Place>> templateOf(const Component& component, std::string_view key)
{
    TRY(const auto parts, component.objects(key));
    std::vector<Place> places;
    for (const auto& part : parts) {
        const bool special = part.has("SpecialToken");
        TRY(const auto inner, part.object(special ? "SpecialToken" : "Sequence"));
        TRY(const auto name, inner.text("id"));
        Place place;
        TRY(place.type, typeId(inner));
        if (special) {
            TRY(place.tokens, specialTokens(component, name));
        } else if (name == "A" || name == "B") {
            place.text = name == "A" ? 0 : 1;
        } else {
            return inner.refuse("a sequence is A or B");
        }
        places.push_back(std::move(place));
    }
    return places;
}

/// `[text, id]`, as two old kinds of post-processor have it.
Result<Place> tokenPlace(const Component& component, std::string_view key)
{
    const auto found = component.json().find(key);
    const bool list = found != component.json().end() && found->is_array() && found->size() == 2;
    const auto id = list ? tokenIdFrom((*found)[1]) : std::nullopt;
    if (!id || !(*found)[0].is_string())
        return component.refuse("\"" + std::string(key) + "\" must be a list of a text and an id");
    Place place;
    place.tokens.push_back({*id, (*found)[0].get<std::string>(), 0, 0});
    return place;
}

Place textPlace(int text, std::uint8_t type)
{
    Place place;
    place.text = text;
    place.type = type;
    return place;
}

} // namespace

Result<PostProcessorPtr> makeTemplateProcessor(const Component& component)
{
    TRY(auto single, templateOf(component, "single"));
    TRY(auto pair, templateOf(component, "pair"));
    return PostProcessorPtr(std::make_shared<TemplateProcessor>(std::move(single), std::move(pair)));
}

Result<PostProcessorPtr> makeBertProcessor(const Component& component)
{
    TRY(const auto first, tokenPlace(component, "cls"));
    TRY(const auto end, tokenPlace(component, "sep"));
    auto secondEnd = end;
    secondEnd.type = 1;
    return PostProcessorPtr(std::make_shared<TemplateProcessor>(
        std::vector<Place>{first, textPlace(0, 0), end},
        std::vector<Place>{first, textPlace(0, 0), end, textPlace(1, 1), secondEnd}));
}

Result<PostProcessorPtr> makeRobertaProcessor(const Component& component)
{
    TRY(const auto first, tokenPlace(component, "cls"));
    TRY(const auto end, tokenPlace(component, "sep"));
    return PostProcessorPtr(std::make_shared<TemplateProcessor>(
        std::vector<Place>{first, textPlace(0, 0), end},
        std::vector<Place>{first, textPlace(0, 0), end, end, textPlace(1, 0), end}));
}

} // namespace assay
