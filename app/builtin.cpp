#include "app/commands/commands.h"
#include "app/commands/probes/probes.h"

namespace assay {

std::vector<std::unique_ptr<Command>> builtinCommands()
{
    std::vector<std::unique_ptr<Command>> commands;
    commands.push_back(makeDemoCommand());
    commands.push_back(makeTrainCommand());
    commands.push_back(makeResumeCommand());
    commands.push_back(makeEvalCommand());
    commands.push_back(makeRunsCommand());
    commands.push_back(makeShowCommand());
    commands.push_back(makeModelCommand());
    commands.push_back(makeExportCommand());
    commands.push_back(makeTokenizeCommand());
    commands.push_back(makeDataCommand());
    commands.push_back(makeScoreCommand());
    commands.push_back(makeObjectiveCommand());
    commands.push_back(makeMetricsCommand());
    commands.push_back(makeTokenRewardsCommand());
    commands.push_back(makeBenchCommand());
    commands.push_back(makeDoctorCommand());
    commands.push_back(makeGuiCommand());
    commands.push_back(makeHelpCommand());
    return commands;
}

} // namespace assay
