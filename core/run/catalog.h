#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Something selectable by id: a layout, head, objective, family, format, device.
struct CatalogEntry
{
    std::string id;
    std::string title;
};

std::vector<CatalogEntry> catalogFormats();
std::vector<CatalogEntry> catalogLayouts();
std::vector<CatalogEntry> catalogHeads();
std::vector<CatalogEntry> catalogObjectives();
std::vector<CatalogEntry> catalogFamilies();
/// `cpu` and what else this machine has.
std::vector<CatalogEntry> catalogDevices();

} // namespace assay
