#include "app/output.h"

#include "app/error_json.h"
#include "app/exit_codes.h"
#include "app/setting_flags.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace assay {

namespace {

using Json = nlohmann::ordered_json;

void write(std::FILE* file, std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), file);
    if (text.empty() || text.back() != '\n')
        std::fputc('\n', file);
    std::fflush(file);
}

} // namespace

void print(std::string_view text)
{
    write(stdout, text);
}

void printJsonLine(const Json& json)
{
    write(stdout, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void printJson(const Json& json)
{
    write(stdout, json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void printNote(std::string_view text)
{
    write(stderr, text);
}

int printError(const Error& error, bool json)
{
    // A setting is a flag here; where it stands may be a key of a file.
    auto shown = error;
    shown.message = settingsAsFlags(shown.message);
    shown.remedy = settingsAsFlags(shown.remedy);
    printNote("assay: " + shown.text());
    if (json)
        printJson({{"error", errorJson(error)}});
    return exitCodeOf(error.code);
}

} // namespace assay
