#pragma once

#include <QtTest/QTest>

#include <cstdlib>
#include <filesystem>

namespace assay::tests {

/// The folder with the external test data: ASSAY_TEST_DATA, else `shared/data` beside the repository.
inline std::filesystem::path testData()
{
    if (const char* path = std::getenv("ASSAY_TEST_DATA"))
        return path;
    const char* source = std::getenv("ASSAY_SOURCE_DIR");
    return std::filesystem::path(source ? source : ".") / ".." / "shared" / "data";
}

} // namespace assay::tests

/// Skips the test function when the named part of the test data is not there.
#define NEED_TEST_DATA(part)                                                                                 \
    do {                                                                                                     \
        if (!std::filesystem::exists(assay::tests::testData() / (part)))                                     \
            QSKIP(qPrintable(QStringLiteral("skipped: no test data ") +                                      \
                             QString::fromStdString((assay::tests::testData() / (part)).string())));         \
    } while (false)

/// Fails with the error's text when a Result is an error; evaluates its argument once.
#define QVERIFY_RESULT(result)                                                                               \
    do {                                                                                                     \
        const auto& verified_ = (result);                                                                    \
        QVERIFY2(verified_.ok(), verified_.ok() ? "" : verified_.error().text().c_str());                    \
    } while (false)
