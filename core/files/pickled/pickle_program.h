#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A value that a pickle spells; others are named by their place in PickleValues.
struct PickleValue
{
    enum class Kind {
        None,
        Boolean,
        Integer,
        Float,
        Text,
        Tuple,
        List,
        Dictionary, ///< `items`: key, value, key, value
        Name,       ///< of a class or function, "module name"; never looked up
        Storage,    ///< `items`: the persistent id, a tuple
        Call        ///< `items`: the Name and the tuple of arguments; recorded, never made
    };
    Kind kind = Kind::None;
    std::int64_t integer = 0; ///< of Integer and Boolean
    std::string text;         ///< of Text and Name
    std::vector<std::size_t> items;
};

struct PickleValues
{
    std::vector<PickleValue> values;
    std::size_t root = 0;

    const PickleValue& operator[](std::size_t place) const { return values[place]; }
};

/// Reads a pickle as torch writes state dicts, without executing anything: names are texts, and a call of one
/// of the few known ones (an ordered dictionary, the rebuilding of a tensor or parameter) is recorded as
/// data. Everything else, other names and other instructions, is refused. Memory is bounded by the size of
/// `bytes`. Errors: BadModel naming the instruction or what it calls.
Result<PickleValues> readPickle(std::string_view bytes);

} // namespace assay
