#pragma once

#include "core/text/jinja/value.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::jinja {

/// What a call was given.
struct Arguments
{
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> named;

    /// By name, else by position; null when not given.
    const Value* find(std::string_view name, std::size_t position) const;
    /// A text, or `missing`. Throws Fault for anything else.
    std::string text(std::string_view name, std::size_t position, std::string missing) const;
    std::int64_t integer(std::string_view name, std::size_t position, std::int64_t missing) const;
    const Value& required(std::string_view name, std::size_t position) const;
    /// Throws Fault when there are more, or one with a name not in `names`.
    void expect(std::size_t positions, std::initializer_list<std::string_view> names = {}) const;
};

} // namespace assay::jinja
