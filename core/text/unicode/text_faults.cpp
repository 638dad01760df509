#include "core/text/unicode/text_faults.h"

#include "core/base/log.h"

namespace assay {

namespace {

thread_local TextFaults* gathering = nullptr;
thread_local std::string lastLogged;

} // namespace

TextFaults::TextFaults()
    : m_outer(gathering)
{
    gathering = this;
}

TextFaults::~TextFaults()
{
    gathering = m_outer;
}

void TextFaults::report(std::string_view fault)
{
    if (gathering) {
        if (!gathering->m_first)
            gathering->m_first = fault;
    } else if (lastLogged != fault) {
        lastLogged = fault;
        logWarning(lastLogged);
    }
}

} // namespace assay
