#!/usr/bin/env python3
"""Proves for every lint that it catches what it is for: each case plants one fault in a small clean tree."""
import json
import pathlib
import sys
import tempfile
import unittest

import format_rules
import include_rules
import tidy_rules
import tree_rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLEAN = {
    "core/base/thing.h": "#pragma once\n#include <string>\n",
    "core/base/thing.cpp": '#include "core/base/thing.h"\n',
    "core/base/CMakeLists.txt": "target_sources(core_base PRIVATE thing.cpp thing.h)\n",
}


class LintCase(unittest.TestCase):
    def tree(self, files):
        """A tree of its own with the tables and the format of the real one, the clean files, and the given ones."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kept = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("core/README.md", ".clang-format")}
        for name, text in {**kept, **CLEAN, **files}.items():
            path = pathlib.Path(folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder.name

    def assert_caught(self, found, text):
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])


class IncludeRules(LintCase):
    def found(self, name, include):
        return include_rules.violations(self.tree({name: f"#include {include}\n"}))

    def test_clean(self):
        self.assertEqual(include_rules.violations(self.tree({})), [])

    def test_caught(self):
        for name, include, text in (
                ("core/nn/a.cpp", "<torch/torch.h>", "may not include"),
                ("core/text/a.cpp", "<ATen/ATen.h>", "may not include"),
                ("core/run/session.h", "<ATen/core/Tensor.h>", "may not include"),
                ("core/base/a.cpp", "<QString>", "may not include"),
                ("core/data/a.cpp", "<sqlite3.h>", "may not include"),
                ("core/store/a.h", "<SQLiteCpp/Database.h>", "may not include"),
                ("ui/pages/a.cpp", "<qcustomplot.h>", "may not include"),
                ("ui/plots/a.h", "<qcustomplot.h>", "may not include"),
                ("core/base/a.cpp", "<boost/any.hpp>", "is in no row"),
                ("core/base/a.cpp", '"core/base/absent.h"', "no file of this tree"),
                ("core/unknown/a.cpp", '"core/base/thing.h"', "is in no row"),
                ("app/a.cpp", '<simdjson.h>', "may not include")):
            with self.subTest(name=name, include=include):
                self.assert_caught(self.found(name, include), text)

    def test_folders(self):
        for lower, upper in (("core/base", "core/config"), ("core/data", "core/text"), ("core/eval", "core/store"),
                             ("core/text", "core/model"), ("core/train", "core/run"), ("core/store", "ui/pages")):
            with self.subTest(lower=lower, upper=upper):
                found = include_rules.violations(self.tree(
                    {f"{lower}/low.cpp": f'#include "{upper}/high.h"\n', f"{upper}/high.h": "#pragma once\n"}))
                self.assert_caught(found, f"may not include {upper}/high.h")

    def test_own_torch_place_is_allowed(self):
        self.assertEqual(self.found("core/nn/a.cpp", "<ATen/core/Tensor.h>"), [])

    def test_missing_table_is_an_error(self):
        with self.assertRaises(ValueError):
            include_rules.violations(self.tree({"core/README.md": "# core\n"}))


class TreeRules(LintCase):
    def found(self, files):
        return tree_rules.violations(self.tree(files))

    def test_clean(self):
        self.assertEqual(self.found({}), [])

    def test_machine_path(self):
        for folder in ("home", "work", "root", "Users"):
            with self.subTest(folder=folder):
                self.assert_caught(self.found({"core/base/thing.h": f'const char* p = "/{folder}/someone/x";\n'}),
                                   "a path of one machine")

    def test_addresses_are_no_paths(self):
        self.assertEqual(self.found({"README.md": "https://example.org/home/x ../work/x ~/work/x\n"}), [])

    def test_file_size(self):
        self.assert_caught(self.found({"core/base/thing.h": "int x;\n" * 501}), "501 lines")

    def test_a_table_is_no_long_function(self):
        body = "int f()\n{\n    // clang-format off\n" + "    row;\n" * 90 + "    // clang-format on\n}\n"
        self.assertEqual(self.found({"core/base/thing.cpp": body}), [])

    def test_function_size(self):
        body = "int f()\n{\n" + "    g();\n" * 81 + "}\n"
        self.assert_caught(self.found({"core/base/thing.cpp": body}), "a function of 81 lines")
        type_body = "struct S\n{\n" + "    int a;\n" * 81 + "};\n"
        self.assertEqual(self.found({"core/base/thing.cpp": type_body}), [])

    def test_folder_size(self):
        names = [f"thing{number}" for number in range(16)]
        files = {f"core/data/{name}.cpp": "\n" for name in names}
        files["core/data/CMakeLists.txt"] = " ".join(name + ".cpp" for name in names)
        self.assert_caught(self.found(files), "16 pairs")

    def test_vague_name(self):
        self.assert_caught(self.found({"core/base/thing.h": "class RunManager;\n"}), "says nothing")

    def test_file_name(self):
        self.assert_caught(self.found({"core/base/RunThing.h": "\n"}), "snake_case")

    def test_one_name_for_two_types(self):
        twice = {"core/base/thing.h": "namespace assay {\n\nstruct Thing\n{\n    int a;\n};\n\n} // namespace assay\n",
                 "ui/thing.h": "namespace assay {\n\nclass Thing : public QWidget\n{\n};\n\n} // namespace assay\n"}
        self.assert_caught(self.found(twice), "assay::Thing is a type in")
        twice["ui/thing.h"] = "namespace assay {\n\nclass Thing;\n\n} // namespace assay\n"
        self.assertEqual(self.found(twice), [])

    def test_unlisted_source(self):
        self.assert_caught(self.found({"core/base/other.cpp": "\n"}), "is not named in")


class FormatRules(LintCase):
    def setUp(self):
        self.tool = format_rules.find_tool()
        if self.tool is None:
            self.skipTest("clang-format 14 is not installed")

    def test_clean(self):
        good = "class Thing\n{\npublic:\n    int size() const { return m_size; }\n\nprivate:\n    int m_size = 0;\n};\n"
        self.assertEqual(format_rules.violations(self.tree({"core/base/thing.h": good}), self.tool), [])

    def test_columns(self):
        wide = f'const char* text = R"(\n{"x" * 111}\n)";\n'
        self.assert_caught(format_rules.violations(self.tree({"core/base/thing.h": wide}), self.tool), "columns")
        table = f"// clang-format off\n{wide}// clang-format on\n"
        self.assertEqual(format_rules.violations(self.tree({"core/base/thing.h": table}), self.tool), [])

    def test_caught(self):
        for bad in ("int f() {\n    return 1;\n}\n", "int *p;\n", "void f()\n{\n  g();\n}\n"):
            with self.subTest(bad=bad):
                found = format_rules.violations(self.tree({"core/base/thing.cpp": bad}), self.tool)
                self.assert_caught(found, "core/base/thing.cpp:1:" if "void" not in bad else "core/base/thing.cpp:")


class TidyRules(LintCase):
    CLEAN_UNIT = '#include "core/base/thing.h"\nnamespace assay {\nint zero()\n{\n    return kZero;\n}\n}\n'
    CLEAN_HEADER = "#pragma once\nnamespace assay {\nconstexpr int kZero = 0;\nint zero();\n}\n"

    def setUp(self):
        self.tool = tidy_rules.find_tool()
        if self.tool is None:
            self.skipTest("clang-tidy 14 is not installed")
        stamps = tempfile.TemporaryDirectory()
        self.addCleanup(stamps.cleanup)
        self.stamps = stamps.name

    def run_on(self, unit, header=CLEAN_HEADER, place="core/base/thing.cpp"):
        root = self.tree({"core/base/thing.h": header, place: unit,
                          ".clang-tidy": (ROOT / ".clang-tidy").read_text(encoding="utf-8")})
        build = pathlib.Path(root) / "build"
        build.mkdir()
        (build / "compile_commands.json").write_text(json.dumps([
            {"directory": str(build), "file": f"{root}/{place}",
             "command": f"c++ -std=c++20 -Wno-dangling-reference -Wno-restrict -I{root} -c {root}/{place}"}]))
        tidy = tidy_rules.Tidy(root, build, self.tool, self.stamps, ("core/base/",))
        return tidy.violations(), tidy.looked_at

    def test_clean_and_then_by_stamp(self):
        self.assertEqual(self.run_on(self.CLEAN_UNIT), ([], ["core/base/thing.cpp"]))
        self.assertEqual(self.run_on(self.CLEAN_UNIT), ([], []))  # another folder, the same content
        changed = self.CLEAN_HEADER.replace("= 0", "= 1")
        self.assertEqual(self.run_on(self.CLEAN_UNIT, changed), ([], ["core/base/thing.cpp"]))

    def test_caught_every_time(self):
        faults = (
            ("double half(int a)\n{\n    return a / 2;\n}\n", "bugprone-integer-division"),
            ("int* f()\n{\n    return 0;\n}\n", "modernize-use-nullptr"),
            ("int Bad_Name()\n{\n    return 1;\n}\n", "readability-identifier-naming"),
            ("int f(int* p)\n{\n    if (!p)\n        return *p;\n    return 0;\n}\n", "clang-analyzer-core"),
            ("int f()\n{\n    return unknown;\n}\n", "undeclared identifier"))
        for unit, text in faults:
            with self.subTest(text=text):
                for _ in range(2):  # what was found leaves no stamp
                    found, looked_at = self.run_on(unit)
                    self.assert_caught(found, text)
                    self.assertIn("core/base/thing.cpp:", found[0])
                    self.assertEqual(looked_at, ["core/base/thing.cpp"])

    def test_header_of_ours(self):
        found, _ = self.run_on(self.CLEAN_UNIT, self.CLEAN_HEADER.replace("int zero();", "int zero();\nint Odd();"))
        self.assert_caught(found, "core/base/thing.h:")

    def test_nothing_to_look_at_is_an_error(self):
        found, _ = self.run_on("int f();\n", place="core/nn/thing.cpp")
        self.assert_caught(found, "names no file")


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
