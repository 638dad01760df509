"""The files of the tree as the lints see them: tracked or new, never ignored ones such as build/ and .deps/."""
import pathlib
import subprocess

CODE_FOLDERS = ("app", "core", "ui", "tests")
CODE_ENDINGS = (".h", ".cpp")


def list_files(root):
    """All files below root as posix paths relative to it; by git, or by walking where there is no repository."""
    root = pathlib.Path(root)
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode().split("\0")
        return sorted(name for name in set(listed) if name and (root / name).is_file())
    ignored = ("build/", ".deps/", ".cache/", ".git/")
    found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return sorted(name for name in found if not name.startswith(ignored) and "__pycache__" not in name)


def code_files(root):
    """The C++ files of ours."""
    return [name for name in list_files(root)
            if name.split("/")[0] in CODE_FOLDERS and name.endswith(CODE_ENDINGS)]


def read_text(root, name):
    return (pathlib.Path(root) / name).read_text(encoding="utf-8")


def outside_tables(lines):
    """Numbered lines without the regions that are marked as tables by "clang-format off"."""
    in_table = False
    for number, line in enumerate(lines, 1):
        if "// clang-format o" in line:
            in_table = "// clang-format off" in line
        elif not in_table:
            yield number, line


def report(rule, violations):
    """Prints what was found; the exit status of a lint."""
    for violation in violations:
        print(violation)
    print(f"{rule}: {len(violations)} violations" if violations else f"{rule}: clean")
    return 1 if violations else 0
