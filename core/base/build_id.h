#pragma once

#include <string>

namespace assay {

/// Version and compiler of this program, as every run records them: "assay 0.1.0, GCC 12.2.0".
std::string buildId();

} // namespace assay
