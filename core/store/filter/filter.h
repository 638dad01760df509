#pragma once

#include "core/base/result.h"
#include "core/store/sqlite/database.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What may be compared with a field, and how.
enum class FieldKind {
    Text,     ///< = and != ignore case; ~ contains
    Number,   ///< a number, or a percentage
    Time,     ///< "2026-07-16", "2026-07-16 12:30", today, yesterday; local time, = means the whole day
    Duration, ///< 90, 90s, 5min, 2h, 1d
    State,    ///< one of the run states
    Verdict,  ///< id or words of a verdict, or the flag "always True"
    Tag,      ///< a run has many
    Flag,     ///< stands alone
};

/// A name of the filter language and the SQL expression it stands for.
struct FilterField
{
    std::string name;
    FieldKind kind = FieldKind::Text;
    std::string sql;
    std::vector<SqlValue> values = {}; ///< parameters inside `sql`
};

struct FilterLanguage
{
    std::vector<FilterField> fields;
    /// Fields that no table can list (metrics of a run); empty = there is no such field.
    std::function<std::optional<FilterField>(std::string_view)> others;
    std::string wordSql; ///< condition for a word that stands alone; one parameter, a LIKE pattern
};

/// A condition over bound parameters.
struct Filter
{
    std::string sql = "1";
    std::vector<SqlValue> values;
    std::set<std::string, std::less<>> fields; ///< names it mentions
};

/// Reads `a > 1 and not (b = "x" or c ~ y) word`: comparisons, flags and words, joined by `and`, `or`, `not`
/// and parentheses; terms side by side mean `and`. Errors: Usage, where = the offending part, message with
/// its position.
Result<Filter> parseFilter(std::string_view text, const FilterLanguage& language);

/// Language of the filter line over runs; rows are `runs r`.
FilterLanguage runFilterLanguage();
/// Language of the filter over the steps of solutions; rows are `predictions p` with `examples x`.
FilterLanguage stepFilterLanguage();
/// Language of the filter over pairs; rows are `predictions c` (chosen) and `r` (rejected) with `examples x`.
FilterLanguage pairFilterLanguage();

} // namespace assay
