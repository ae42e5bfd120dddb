#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on private words for which the field has a standard term: in sources, messages, pages and the last commit's subject.

    check_words.py              checks all tracked files, and the subject of the last commit
    check_words.py --list       prints what to write in place of what
    check_words.py --self-test  checks examples of each of these words, and correct lines
"""
import itertools
import pathlib
import re
import subprocess
import sys

# Folders and files that are not checked yet. Dated measurements are not changed.
EXCLUDED = ("bench/", "docs/benchmarks/", "tools/check_words.py")
SUFFIXES = {".cc", ".h", ".c", ".cpp", ".inc", ".in", ".py", ".pyi", ".md", ".txt", ".cmake", ".sh", ".yml", ".toml", ".1", ".bash", ""}

COMMENT = r"(?:// ?|# |\"\"\")"
# (Pattern of the words, their replacement, example lines.)
GONE = [
    (r"\b[Ss]o (?:many|few|much)\b(?!.*\bthat\b)", "the number, 'this many', 'up to N'", ["// Rows are taken so many at a time.", "Not so much is left."]),
    (COMMENT + r"Of ", "the subject: 'The text of ...', 'For ...'", ["  // Of the last failure.", "# Of two, the first.", '    """Of a list."""']),
    (r"(?<![Rr]e)[Tt]urned\b(?! (?:on|off|into)\b)", "'transposed', 'rotated', 'permuted'", ["a turned matrix", "bool is_turned", "kTurned"]),
    (r"\baround the cache\b", "'non-temporal'", ["Stores go around the cache."]),
    (r"\bcut off\b", "'truncated'", ["Fractions are cut off."]),
    (r"\b[Ww]eighed\b", "'weighted'", ["weighed by the softmax"]),
    (r"\b(?:[Oo]f|[Oo]ver) nothing\b", "'empty'", ["A sum of nothing is 0.", "Over nothing it is 1."]),
    (r"\bcounts? modulo\b", "'wrap modulo'", ["Integers count modulo 2^n."]),
    (r"\bask(?:s|ed)? (?:ahead|for .* ahead)\b", "'prefetch'", ["asks ahead", "lines are asked for 8 ahead"]),
    (r"\bthe begin of\b", "'the beginning of', or 'aligned to'", ["at the begin of a line"]),
    (r"\bmixture of (?!experts)", "'combination of', for flags", ["expected a mixture of 0x1 and 0x2"]),
    (r"\b(?:ReadsLate|AreOne|NeedStream|NeedContext|SettleStreams|LetGo\w*|FollowFailure|LateBlocks|TheWatch|TasksTell|AddWeighed|kTold|is_told|"
     r"kOfNothing|OnProducts|ProductSet|CurrentProduct)\b", "the name it has now (git log -S NAME)", ["builder.ReadsLate(0);", "LetGoOfOneRecord"]),
]
# Verbs with which a subject must not begin, because they hide what was changed.
VERBS = re.compile(r"(?:Say|Tell|Let|Renew|Part|Ask|Mend)\b")

SOUND = ["So many lines that none fits.", "Returned by a task.", "return a returned value", "turned off", "turned into a list", "// Often used.",
         "// Offsets of rows.", "the cutoff", "Weights are added.", "Nothing of value.", "counts elements modulo", "asks for memory", "the beginning of a line"]
WRAPPED = ["  // what is cut\n  // off", "rows of so\nmany elements", '"Fractions are cut "\n"off."', "# is weighed\n# by"]
SOUND_SUBJECTS = ["Split reduce_axes.cc", "Prefetch every other line in row sums", "Letters of axes may be upper case"]
HIDING_SUBJECTS = ["Say how a form counts", "Renew the figures", "Ask for every second line", "Prefetch so many lines"]

MARKER = re.compile(r"^\s*(?://+|#|\")?\s*")    # the beginning of a comment, or of a continued string
PATTERNS = [(re.compile(pattern), instead) for pattern, instead, _ in GONE]
ANY = re.compile("|".join(f"(?:{pattern})" for pattern, _, _ in GONE))


def problems_of(line, following=""):
    """`following`: the next line, in which a phrase may end."""
    line = line.rstrip('" ')
    both = line + " " + MARKER.sub("", following)
    for pattern, instead in PATTERNS if ANY.search(both) else ():
        match = pattern.search(both)
        if match and match.start() < len(line):
            yield f"'{match[0].strip()}': write {instead}"


def problems_of_subject(subject):
    yield from problems_of(subject)
    match = VERBS.match(subject)
    if match:
        yield f"'{match[0]}': begin with what was done to the code: Add, Fix, Rename, Split, Remove"


def git(*arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    return subprocess.run(("git", *arguments), cwd=root, check=True, capture_output=True, text=True).stdout


def check():
    for name in git("ls-files", "-z").split("\0"):
        path = pathlib.Path(__file__).resolve().parent.parent / name
        if not name or name.startswith(EXCLUDED) or path.suffix not in SUFFIXES or not path.is_file():
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, (line, following) in enumerate(itertools.zip_longest(lines, lines[1:], fillvalue=""), 1):
            for problem in problems_of(line, following):
                yield f"{name}:{number}: {problem}"
    subject = git("log", "-1", "--no-merges", "--format=%s").strip()
    for problem in problems_of_subject(subject):
        yield f"last commit, \"{subject}\": {problem}"


def self_test():
    wrong = [line for line in SOUND if list(problems_of(line))]
    wrong += [line for pattern, _, lines in GONE for line in lines if not re.search(pattern, line)]
    wrong += [lines for lines in WRAPPED if not list(problems_of(*lines.split("\n")))]
    wrong += [subject for subject in SOUND_SUBJECTS if list(problems_of_subject(subject))]
    wrong += [subject for subject in HIDING_SUBJECTS if not list(problems_of_subject(subject))]
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"self-test: {len(SOUND) + len(WRAPPED) + len(SOUND_SUBJECTS) + len(HIDING_SUBJECTS) + sum(len(row[2]) for row in GONE)} cases, {len(wrong)} wrong")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments == ["--list"]:
        print("\n".join(f"{lines[0]:<40} {instead}" for _, instead, lines in GONE))
        return 0
    problems = list(check())
    print("\n".join([*problems, f"{len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
