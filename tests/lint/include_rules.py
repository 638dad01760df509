#!/usr/bin/env python3
"""Executes the two tables of core/README.md: who may include whom, and where third-party headers may be seen.

include_rules.py ROOT

A pattern that ends in "/" means everything below that folder; any other may hold "*". The first row whose left side
matches a file decides about it. A header that is in no row is a violation: a new third party is a decision, and the
table is where it is written down.
"""
import fnmatch
import re
import sys

from source_tree import code_files, list_files, read_text, report

TABLES = "core/README.md"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"^[a-z_0-9]+$")
CELL_PATTERN = re.compile(r"`([^`]+)`")


def matches(pattern, name):
    return name.startswith(pattern) if pattern.endswith("/") else fnmatch.fnmatchcase(name, pattern)


def read_table(text, heading):
    """The rows under a heading as (patterns of the left cell, patterns of the right cell)."""
    section = text.split(f"\n## {heading}\n", 1)
    if len(section) != 2:
        raise ValueError(f"{TABLES} has no section '{heading}'")
    rows = []
    for line in section[1].split("\n## ", 1)[0].splitlines():
        if not line.startswith("|"):
            continue
        cells = line.strip().strip("|").split("|")
        left = CELL_PATTERN.findall(cells[0])
        if left:
            rows.append((left, CELL_PATTERN.findall(cells[1])))
    if not rows:
        raise ValueError(f"the table '{heading}' of {TABLES} is empty")
    return rows


def allowed_by(rows, name):
    """The right side of the first row whose left side matches, or None."""
    for left, right in rows:
        if any(matches(pattern, name) for pattern in left):
            return right
    return None


def check_own(folders, name, target):
    right = allowed_by(folders, name)
    if right is None:
        return f"{name}: is in no row of the table in {TABLES}"
    if any(matches(pattern, target) for pattern in right):
        return None
    return f"{name}: may not include {target}"


def check_third_party(headers, name, target):
    right = allowed_by(headers, target)
    if right is None:
        return f"{name}: includes <{target}>, which is in no row of the table in {TABLES}"
    if any(matches(pattern, name) for pattern in right):
        return None
    return f"{name}: may not include <{target}>"


def resolve(files, name, target):
    """The file of ours that a quoted include means, or None."""
    beside = name.rsplit("/", 1)[0] + "/" + target
    return next((path for path in (target, beside) if path in files), None)


def violations(root):
    text = read_text(root, TABLES)
    folders = read_table(text, "Who may include whom")
    headers = read_table(text, "Third-party headers")
    files = set(list_files(root))
    found = []
    for name in code_files(root):
        for kind, target in INCLUDE.findall(read_text(root, name)):
            problem = None
            if kind == "<":
                if not STANDARD.match(target):
                    problem = check_third_party(headers, name, target)
            elif not target.endswith(".moc"):
                own = resolve(files, name, target)
                problem = check_own(folders, name, own) if own else f'{name}: "{target}" is no file of this tree'
            if problem:
                found.append(problem)
    return found


if __name__ == "__main__":
    sys.exit(report("include rules", violations(sys.argv[1])))
