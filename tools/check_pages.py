#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the pages of documentation with the code and the lists that they describe.

    check_pages.py [repository]     checks it (default: the one this file is in)
    check_pages.py --write-counts   writes the numbers of operators and functions into the READMEs
    check_pages.py --self-test      creates each mistake in a small tree, and checks that exactly these are found

docs/variables.md names exactly the environment variables that the sources read. The READMEs, or the pages of families, name the operators in the lists of
exported names; the READMEs give the number of operators, and the numbers of all functions of the runtime, of those that work and of those that refuse.
Lines have at most 150 columns, except tables, blocks and text without blanks; a Chinese character takes two columns. Pages in Chinese link to pages in
Chinese, or state after the link that the page exists only in English. Files that the pages about the architecture name must exist.
"""
import pathlib
import re
import sys
import tempfile
import unicodedata

COLUMNS = 150
# Names are read where they are quoted, and in scripts where they have a default; names that only CMake uses are not
# variables.
VARIABLE = r"(?:PORTACL|ASCEND|STRESS)_[A-Z_]+[A-Z]"
IN_CODE = re.compile(rf"\"({VARIABLE})\"")
IN_SCRIPT = re.compile(rf"\$\{{({VARIABLE}):?-")
ON_PAGE = re.compile(rf"`({VARIABLE})`|^({VARIABLE}) ", re.M)
FOLDERS = ("src", "tests", "python", "bench", "tools", ".ci")
SET_FOR_OTHERS = {"ASCEND_OPP_PATH"}    # for the plug-in; the library does not read it
COUNTS = {
    "operators": re.compile(r"(\d+)(?: operators| 个算子)"),
    "functions": re.compile(r"(\d+)(?: functions of the runtime| 个运行时函数)"),
    "working functions": re.compile(r"(\d+)(?: of \d+ functions of the runtime| 个可用)"),
    "refusing functions": re.compile(r"(?<!\S)(\d+)(?: refuse| 个属于)"),
}


def read(path):
    return path.read_text(encoding="utf-8")


def check_variables(root):
    found = set()
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.name == "check_pages.py" or not path.is_file():
                continue
            if path.suffix in {".cc", ".h", ".py"}:
                found |= set(IN_CODE.findall(read(path)))
            elif path.suffix in {"", ".sh"}:
                found |= set(IN_SCRIPT.findall(read(path)))
    named = {a or b for a, b in ON_PAGE.findall(read(root / "docs/variables.md"))}
    yield from (f"docs/variables.md: lacks {name}, which is read" for name in sorted(found - named - SET_FOR_OTHERS))
    yield from (f"docs/variables.md: nothing reads {name}" for name in sorted(named - found))


def family_pages(root, suffix):
    """The pages in English for .md, in Chinese for .zh-CN.md."""
    return [page for page in (root / "docs/families").glob("*.md") if page.name.removeprefix(page.name.split(".")[0]) == suffix]


def readmes(root):
    return root / "README.md", root / "README.zh-CN.md"


def operator_names(root):
    return [name for path in (root / "tests/contract/exports").glob("libopapi*.txt") for name in re.findall(r"aclnn(\w+)GetWorkspaceSize\n", read(path))]


def counts(root):
    functions = read(root / "tests/contract/exports/libascendcl.txt").count("\n")
    refusing = sum(len(re.findall(r"^REFUSE\w*\(", read(path), re.M)) for path in (root / "src/runtime").rglob("absent_features.cc"))
    return {"operators": len(operator_names(root)), "functions": functions, "working functions": functions - refusing, "refusing functions": refusing}


def write_counts(root):
    for page in readmes(root):
        text = read(page)
        for what, number in counts(root).items():
            text = COUNTS[what].sub(lambda match: match[0].replace(match[1], str(number), 1), text)
        page.write_text(text, encoding="utf-8")


def check_counts(root):
    operators, right = operator_names(root), counts(root)
    for page in readmes(root):
        for what, pattern in COUNTS.items():
            given = pattern.findall(read(page))
            if not given or any(int(number) != right[what] for number in given):
                yield f"{page.name}: {what}: expected {right[what]}, got {', '.join(given) or 'nothing'}"
        # The pages of families list their operators, with their arguments.
        suffix = page.name.removeprefix("README")
        names = set(re.findall(r"`(?:aclnn)?(\w+)[`(]", "".join(map(read, [page, *family_pages(root, suffix)]))))
        yield from (f"{page.name} and the pages of families: lack `{name}`" for name in operators if name not in names)


def width(line):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


def check_lines(root):
    for page in [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")]:
        fenced = False
        for number, line in enumerate(read(page).splitlines(), 1):
            fenced ^= line.startswith("```")
            if width(line) > COLUMNS and not fenced and not line.startswith(("|", "    ")) and " " in line.strip():
                yield f"{page.relative_to(root)}:{number}: {width(line)} columns, more than {COLUMNS}"


def check_languages(root):
    for page in root.rglob("*.zh-CN.md"):
        if "build" in page.relative_to(root).parts:
            continue
        for target, behind in re.findall(r"\]\(([^):#]+\.md)[^)]*\)((?:(?!\n\n)[^\[])*)", read(page)):
            path, name = page.parent / target, f"{page.relative_to(root)}: {target}"
            if target.endswith(".zh-CN.md") or path.name == page.name.replace(".zh-CN", ""):
                continue
            if path.with_suffix(".zh-CN.md").exists():
                yield f"{name}: there is a page in Chinese"
            elif "英文" not in behind:
                yield f"{name}: expected （英文） behind the link"


def check_files(root):
    files = [str(path) for folder in FOLDERS + ("cmake",) for path in (root / folder).rglob("*.*")]
    for page in [root / "docs/ARCHITECTURE.md", *(root / "docs/design").glob("*.md")]:
        for name in re.findall(r"`([\w/.]+\.(?:cc|h|c|py|cmake))`", read(page)) if page.exists() else ():
            if not any(file.endswith(f"/{name}") for file in files):
                yield f"{page.relative_to(root)}: there is no {name}"


def check(root):
    return [*check_variables(root), *check_counts(root), *check_lines(root), *check_languages(root), *check_files(root)]


GOOD = {
    "docs/variables.md": "PORTACL_A_B 1\n`PORTACL_CD`\n| " + "x " * 200 + "|\n",
    "src/a.cc": 'Read("PORTACL_A_B");\n',
    "tools/b.sh": "echo ${PORTACL_CD:-1}\n",
    "tests/contract/exports/libopapi_nn.txt": "aclnnAGetWorkspaceSize\naclnnBGetWorkspaceSize\n",
    "tests/contract/exports/libascendcl.txt": "aclInit\naclFinalize\n",
    "src/runtime/absent_features.cc": "REFUSE(aclFinalize)\n",
    "docs/families/a.md": "[`aclnnB(self)`]()\n",
    "docs/design/a.md": "`src/a.cc` and `a.cc`\n",
    "docs/families/a.zh-CN.md": "[`aclnnB(self)`]() [a](a.md) [b](../variables.md)（英文）\n",
    "README.md": "2 operators and 1 of 2 functions of the runtime, 1 refuse: `A`\n",
    "README.zh-CN.md": "2 个算子和 2 个运行时函数，其中 1 个可用， 1 个属于：`A`\n",
}
BAD = {
    "src/a.cc": 'Read("PORTACL_A_B", "PORTACL_DE");\n',
    "tools/b.sh": "echo\n",
    "tests/contract/exports/libopapi_nn.txt": "aclnnAGetWorkspaceSize\naclnnCGetWorkspaceSize\n",
    "docs/families/a.md": "`aclnnC(self)`\n",
    "docs/design/a.md": "`a.h` and `a.cc`\n",
    "docs/families/a.zh-CN.md": "[`aclnnB(self)`]() [a](../families/a.zh-CN.md) [b](../variables.md)\n\n英文 [a](../b.md)（英文）\n",
    "tests/contract/exports/libascendcl.txt": "aclInit\n",
    "README.md": "2 operators and 2 of 2 functions of the runtime, 1 refuse: `A`\n",
    "README.zh-CN.md": "2 个算子和 2 个运行时函数，其中 1 个可用， 1 个属于：`A` [a](docs/families/a.md)（英文）\n" + "中 " * 60 + "\n",
}
# Both READMEs contradict a list of names: in the functions, and in the number of those that work.
PROBLEMS = {"tests/contract/exports/libopapi_nn.txt": 2, "tests/contract/exports/libascendcl.txt": 4, "README.zh-CN.md": 2}


def self_test():
    wrong = []
    for name, expected in [(None, 0), *((name, PROBLEMS.get(name, 1)) for name in BAD)]:
        with tempfile.TemporaryDirectory() as folder:
            for path, text in GOOD.items():
                path_in_tree = pathlib.Path(folder) / path
                path_in_tree.parent.mkdir(parents=True, exist_ok=True)
                path_in_tree.write_text(BAD[path] if path == name else text, encoding="utf-8")
            found = check(pathlib.Path(folder))
            if len(found) != expected:
                wrong.append(f"{name}: expected {expected} problems, found {found}")
    print("\n".join([*wrong, f"self-test: {len(BAD) + 1} cases, {len(wrong)} wrong"]))
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    here = pathlib.Path(__file__).resolve().parent.parent
    if arguments == ["--write-counts"]:
        return write_counts(here)
    problems = check(pathlib.Path(arguments[0]) if arguments else here)
    print("\n".join([*problems, f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
