#include "core/text/jinja/arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::jinja {

const Value* Arguments::find(std::string_view name, std::size_t position) const
{
    for (const auto& [known, value] : named)
        if (known == name)
            return &value;
    return position < positional.size() ? &positional[position] : nullptr;
}

const Value& Arguments::required(std::string_view name, std::size_t position) const
{
    const auto* value = find(name, position);
    if (!value)
        throw Fault(fmt::format("the argument \"{}\" is missing", name));
    return *value;
}

std::string Arguments::text(std::string_view name, std::size_t position, std::string missing) const
{
    const auto* value = find(name, position);
    if (!value)
        return missing;
    if (!value->text())
        throw Fault(fmt::format("\"{}\" must be a str, not a {}", name, value->typeName()));
    return *value->text();
}

std::int64_t Arguments::integer(std::string_view name, std::size_t position, std::int64_t missing) const
{
    const auto* value = find(name, position);
    if (!value)
        return missing;
    if (!value->integer())
        throw Fault(fmt::format("\"{}\" must be an int, not a {}", name, value->typeName()));
    return *value->integer();
}

void Arguments::expect(std::size_t positions, std::initializer_list<std::string_view> names) const
{
    if (positional.size() > positions)
        throw Fault("too many arguments");
    for (const auto& [name, value] : named)
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Fault(fmt::format("the argument \"{}\" is not taken", name));
}

} // namespace assay::jinja
