#include "core/store/filter/filter.h"

#include "core/store/filter/filter_values.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace assay {

namespace {

struct Token
{
    enum class Kind { Word, Quoted, Operator, Open, Close, End };
    Kind kind = Kind::End;
    std::string text;
    std::size_t position = 0;
};

/// SQLite's parser has a stack of 100 entries, of which one level can take eight.
constexpr int kDeepest = 10;
constexpr int kMostTerms = 200;

Error syntaxError(const std::string& what, const Token& token)
{
    const std::string part = token.kind == Token::Kind::End ? "end of the filter" : token.text;
    return {ErrorCode::Usage, what + " at character " + std::to_string(token.position + 1), part,
            "For example: started > \"2026-07-16\" and not archived"};
}

bool isOperatorCharacter(char c)
{
    return c == '=' || c == '<' || c == '>' || c == '!' || c == '~';
}

bool isSpace(char c)
{
    return std::isspace(static_cast<unsigned char>(c)) != 0;
}

Result<std::vector<Token>> tokens(std::string_view text)
{
    static constexpr std::array<std::string_view, 10> known = {"=",  "==", "!=", "<>", "<",
                                                               "<=", ">",  ">=", "~",  "!~"};
    std::vector<Token> result;
    std::size_t i = 0;
    while (i < text.size()) {
        const std::size_t begin = i;
        const char c = text[i];
        if (isSpace(c)) {
            ++i;
        } else if (c == '(' || c == ')') {
            result.push_back({c == '(' ? Token::Kind::Open : Token::Kind::Close, std::string(1, c), begin});
            ++i;
        } else if (c == '"' || c == '\'') {
            const std::size_t end = text.find(c, i + 1);
            if (end == std::string_view::npos)
                return syntaxError("a quote is not closed",
                                   {Token::Kind::Quoted, std::string(text.substr(begin)), begin});
            result.push_back({Token::Kind::Quoted, std::string(text.substr(i + 1, end - i - 1)), begin});
            i = end + 1;
        } else if (isOperatorCharacter(c)) {
            while (i < text.size() && isOperatorCharacter(text[i]))
                ++i;
            Token token{Token::Kind::Operator, std::string(text.substr(begin, i - begin)), begin};
            if (std::find(known.begin(), known.end(), token.text) == known.end())
                return syntaxError("there is no such comparison", token);
            result.push_back(std::move(token));
        } else {
            while (i < text.size() && !isSpace(text[i]) && !isOperatorCharacter(text[i]) && text[i] != '(' &&
                   text[i] != ')' && text[i] != '"')
                ++i;
            result.push_back({Token::Kind::Word, std::string(text.substr(begin, i - begin)), begin});
        }
    }
    result.push_back({Token::Kind::End, "", text.size()});
    return result;
}

/// Recursive descent over the tokens; writes SQL and parameters in the order of the text.
class Parser
{
public:
    Parser(std::vector<Token> tokens, const FilterLanguage& language)
        : m_tokens(std::move(tokens))
        , m_language(language)
    {}

    Result<Filter> parse()
    {
        if (current().kind == Token::Kind::End)
            return Filter{};
        TRY(m_filter.sql, either());
        if (current().kind != Token::Kind::End)
            return syntaxError("this closes nothing", current());
        return std::move(m_filter);
    }

private:
    const Token& current() const { return m_tokens[m_index]; }
    Token take() { return m_tokens[m_index++]; }
    bool atWord(std::string_view word) const
    {
        return current().kind == Token::Kind::Word && lowered(current().text) == word;
    }

    Result<std::string> either()
    {
        if (++m_depth > kDeepest)
            return syntaxError("this is nested too deeply", current());
        TRY(std::string sql, both());
        if (atWord("or")) {
            while (atWord("or")) {
                take();
                TRY(const std::string right, both());
                sql += " OR " + right;
            }
            sql = "(" + sql + ")";
        }
        --m_depth;
        return sql;
    }

    Result<std::string> both()
    {
        TRY(std::string sql, term());
        bool several = false;
        while (current().kind != Token::Kind::End && current().kind != Token::Kind::Close && !atWord("or")) {
            if (atWord("and"))
                take();
            TRY(const std::string right, term());
            sql += " AND " + right;
            several = true;
        }
        return several ? "(" + sql + ")" : sql;
    }

    Result<std::string> term()
    {
        if (++m_terms > kMostTerms)
            return syntaxError("there are too many terms", current());
        if (atWord("not")) {
            take();
            if (++m_depth > kDeepest)
                return syntaxError("this is nested too deeply", current());
            TRY(const std::string sql, term());
            --m_depth;
            return "(NOT " + sql + ")";
        }
        if (current().kind == Token::Kind::Open) {
            take();
            TRY(const std::string sql, either());
            if (current().kind != Token::Kind::Close)
                return syntaxError("a parenthesis is not closed", current());
            take();
            return sql;
        }
        if (current().kind == Token::Kind::Quoted)
            return freeWord(take());
        if (current().kind != Token::Kind::Word || atWord("and") || atWord("or"))
            return syntaxError("a field or a word is missing", current());
        const Token name = take();
        return current().kind == Token::Kind::Operator ? comparison(name) : flagOrWord(name);
    }

    Result<std::string> flagOrWord(const Token& name)
    {
        const auto field = find(name.text);
        if (!field || field->kind != FieldKind::Flag)
            return freeWord(name);
        m_filter.fields.insert(field->name);
        return field->sql;
    }

    Result<std::string> freeWord(const Token& word)
    {
        m_filter.values.emplace_back(likePattern(word.text));
        return m_language.wordSql;
    }

    Result<std::string> comparison(const Token& name)
    {
        const Token comparator = take();
        const auto field = find(name.text);
        if (!field)
            return syntaxError("there is no field \"" + name.text + "\"", name);
        if (field->kind == FieldKind::Flag)
            return syntaxError("\"" + name.text + "\" stands alone", comparator);
        if (current().kind != Token::Kind::Word && current().kind != Token::Kind::Quoted)
            return syntaxError("a value is missing", current());
        const Token value = take();
        auto condition = compare(*field, comparator.text, value.text);
        if (!condition.ok())
            return syntaxError(condition.error().message,
                               condition.error().where == "operator" ? comparator : value);
        m_filter.fields.insert(field->name);
        for (auto& parameter : condition->values)
            m_filter.values.push_back(std::move(parameter));
        return condition->sql;
    }

    std::optional<FilterField> find(std::string_view text) const
    {
        const std::string name = lowered(text);
        for (const auto& field : m_language.fields)
            if (field.name == name)
                return field;
        return m_language.others ? m_language.others(name) : std::nullopt;
    }

    std::vector<Token> m_tokens;
    const FilterLanguage& m_language;
    std::size_t m_index = 0;
    int m_depth = 0, m_terms = 0;
    Filter m_filter;
};

} // namespace

Result<Filter> parseFilter(std::string_view text, const FilterLanguage& language)
{
    TRY(auto parts, tokens(text));
    return Parser(std::move(parts), language).parse();
}

FilterLanguage runFilterLanguage()
{
    FilterLanguage language;
    const auto add = [&](const char* name, FieldKind kind, const char* sql) {
        language.fields.push_back({name, kind, sql});
    };
    for (const char* name : {"name", "id", "task", "backbone", "data", "device", "note", "parent"})
        language.fields.push_back({name, FieldKind::Text, std::string("r.") + name});
    add("status", FieldKind::State, "r.status");
    add("verdict", FieldKind::Verdict, ""); // its SQL names the columns of id and badge
    add("tag", FieldKind::Tag, "");
    add("created", FieldKind::Time, "r.created_ms");
    add("started", FieldKind::Time, "r.started_ms");
    add("ended", FieldKind::Time, "nullif(r.ended_ms, 0)");
    add("duration", FieldKind::Duration, "r.seconds");
    add("step", FieldKind::Number, "r.step");
    add("steps", FieldKind::Number, "r.planned_steps");
    add("metric", FieldKind::Number, "r.headline_value");
    add("baseline", FieldKind::Number, "r.headline_baseline");
    add("archived", FieldKind::Flag, "(r.archived_ms IS NOT NULL)");
    add("deleted", FieldKind::Flag, "(r.deleted_ms IS NOT NULL)");
    language.wordSql = "r.name LIKE ? ESCAPE '\\'";
    return language;
}

FilterLanguage stepFilterLanguage()
{
    FilterLanguage language;
    const auto add = [&](const char* name, FieldKind kind, const char* sql) {
        language.fields.push_back({name, kind, sql});
    };
    add("label", FieldKind::Number, "(CASE WHEN p.supervised THEN p.label END)");
    add("p", FieldKind::Number, "p.probability");
    add("probability", FieldKind::Number, "p.probability");
    add("score", FieldKind::Number, "p.score");
    add("error", FieldKind::Number, "(CASE WHEN p.supervised THEN abs(p.probability - p.label) END)");
    add("step", FieldKind::Number, "(p.step + 1)"); // as on screen: the first step is 1
    add("source", FieldKind::Text, "x.source");
    add("prompt", FieldKind::Text, "x.prompt");
    add("text", FieldKind::Text, "json_extract(x.steps, '$[' || p.step || ']')");
    add("supervised", FieldKind::Flag, "(p.supervised = 1)");
    add("correct", FieldKind::Flag, "(p.supervised = 1 AND p.label >= 0.5)");
    add("wrong", FieldKind::Flag, "(p.supervised = 1 AND p.label < 0.5)");
    language.wordSql = "x.prompt LIKE ? ESCAPE '\\'";
    return language;
}

FilterLanguage pairFilterLanguage()
{
    FilterLanguage language;
    const auto add = [&](const char* name, FieldKind kind, const char* sql) {
        language.fields.push_back({name, kind, sql});
    };
    add("margin", FieldKind::Number, "(c.score - r.score)");
    add("chosen", FieldKind::Number, "c.score");
    add("rejected", FieldKind::Number, "r.score");
    add("p", FieldKind::Number, "c.probability");
    add("chosen_length", FieldKind::Number, "length(json_extract(x.steps, '$[0]'))");
    add("rejected_length", FieldKind::Number, "length(json_extract(x.steps, '$[1]'))");
    add("row", FieldKind::Number, "(x.row + 1)"); // as on screen: the first row is 1
    add("source", FieldKind::Text, "x.source");
    add("prompt", FieldKind::Text, "x.prompt");
    add("answer", FieldKind::Text,
        "(json_extract(x.steps, '$[0]') || char(10) || json_extract(x.steps, '$[1]'))");
    language.wordSql = "x.prompt LIKE ? ESCAPE '\\'";
    return language;
}

} // namespace assay
