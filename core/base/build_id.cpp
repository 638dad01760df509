#include "core/base/build_id.h"

namespace assay {

std::string buildId()
{
    // Clang names itself in the text of its version; GCC does not.
#ifdef __clang__
    return "assay " ASSAY_VERSION ", " __VERSION__;
#else
    return "assay " ASSAY_VERSION ", GCC " __VERSION__;
#endif
}

} // namespace assay
