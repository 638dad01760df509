#!/usr/bin/env python3
"""Proves that the last line of test.sh cannot be green when something was red.

summary_self_test.py SCRIPTS
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv.pop())
QT_OUTPUT = "1: PASS   : TstThing::sum()\n1: Totals: {} passed, {} failed, {} skipped, 0 blacklisted, 3ms\n"
RESULT = "1/1 Test  #1: tst_thing ..........{}    0.01 sec\n"
END = "100% tests passed, 0 tests failed out of 1\n"


def summarise(text):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([sys.executable, "-B", SCRIPTS / "summarise_tests.py", f"{folder}/log"], input=text,
                             capture_output=True, text=True)
    return run.returncode, run.stdout.strip().splitlines()[-1]


class Summaries(unittest.TestCase):
    def test_cases(self):
        for name, text, expected in (
                ("green", QT_OUTPUT.format(5, 0, 0) + RESULT.format("   Passed") + END, (0, "5 passed, 0 failed")),
                ("skipped function", QT_OUTPUT.format(5, 0, 2) + RESULT.format("   Passed") + END,
                 (0, "5 passed, 0 failed, 2 skipped")),
                ("failed function", QT_OUTPUT.format(4, 1, 0) + RESULT.format("***Failed") + END,
                 (1, "4 passed, 1 failed")),
                ("crash without totals", "1: PASS   : x\n" + RESULT.format("***Exception: SegFault") + END,
                 (1, "0 passed, 1 failed")),
                ("crash after green totals", QT_OUTPUT.format(5, 0, 0) + RESULT.format("***Exception: SegFault") + END,
                 (1, "5 passed, 1 failed")),
                ("time limit", RESULT.format("***Timeout") + END, (1, "0 passed, 1 failed")),
                ("program absent", RESULT.format("***Not Run") + END, (1, "0 passed, 1 failed")),
                ("other test", "1: fine\n" + RESULT.format("   Passed") + END, (0, "1 passed, 0 failed")),
                ("other test skipped", RESULT.format("***Skipped") + END, (0, "0 passed, 0 failed, 1 skipped")),
                ("ctest killed", QT_OUTPUT.format(5, 0, 0) + RESULT.format("   Passed"), (1, "5 passed, 1 failed")),
                ("nothing to run", "No tests were found!!!\n", (1, "0 passed, 1 failed"))):
            with self.subTest(name=name):
                self.assertEqual(summarise(text), expected)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
