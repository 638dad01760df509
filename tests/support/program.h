#pragma once

#include <QtCore/QByteArray>
#include <QtCore/QProcess>
#include <QtCore/QStringList>

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace assay::tests {

/// What a run of the `assay` program gave back.
struct ProgramResult
{
    int exitCode = -1; ///< -1 = did not start or did not end
    QByteArray output, errors;

    nlohmann::json json() const { return nlohmann::json::parse(output.toStdString(), nullptr, false); }
    std::vector<nlohmann::json> jsonLines() const
    {
        std::vector<nlohmann::json> lines;
        for (const auto& line : output.split('\n'))
            if (!line.isEmpty())
                lines.push_back(nlohmann::json::parse(line.toStdString(), nullptr, false));
        return lines;
    }
};

/// A built program.
inline QString programPath(const QString& name = QStringLiteral("assay"))
{
    const char* folder = std::getenv("ASSAY_BIN_DIR");
    return QString::fromLocal8Bit(folder ? folder : ".") + QStringLiteral("/") + name;
}

/// Runs a built program with `words`; `input` goes to its standard input.
inline ProgramResult
runProgram(const QString& name, const QStringList& words, const QByteArray& input = {},
           const QProcessEnvironment& environment = QProcessEnvironment::systemEnvironment(),
           int milliseconds = 120000)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(programPath(name), words);
    process.write(input);
    process.closeWriteChannel();
    ProgramResult result;
    if (!process.waitForFinished(milliseconds)) {
        process.kill();
        process.waitForFinished(5000);
        result.errors = process.readAllStandardError();
        return result;
    }
    result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    return result;
}

/// Runs the command line.
inline ProgramResult runAssay(const QStringList& words, const QByteArray& input = {},
                              int milliseconds = 120000)
{
    return runProgram(QStringLiteral("assay"), words, input, QProcessEnvironment::systemEnvironment(),
                      milliseconds);
}

} // namespace assay::tests
