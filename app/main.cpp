#include "app/command_line.h"

#include <clocale>

int main(int count, char** words)
{
    std::setlocale(LC_CTYPE, "");
    return assay::runCommandLine(std::vector<std::string>(words + 1, words + count));
}
