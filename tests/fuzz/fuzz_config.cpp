#include "core/config/json.h"
#include "core/text/layout.h"
#include "tests/fuzz/memory_file.h"

using namespace assay;

/// An experiment file and a layout file: what is accepted survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto config = configFromJson(fuzz::view(data, size));
    if (config.ok()) {
        const auto again = configFromJson(configToJson(*config));
        CHECK(again.ok() && differences(*config, *again).empty(),
              "an experiment changed when it was written");
    } else {
        fuzz::checkError(config.error());
    }
    const auto layout = layoutFromJson(fuzz::view(data, size));
    if (layout.ok()) {
        const auto again = layoutFromJson(layoutToJson(*layout));
        CHECK(again.ok() && *again == *layout, "a layout changed when it was written");
    } else {
        fuzz::checkError(layout.error());
    }
    return 0;
}
