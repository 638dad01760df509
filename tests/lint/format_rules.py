#!/usr/bin/env python3
"""Checks the C++ files against .clang-format with clang-format 14, the version that file is written for, and what that
tool cannot break: lines of more than 110 columns.

format_rules.py ROOT         exit status 77 (skipped) where that version is not installed
format_rules.py --fix ROOT   formats the files in place
"""
import re
import shutil
import subprocess
import sys

from source_tree import code_files, outside_tables, read_text, report

SKIPPED = 77
MAX_COLUMNS = 110


def find_tool():
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and re.search(r"version 14\.", subprocess.run([path, "--version"], capture_output=True,
                                                              text=True, check=True).stdout):
            return path
    return None


def violations(root, tool):
    files = code_files(root)
    if not files:
        return []
    run = subprocess.run([tool, "--dry-run", "--style=file", *files], cwd=root, capture_output=True, text=True)
    places = re.findall(r"^(\S+?):(\d+):\d+: (?:warning|error):", run.stderr, re.MULTILINE)
    first = {}
    for name, line in places:
        first.setdefault(name, line)
    found = [f"{name}:{line}: not as clang-format writes it" for name, line in sorted(first.items())]
    if run.returncode != 0 and not found:
        found.append(run.stderr.strip()[:500])
    for name in files:
        for number, line in outside_tables(read_text(root, name).splitlines()):
            if len(line) > MAX_COLUMNS and name not in first and "://" not in line:
                found.append(f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
    return found


if __name__ == "__main__":
    found_tool = find_tool()
    if found_tool is None:
        print("skipped: clang-format 14 is not installed")
        sys.exit(SKIPPED)
    if sys.argv[1] == "--fix":
        subprocess.run([found_tool, "-i", "--style=file", *code_files(sys.argv[2])], cwd=sys.argv[2], check=True)
        sys.exit(0)
    sys.exit(report("format", violations(sys.argv[1], found_tool)))
