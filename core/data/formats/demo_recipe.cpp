#include "core/data/demo_rows.h"
#include "core/data/formats/builtin.h"
#include "core/data/formats/json_rows.h"
#include "core/data/formats/json_values.h"

namespace assay {

namespace {

/// A small file that says how to make the demo's rows, instead of ten megabytes of them:
/// {"demo_recipe": "train", "seed": 0, "rows": 30000}. The same recipe gives the same rows on every machine.
class DemoRecipeFormat : public DatasetFormat
{
public:
    std::string_view id() const override { return "demo-recipe"; }
    std::string_view title() const override
    {
        return "Recipe of generated demo rows (demo_recipe, seed, rows)";
    }

    bool sniff(const std::filesystem::path&, std::string_view head) const override
    {
        const auto keys = firstKeys(head);
        return !keys.empty() && keys.front() == "demo_recipe";
    }

    Result<DatasetPtr> open(const std::filesystem::path& path, const OpenOptions& options) const override
    {
        constexpr std::int64_t kMostRows = 1'000'000;
        std::string name;
        std::int64_t seed = 0;
        DemoOptions recipe;
        Status status = Error{ErrorCode::BadData, "holds no recipe", path.string()};
        TRY_STATUS(readJsonRows(path, {},
                                [&](std::int64_t, std::int64_t, const Result<simdjson::dom::element>& value) {
                                    status = read(value, name, seed, recipe.rows, kMostRows);
                                    return false;
                                }));
        if (!status.ok()) {
            auto error = status.error();
            error.where = path.string();
            return error;
        }
        if (options.maximumRows > 0)
            recipe.rows = std::min(recipe.rows, options.maximumRows);
        std::vector<Example> examples;
        for (const auto& row : demoRows(static_cast<std::uint64_t>(seed), name, recipe)) {
            examples.push_back(demoExample(row));
            examples.back().source = path.string();
            examples.back().row = static_cast<std::int64_t>(examples.size()) - 1;
            identify(examples.back());
        }
        return DatasetPtr(std::make_shared<MemoryDataset>(std::move(examples)));
    }

private:
    static Status read(const Result<simdjson::dom::element>& value, std::string& name, std::int64_t& seed,
                       std::int64_t& rows, std::int64_t mostRows)
    {
        if (!value)
            return value.error();
        simdjson::dom::object object;
        if (value->get_object().get(object) != simdjson::SUCCESS)
            return Error{ErrorCode::BadData, "is not a JSON object"};
        TRY(name, textValue(object, "demo_recipe"));
        TRY(const auto seedValue, requiredValue(object, "seed"));
        TRY(seed, wholeNumber(seedValue, "seed", 0, std::int64_t{1} << 53));
        TRY(const auto rowsValue, requiredValue(object, "rows"));
        TRY(rows, wholeNumber(rowsValue, "rows", 1, mostRows));
        return {};
    }
};

} // namespace

const DatasetFormat& demoRecipeFormat()
{
    static const DemoRecipeFormat kFormat;
    return kFormat;
}

} // namespace assay
