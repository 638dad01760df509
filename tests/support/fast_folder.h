#pragma once

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtCore/QTemporaryDir>

#include <memory>

namespace assay::tests {

/// A temporary folder, in memory where the machine has such a place: for tests that write thousands of disks.
inline std::unique_ptr<QTemporaryDir> fastFolder()
{
    const QString memory = QStringLiteral("/dev/shm");
    return std::make_unique<QTemporaryDir>((QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) +
                                           QStringLiteral("/assay-test-XXXXXX"));
}

} // namespace assay::tests
