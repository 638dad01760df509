#!/usr/bin/env python3
"""Checks the C++ files against .clang-tidy with clang-tidy 14, the version that file is written for: the readers of rows,
where hostile files come in, with every header of ours that they include. Other folders of core_base take three to five
seconds a file, those of app/ and ui/ 14 to 33; FOLDERS is where to add what may cost that.

tidy_rules.py ROOT BUILD    exit status 77 (skipped) where that version is not installed; BUILD holds compile_commands.json

A file that was clean is not looked at again until it, a header of ours that it includes, the settings or the tool change:
a stamp of their hash is kept per user (ASSAY_CACHE, default ~/.cache/assay), so a second clone is as quick.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from source_tree import list_files, report

SKIPPED = 77
FOLDERS = ("core/data/",)
STAMP_DAYS = 30
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
FOUND = re.compile(r"^(\S+?):(\d+):\d+: (?:warning|error): (.*)$", re.MULTILINE)


def find_tool():
    for name in ("clang-tidy-14", "clang-tidy"):
        path = shutil.which(name)
        if path and "version 14." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


def stamp_folder():
    cache = os.environ.get("ASSAY_CACHE")
    if not cache:
        cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "assay")
    return pathlib.Path(cache) / "tidy"


class Tidy:
    """One run over a tree; `looked_at` lists the files that no stamp answered for."""

    def __init__(self, root, build, tool, stamps=None, folders=FOLDERS):
        self.root, self.build, self.tool = pathlib.Path(root).resolve(), pathlib.Path(build).resolve(), tool
        self.stamps = pathlib.Path(stamps) if stamps else stamp_folder()
        self.folders = tuple(folders)
        self.looked_at = []
        version = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
        self.base = hashlib.sha256(version + (self.root / ".clang-tidy").read_bytes()).digest()
        self.headers = {}

    def commands(self):
        """Compile commands of the files that are looked at, by name."""
        known = set(list_files(self.root))
        commands = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8")):
            path = pathlib.Path(entry["directory"], entry["file"]).resolve()
            name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else ""
            if name in known and name.startswith(self.folders):
                commands[name] = entry.get("command") or " ".join(entry["arguments"])
        return commands

    def closure(self, name):
        """The file and every header of ours that it includes, directly or not."""
        reached, waiting = set(), [name]
        while waiting:
            current = waiting.pop()
            if current in reached or not (self.root / current).is_file():
                continue
            reached.add(current)
            if current not in self.headers:
                content = (self.root / current).read_bytes()
                self.headers[current] = (hashlib.sha256(content).digest(),
                                         [include.decode() for include in INCLUDE.findall(content)])
            waiting += self.headers[current][1]
        return sorted(reached)

    def stamp(self, name, command):
        key = hashlib.sha256(self.base)
        # Where the tree lies says nothing about what is in it.
        key.update(command.replace(str(self.build), "BUILD").replace(str(self.root), "ROOT").encode())
        for part in self.closure(name):
            key.update(part.encode() + b"\0" + self.headers[part][0])
        return self.stamps / key.hexdigest()

    def look_at(self, name):
        """What is wrong with a file, each once."""
        # The commands are the compiler's of the build, which may know warnings that clang does not.
        run = subprocess.run([self.tool, "-p", str(self.build), "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                              str(self.root / name)], cwd=self.root, capture_output=True, text=True)
        found = []
        for path, line, text in FOUND.findall(run.stdout):
            path = pathlib.Path(path)
            place = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
            found.append(f"{place}:{line}: {text}")
        if run.returncode != 0 and not found:
            found.append(f"{name}: {(run.stdout + run.stderr).strip()[-500:]}")
        return found

    def violations(self):
        commands = self.commands()
        if not commands:
            return [f"{self.build}/compile_commands.json names no file that this lint looks at"]
        stamps = {name: self.stamp(name, command) for name, command in commands.items()}
        self.looked_at = [name for name in commands if not stamps[name].exists()]
        self.stamps.mkdir(parents=True, exist_ok=True)
        found = set()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, places in zip(self.looked_at, pool.map(self.look_at, self.looked_at)):
                if places:
                    found.update(places)
                else:
                    stamps[name].touch()
        self.forget(set(stamps.values()))
        return sorted(found)

    def forget(self, used):
        """Keeps the stamps that were of use lately."""
        for stamp in used:
            if stamp.exists():
                os.utime(stamp)
        for stamp in self.stamps.iterdir():
            if time.time() - stamp.stat().st_mtime > STAMP_DAYS * 86400:
                stamp.unlink(missing_ok=True)


if __name__ == "__main__":
    found_tool = find_tool()
    if found_tool is None:
        print("skipped: clang-tidy 14 is not installed")
        sys.exit(SKIPPED)
    tidy = Tidy(sys.argv[1], sys.argv[2], found_tool)
    status = report("tidy", tidy.violations())
    print(f"{len(tidy.looked_at)} files looked at; the others have not changed since they were clean")
    sys.exit(status)
