#include "app/command_line.h"
#include "app/process/short_spin.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <string_view>

namespace {

/// Commands that compute on all cores; the others are not worth a second start.
constexpr std::array<std::string_view, 6> kComputing{"demo", "train", "resume", "eval", "score", "model"};

} // namespace

int main(int count, char** words)
{
    if (count > 1 && std::find(kComputing.begin(), kComputing.end(), words[1]) != kComputing.end())
        assay::restartWithShortSpin(words);
    std::setlocale(LC_CTYPE, "");
    return assay::runCommandLine(std::vector<std::string>(words + 1, words + count));
}
