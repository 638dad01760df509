#include "app/commands/commands.h"
#include "app/exit_codes.h"
#include "app/json_values.h"
#include "app/output.h"
#include "app/text.h"
#include "core/base/build_id.h"
#include "core/base/embedded_file.h"
#include "core/run/catalog.h"
#include "core/run/machine_report.h"
#include "core/text/sentencepiece_check.h"
#include "core/text/tokenizer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace assay {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLittleSpace = std::uintmax_t{2} << 30;

/// One line of the report.
struct Check
{
    std::string id;
    std::string status; ///< ok, note, warning, failed
    std::string text;
};

Check checkTokenizer()
{
    for (const auto& file : embeddedDemo()) {
        if (!file.name.ends_with(".model"))
            continue;
        const auto tokenizer = openSentencePiece(std::string(file.name), std::string(file.content));
        if (!tokenizer)
            return {"sentencepiece", "failed", tokenizer.error().text()};
        const std::string text = "2 + 3 = 5";
        const auto back = (*tokenizer)->decode((*tokenizer)->encode(text));
        return {
            "sentencepiece", back == text ? "ok" : "failed",
            fmt::format("{}, built from source; every model is checked before it is opened; the demo's of {} "
                        "pieces {}",
                        sentencePieceVersion(), (*tokenizer)->vocabularySize(),
                        back == text ? "encodes and decodes" : "does not give its text back")};
    }
    return {"sentencepiece", "note", "no tokenizer is built in"};
}

std::vector<Check> checkMachine()
{
    const auto machine = machineReport();
    std::vector<Check> checks;
    checks.push_back({"build", "ok", buildId()});
    checks.push_back({"libtorch", "ok",
                      fmt::format("{}, {}", machine.torchVersion,
                                  machine.torchHasCuda ? "built with CUDA" : "CPU build")});
    checks.push_back({"processor", "ok", fmt::format("{}, {} threads", machine.processor, machine.threads)});
    for (const auto& device : catalogDevices())
        checks.push_back({"device", "ok", fmt::format("{}: {}", device.id, device.title)});
    checks.push_back({"bfloat16", "ok",
                      fmt::format("{:.2f} times as fast as float32, largest relative error {:.4f}: {}",
                                  machine.bfloat16SpeedUp, machine.bfloat16LargestError,
                                  machine.bfloat16Used ? "used" : "float32 is used")});
    return checks;
}

Check checkSpace(const fs::path& folder)
{
    auto existing = folder;
    std::error_code code;
    while (!existing.empty() && !fs::exists(existing, code) && existing.has_relative_path())
        existing = existing.parent_path();
    const auto space = fs::space(existing.empty() ? fs::path(".") : existing, code);
    if (code)
        return {"disk", "warning",
                fmt::format("cannot tell the free space of {}: {}", folder.string(), code.message())};
    return {"disk", space.available < kLittleSpace ? "warning" : "ok",
            fmt::format("{} free at the store", bytesText(static_cast<std::int64_t>(space.available)))};
}

std::vector<Check> checkStore(const StorePlace& place)
{
    std::vector<Check> checks;
    std::error_code code;
    if (!fs::exists(place.database(), code)) {
        checks.push_back({"store", "note", fmt::format("there is none yet at {}", place.folder.string())});
    } else if (const auto reader = RunReader::open(place); !reader) {
        checks.push_back({"store", "failed", reader.error().text()});
    } else {
        const auto integrity = (*reader)->integrityCheck();
        const auto page = (*reader)->runs({});
        const auto bytes = static_cast<std::int64_t>(fs::file_size(place.database(), code));
        checks.push_back({"store", integrity.ok() && page.ok() ? "ok" : "failed",
                          integrity.ok() && page.ok()
                              ? fmt::format("{}: {} runs, {}, integrity check passed", place.folder.string(),
                                            page->total, bytesText(bytes))
                              : (integrity.ok() ? page.error() : integrity.error()).text()});
    }
    checks.push_back({"sqlite", "ok", storeEngineVersion()});
    checks.push_back(checkSpace(place.folder));
    return checks;
}

/// Looks for font files as fontconfig's usual folders hold them; the window itself asks Qt.
Check checkFonts()
{
    const char* home = std::getenv("HOME");
    const std::string user = home ? home : "";
    const std::array<fs::path, 4> folders = {"/usr/share/fonts", "/usr/local/share/fonts",
                                             user + "/.local/share/fonts", user + "/.fonts"};
    bool inter = false, dejavu = false;
    for (const auto& folder : folders) {
        std::error_code code;
        for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, code),
             end;
             !code && it != end; it.increment(code)) {
            const auto name = it->path().filename().string();
            inter = inter || name.starts_with("Inter");
            dejavu = dejavu || name.starts_with("DejaVuSans");
        }
    }
    if (inter && dejavu)
        return {"fonts", "ok", "Inter and DejaVu Sans are installed"};
    return {
        "fonts", "warning",
        fmt::format("{} missing; the window takes another font. Install fonts-inter and fonts-dejavu-core",
                    !inter && !dejavu ? "Inter and DejaVu Sans are"
                    : inter           ? "DejaVu Sans is"
                                      : "Inter is")};
}

class DoctorCommand : public Command
{
public:
    std::string_view name() const override { return "doctor"; }
    std::string_view summary() const override
    {
        return "Check this machine and the store: versions, devices, self-tests, disk, fonts";
    }
    void declare(CLI::App&) override {}

    Result<int> run(const Invocation& invocation) override
    {
        auto checks = checkMachine();
        checks.push_back(checkTokenizer());
        for (auto& check : checkStore(invocation.place))
            checks.push_back(std::move(check));
        checks.push_back(checkFonts());
        bool failed = false;
        TextTable table;
        table.columns = {{"check"}, {"status"}, {"what"}};
        Json list = Json::array();
        for (const auto& check : checks) {
            failed = failed || check.status == "failed";
            table.rows.push_back({check.id, check.status, check.text});
            list.push_back({{"id", check.id}, {"status", check.status}, {"text", check.text}});
        }
        if (invocation.json)
            printJson({{"ok", !failed}, {"checks", list}});
        else
            print(table.text());
        return failed ? exitCodeOf(ErrorCode::Store) : 0;
    }
};

} // namespace

std::unique_ptr<Command> makeDoctorCommand()
{
    return std::make_unique<DoctorCommand>();
}

} // namespace assay
