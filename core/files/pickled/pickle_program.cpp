#include "core/files/pickled/pickle_program.h"

#include "core/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace assay {

namespace {

using Kind = PickleValue::Kind;

constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kShownText = 80;

/// What may be called, and every storage type.
constexpr std::array<std::string_view, 3> kCallable{
    "collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter"};

bool isStorageType(std::string_view name)
{
    return name.starts_with("torch ") && name.ends_with("Storage") &&
           name.find('.') == std::string_view::npos;
}

bool isKnownName(std::string_view name)
{
    return std::find(kCallable.begin(), kCallable.end(), name) != kCallable.end() || isStorageType(name);
}

std::string shown(std::string_view text)
{
    std::string result;
    for (const char c : text.substr(0, kShownText))
        result += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f ? '?' : c;
    return result;
}

Error refused(const std::string& message)
{
    return {ErrorCode::BadModel, message, "", "Convert the checkpoint to safetensors where you trust it"};
}

Error cutOff()
{
    return {ErrorCode::BadModel, "the pickle is cut off", "", "Fetch or copy the file again"};
}

Error damaged()
{
    return {ErrorCode::BadModel, "the pickle is damaged", "", "Fetch or copy the file again"};
}

/// The stack machine of pickle protocols 0 to 5, as far as torch needs it.
class PickleProgram
{
public:
    explicit PickleProgram(std::string_view bytes)
        : m_bytes(bytes)
    {}

    Result<PickleValues> run()
    {
        for (;;) {
            const auto code = take(1);
            if (!code)
                return cutOff();
            if (code->front() == '.')
                break;
            TRY_STATUS(execute(static_cast<unsigned char>(code->front())));
            if (m_values.values.size() > kMostValues)
                return refused("the pickle has more values than a state dict needs");
        }
        if (m_stack.size() != 1 || !m_marks.empty())
            return damaged();
        m_values.root = m_stack.back();
        return std::move(m_values);
    }

private:
    std::optional<std::string_view> take(std::size_t count)
    {
        if (count > m_bytes.size())
            return std::nullopt;
        const auto part = m_bytes.substr(0, count);
        m_bytes.remove_prefix(count);
        return part;
    }
    std::optional<std::uint64_t> number(std::size_t count)
    {
        const auto part = take(count);
        if (!part)
            return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value |= std::uint64_t{static_cast<unsigned char>((*part)[i])} << (8 * i);
        return value;
    }
    /// Up to the end of the line, which is eaten.
    std::optional<std::string_view> line()
    {
        const auto end = m_bytes.find('\n');
        if (end == std::string_view::npos)
            return std::nullopt;
        const auto part = m_bytes.substr(0, end);
        m_bytes.remove_prefix(end + 1);
        return part;
    }

    PickleValue& push(Kind kind)
    {
        m_stack.push_back(m_values.values.size());
        return m_values.values.emplace_back(PickleValue{kind, 0, {}, {}});
    }
    Status pushInteger(std::int64_t value)
    {
        push(Kind::Integer).integer = value;
        return {};
    }
    Status pushText(std::optional<std::uint64_t> count)
    {
        const auto text = count ? take(*count) : std::nullopt;
        if (!text)
            return cutOff();
        if (!isUtf8(*text))
            return damaged();
        push(Kind::Text).text = *text;
        return {};
    }

    /// How many values lie above the last mark, or on the stack without one.
    std::size_t above() const { return m_stack.size() - (m_marks.empty() ? 0 : m_marks.back()); }
    std::vector<std::size_t> pop(std::size_t count)
    {
        std::vector<std::size_t> items(m_stack.end() - static_cast<std::ptrdiff_t>(count), m_stack.end());
        m_stack.resize(m_stack.size() - count);
        return items;
    }
    /// The values above the last mark, and the mark goes.
    std::optional<std::vector<std::size_t>> popToMark()
    {
        if (m_marks.empty())
            return std::nullopt;
        auto items = pop(above());
        m_marks.pop_back();
        return items;
    }

    Status collect(Kind kind, std::optional<std::vector<std::size_t>> items)
    {
        if (!items || (kind == Kind::Dictionary && items->size() % 2 != 0))
            return damaged();
        push(kind).items = std::move(*items);
        return {};
    }
    Status tuple(std::size_t count)
    {
        if (above() < count)
            return damaged();
        return collect(Kind::Tuple, pop(count));
    }
    /// Adds to the list or dictionary below.
    Status extend(Kind kind, std::optional<std::vector<std::size_t>> items)
    {
        if (!items || above() == 0)
            return damaged();
        auto& target = m_values.values[m_stack.back()];
        if (target.kind != kind || (kind == Kind::Dictionary && items->size() % 2 != 0))
            return damaged();
        target.items.insert(target.items.end(), items->begin(), items->end());
        return {};
    }

    Status name(std::string_view module, std::string_view what)
    {
        auto full = std::string(module) + " " + std::string(what);
        if (!isKnownName(full))
            return refused(
                fmt::format("the pickle calls {}.{}, which a file of weights has no need of; nothing was "
                            "executed",
                            shown(module), shown(what)));
        push(Kind::Name).text = std::move(full);
        return {};
    }
    Status stackName()
    {
        if (above() < 2)
            return damaged();
        const auto parts = pop(2);
        const auto &module = m_values[parts[0]], &what = m_values[parts[1]];
        if (module.kind != Kind::Text || what.kind != Kind::Text)
            return damaged();
        return name(std::string(module.text), std::string(what.text));
    }
    Status globalName()
    {
        const auto module = line();
        const auto what = module ? line() : std::nullopt;
        return what ? name(*module, *what) : Status(cutOff());
    }

    Status call()
    {
        if (above() < 2)
            return damaged();
        const auto parts = pop(2);
        const auto &function = m_values[parts[0]], &arguments = m_values[parts[1]];
        if (function.kind != Kind::Name || arguments.kind != Kind::Tuple || isStorageType(function.text))
            return refused("the pickle calls something that is no function of torch; nothing was executed");
        if (function.text == kCallable[0]) {
            if (!arguments.items.empty())
                return refused("the pickle makes an ordered dictionary of something else");
            push(Kind::Dictionary);
            return {};
        }
        push(Kind::Call).items = parts;
        return {};
    }
    /// A state that is set on a value: state dicts carry `_metadata`, which nothing here reads.
    Status build()
    {
        if (above() < 2)
            return damaged();
        const auto parts = pop(2);
        m_stack.push_back(parts[0]);
        return m_values[parts[0]].kind == Kind::Dictionary
                   ? Status()
                   : Status(refused("the pickle sets the state of something that is no dictionary"));
    }
    Status storage()
    {
        if (above() < 1)
            return damaged();
        return collect(Kind::Storage, pop(1));
    }

    Status remember(std::optional<std::uint64_t> place)
    {
        if (!place)
            return cutOff();
        if (m_stack.empty())
            return damaged();
        m_memo[*place] = m_stack.back();
        return {};
    }
    Status recall(std::optional<std::uint64_t> place)
    {
        if (!place)
            return cutOff();
        const auto found = m_memo.find(*place);
        if (found == m_memo.end())
            return damaged();
        m_stack.push_back(found->second);
        return {};
    }

    /// Whole numbers in as many bytes as they need, two's complement.
    Status longInteger()
    {
        const auto count = number(1);
        if (!count || *count > 8)
            return count ? refused("the pickle has a number of more than 64 bits") : cutOff();
        auto value = number(*count);
        if (!value)
            return cutOff();
        if (*count > 0 && *count < 8 && (*value >> (8 * *count - 1)) != 0)
            *value |= ~std::uint64_t{0} << (8 * *count);
        return pushInteger(static_cast<std::int64_t>(*value));
    }
    Status integer(std::optional<std::uint64_t> value, bool isSigned)
    {
        if (!value)
            return cutOff();
        return pushInteger(isSigned ? std::int64_t{static_cast<std::int32_t>(*value)}
                                    : static_cast<std::int64_t>(*value));
    }
    Status boolean(bool value)
    {
        push(Kind::Boolean).integer = value ? 1 : 0;
        return {};
    }
    Status empty(Kind kind)
    {
        push(kind);
        return {};
    }
    Status skip(std::size_t count) { return take(count) ? Status() : Status(cutOff()); }

    Status execute(unsigned char code)
    {
        switch (code) {
        case 0x80: // PROTO
            return skip(1);
        case 0x95: // FRAME
            return skip(8);
        case '(':
            m_marks.push_back(m_stack.size());
            return {};
        case 'N':
            return empty(Kind::None);
        case 0x88:
        case 0x89:
            return boolean(code == 0x88);
        case 'K':
            return integer(number(1), false);
        case 'M':
            return integer(number(2), false);
        case 'J':
            return integer(number(4), true);
        case 0x8a: // LONG1
            return longInteger();
        case 'G':
            return number(8) ? empty(Kind::Float) : Status(cutOff());
        case 'X':
            return pushText(number(4));
        case 0x8c: // SHORT_BINUNICODE
            return pushText(number(1));
        case ']':
            return empty(Kind::List);
        case '}':
            return empty(Kind::Dictionary);
        case ')':
            return empty(Kind::Tuple);
        case 0x85:
        case 0x86:
        case 0x87:
            return tuple(code - 0x84U);
        case 't':
            return collect(Kind::Tuple, popToMark());
        case 'l':
            return collect(Kind::List, popToMark());
        case 'd':
            return collect(Kind::Dictionary, popToMark());
        case 'e':
            return extend(Kind::List, popToMark());
        case 'u':
            return extend(Kind::Dictionary, popToMark());
        case 'a':
            return above() < 2 ? Status(damaged()) : extend(Kind::List, pop(1));
        case 's':
            return above() < 3 ? Status(damaged()) : extend(Kind::Dictionary, pop(2));
        case 'q':
            return remember(number(1));
        case 'r':
            return remember(number(4));
        case 0x94: // MEMOIZE
            return remember(m_memo.size());
        case 'h':
            return recall(number(1));
        case 'j':
            return recall(number(4));
        case 'c':
            return globalName();
        case 0x93: // STACK_GLOBAL
            return stackName();
        case 'Q': // BINPERSID
            return storage();
        case 'R':
            return call();
        case 'b':
            return build();
        default:
            return refused(
                fmt::format("the pickle has the instruction 0x{:02x}, which a file of weights has no "
                            "need of; nothing was executed",
                            code));
        }
    }

    std::string_view m_bytes;
    PickleValues m_values;
    std::vector<std::size_t> m_stack, m_marks;
    std::unordered_map<std::uint64_t, std::size_t> m_memo;
};

} // namespace

Result<PickleValues> readPickle(std::string_view bytes)
{
    return PickleProgram(bytes).run();
}

} // namespace assay
