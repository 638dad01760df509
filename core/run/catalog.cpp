#include "core/run/catalog.h"

#include "core/data/format.h"
#include "core/model/families.h"
#include "core/model/heads.h"
#include "core/objective/objective.h"
#include "core/run/compute.h"
#include "core/text/layout.h"

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>

namespace assay {

namespace {

CatalogEntry named(std::string_view id)
{
    return {std::string(id), std::string(id)};
}

} // namespace

std::vector<CatalogEntry> catalogFormats()
{
    std::vector<CatalogEntry> entries;
    for (const auto* format : datasetFormats())
        entries.push_back({std::string(format->id()), std::string(format->title())});
    return entries;
}

std::vector<CatalogEntry> catalogLayouts()
{
    std::vector<CatalogEntry> entries;
    for (const auto name : layoutNames())
        entries.push_back(named(name));
    return entries;
}

std::vector<CatalogEntry> catalogHeads()
{
    std::vector<CatalogEntry> entries;
    for (const auto& kind : headKinds())
        entries.push_back({std::string(kind.id), std::string(kind.title)});
    return entries;
}

std::vector<CatalogEntry> catalogObjectives()
{
    std::vector<CatalogEntry> entries;
    for (const auto name : objectiveNames())
        entries.push_back(named(name));
    return entries;
}

std::vector<CatalogEntry> catalogFamilies()
{
    std::vector<CatalogEntry> entries;
    for (const auto& family : families())
        entries.push_back({family.id, family.title});
    return entries;
}

std::vector<CatalogEntry> catalogDevices()
{
    std::vector<CatalogEntry> entries{{"cpu", processorName()}};
    if (at::hasCUDA())
        for (int i = 0; i < at::accelerator::deviceCount(); ++i)
            entries.push_back({"cuda:" + std::to_string(i), "CUDA device " + std::to_string(i)});
    return entries;
}

} // namespace assay
