#!/usr/bin/env python3
"""Reads the output of `ctest --verbose` from stdin, keeps it in a log and says what it came to.

summarise_tests.py LOG               shows progress, then the output of failed tests, then "N passed, N failed"
summarise_tests.py --last-line LOG   the last line again, from the log

A Qt test program counts with the numbers of its "Totals:" lines, any other test as one. A program that fails without a
failed function (a crash, a time limit, a sanitizer) adds one failure, so that nothing red can be summed up as green.
"""
import re
import sys

OUTPUT = re.compile(r"^(\d+): (.*)$")
RESULT = re.compile(r"^\s*\d+/\d+ Test\s+#(\d+): (\S+) \.*\s*(.*?)\s+[\d.]+ sec")
TOTALS = re.compile(r"^Totals: (\d+) passed, (\d+) failed, (\d+) skipped, (\d+) blacklisted")


class Summary:
    def __init__(self):
        self.outputs = {}
        self.passed = 0
        self.failed = 0
        self.skipped = 0
        self.finished = False
        self.failures = []
        self.skips = []

    def read(self, line):
        """Takes one line of output; returns the text to show for it, if any."""
        output = OUTPUT.match(line)
        if output:
            self.outputs.setdefault(output[1], []).append(output[2])
            return None
        result = RESULT.match(line)
        if result:
            self.count(result[1], result[2], result[3])
            return line
        # ctest ends with this line, or with its complaint that there was nothing to run.
        if re.match(r"^\d+% tests passed", line):
            self.finished = True
        return line if line.startswith(("No tests were found", "CMake Error", "Could not")) else None

    def count(self, number, name, verdict):
        lines = self.outputs.get(number, [])
        totals = [match for match in map(TOTALS.match, lines) if match]
        failed = sum(int(match[2]) for match in totals)
        self.passed += sum(int(match[1]) for match in totals)
        self.skipped += sum(int(match[3]) + int(match[4]) for match in totals)
        self.skips += [text for text in lines if text.startswith("SKIP")]
        if "Passed" in verdict:
            self.passed += 0 if totals else 1
        elif "Skipped" in verdict or "Disabled" in verdict:
            self.skipped += 0 if totals else 1
        else:
            failed = max(failed, 1)
        self.failed += failed
        if failed:
            self.failures.append((name, verdict, lines))

    def last_line(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return text + (f", {self.skipped} skipped" if self.skipped else "")


def main(arguments):
    summary = Summary()
    if arguments[0] == "--last-line":
        with open(arguments[1], encoding="utf-8", errors="replace") as log:
            for line in log:
                summary.read(line.rstrip("\n"))
        print(summary.last_line())
        return 0
    sys.stdin.reconfigure(errors="replace")
    with open(arguments[0], "w", encoding="utf-8") as log:
        for line in sys.stdin:
            log.write(line)
            shown = summary.read(line.rstrip("\n"))
            if shown is not None:
                print(shown, flush=True)
    for name, verdict, lines in summary.failures:
        print(f"\n---- {name}: {verdict} ----")
        print("\n".join(lines[-80:]))
    if not summary.finished:
        # A ctest that was killed or could not start must not be summed up as green.
        print("ctest did not finish; see the log", file=sys.stderr)
        summary.failed += 1
    for reason in sorted(set(summary.skips)):
        print(reason)
    print(summary.last_line())
    return 1 if summary.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
