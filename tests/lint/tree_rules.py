#!/usr/bin/env python3
"""What every file of the tree must keep to: sizes, names, no path of one machine, nothing unlisted.

tree_rules.py ROOT
"""
import collections
import re
import sys

from source_tree import code_files, list_files, outside_tables, read_text, report

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 80
MAX_PAIRS_IN_FOLDER = 15
TEXT_ENDINGS = (".h", ".cpp", ".py", ".sh", ".cmake", ".json", ".md", ".sql", ".txt", ".qss", ".svg", "CMakeLists.txt",
                "/run", ".clang-format", ".clang-tidy")
# A folder that exists on one machine only. A name before the slash makes it part of a longer path or an address.
MACHINE_PATH = re.compile(r"(?<![\w.\-/}~])/(?:home|root|work|Users|mnt|media|scratch|srv)/[\w.]")
VAGUE_NAME = re.compile(r"\b(?:class|struct)\s+\w*(?:Manager|Helper|Utils?)\b")
FILE_NAME = re.compile(r"^[a-z0-9_]+\.(?:h|cpp)$")
TYPE_MADE = re.compile(r"^(?:class|struct|union)\s+(\w+)(?:\s+final)?(?:\s*:.*)?(?:\s*\{.*)?$")
TYPE_LINE = re.compile(r"^(?:template|class|struct|enum|union|namespace|extern)\b")


def text_files(root):
    return [name for name in list_files(root) if name.endswith(TEXT_ENDINGS)]


def check_machine_paths(root):
    found = []
    for name in text_files(root):
        if name.startswith("tests/lint/"):
            continue  # the pattern itself, and its negative examples
        for number, line in enumerate(read_text(root, name).splitlines(), 1):
            if MACHINE_PATH.search(line):
                found.append(f"{name}:{number}: a path of one machine: {line.strip()[:100]}")
    return found


def check_sizes(root):
    found = []
    for name in code_files(root) + [name for name in list_files(root) if name.endswith((".py", ".sh", ".cmake"))]:
        lines = len(read_text(root, name).splitlines())
        if lines > MAX_FILE_LINES:
            found.append(f"{name}: {lines} lines, at most {MAX_FILE_LINES}")
    return found


def check_functions(root):
    """Bodies that open and close in the first column are functions, unless a type's line stands before them."""
    found = []
    for name in code_files(root):
        opened, length, before = 0, 0, ""
        for number, line in outside_tables(read_text(root, name).splitlines()):
            if line == "{" and not TYPE_LINE.match(before):
                opened, length = number, -1
            elif line.startswith("}") and opened:
                if length > MAX_FUNCTION_LINES:
                    found.append(f"{name}:{opened}: a function of {length} lines, at most {MAX_FUNCTION_LINES}")
                opened = 0
            length += 1
            before = line
    return found


def check_folders(root):
    pairs = collections.defaultdict(set)
    for name in code_files(root):
        folder, _, file = name.rpartition("/")
        if not name.startswith("tests/"):
            pairs[folder].add(file.rsplit(".", 1)[0])
    return [f"{folder}/: {len(stems)} pairs of .h and .cpp, at most {MAX_PAIRS_IN_FOLDER}"
            for folder, stems in sorted(pairs.items()) if len(stems) > MAX_PAIRS_IN_FOLDER]


def check_names(root):
    found = []
    for name in code_files(root):
        if not FILE_NAME.match(name.rsplit("/", 1)[1]):
            found.append(f"{name}: file names are snake_case")
        for number, line in enumerate(read_text(root, name).splitlines(), 1):
            if VAGUE_NAME.search(line):
                found.append(f"{name}:{number}: a name that says nothing: {line.strip()[:100]}")
    return found


def check_listed(root):
    """Every .cpp is named in the CMakeLists.txt of its folder, so that no test is silently left out."""
    files = set(list_files(root))
    found = []
    for name in code_files(root):
        folder, _, file = name.rpartition("/")
        if not file.endswith(".cpp"):
            continue
        lists = f"{folder}/CMakeLists.txt"
        stem = file[:-len(".cpp")]
        if lists not in files or not re.search(rf"\b{stem}\b", read_text(root, lists)):
            found.append(f"{name}: is not named in {lists}")
    return found


def check_types(root):
    """One name, one type: the linker joins two classes of a name without a word, and calls one for the other."""
    places = collections.defaultdict(set)
    for name in code_files(root):
        if not name.endswith(".h"):
            continue
        text = read_text(root, name)
        space = re.search(r"^namespace (\S+) \{", text, re.MULTILINE)
        for line in text.splitlines():
            made = TYPE_MADE.match(line)
            if made:
                places[(space.group(1) if space else "", made.group(1))].add(name)
    return [f"{space}::{kind} is a type in {' and in '.join(sorted(names))}"
            for (space, kind), names in sorted(places.items()) if len(names) > 1]


RULES = (check_machine_paths, check_sizes, check_functions, check_folders, check_names, check_listed,
         check_types)


def violations(root):
    return [violation for rule in RULES for violation in rule(root)]


if __name__ == "__main__":
    sys.exit(report("tree rules", violations(sys.argv[1])))
