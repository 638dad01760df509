#include "core/data/example.h"

#include "core/base/hash.h"
#include "core/data/dataset.h"

#include <cstring>

namespace assay {

namespace {

constexpr std::size_t kIdCharacters = 32;

std::string labelBytes(const Label& label)
{
    std::string bytes(sizeof(float) + 1, '\0');
    std::memcpy(bytes.data(), &label.value, sizeof(float));
    bytes.back() = label.supervised ? 1 : 0;
    return bytes;
}

} // namespace

void identify(Example& example)
{
    Sha256 hash;
    Sha256 group;
    if (const auto* row = example.stepwise()) {
        hash.addField("stepwise");
        hash.addField(row->prompt);
        for (const auto& step : row->steps) {
            hash.addField(step.text);
            hash.addField(labelBytes(step.label));
        }
        group.addField(row->prompt);
    } else if (const auto* tokens = example.tokenised()) {
        hash.addField("tokenised");
        const auto bytes = [](std::int32_t id) {
            return std::string(reinterpret_cast<const char*>(&id), sizeof id);
        };
        for (std::size_t i = 0; i < tokens->ids.size(); ++i) {
            hash.add(bytes(tokens->ids[i]));
            hash.add(labelBytes(tokens->labels[i]));
        }
        // The prompt of a tokenised row is not marked; all of its ids are the safest group.
        for (const auto id : tokens->ids)
            group.add(bytes(id));
    }
    example.id = hash.hex().substr(0, kIdCharacters);
    example.group = group.hex().substr(0, kIdCharacters);
}

std::string Dataset::fingerprint() const
{
    Sha256 hash;
    for (std::int64_t i = 0; i < size(); ++i)
        hash.addField(at(i).id);
    return hash.hex();
}

const std::vector<RowProblem>& Dataset::problems() const
{
    static const std::vector<RowProblem> kNone;
    return kNone;
}

} // namespace assay
