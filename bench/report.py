# SPDX-License-Identifier: Apache-2.0
"""Writes the results of bench/measure.py as Markdown: one table per family, and the summary of docs/benchmarks.md."""
import re
import statistics
import textwrap

from timing import DISTURBED

COLUMNS = 150    # width of a line of the documentation
SLOW, NEAR = 0.9, 0.85
LABELS = ("one", "L2", "L3", "memory", "given")    # the order of columns
BEGIN, END = "<!-- runs: begin (written by bench/run --into) -->\n", "<!-- runs: end -->\n"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def processor(machine):
    """The part of a file name that a machine's line determines: family and model."""
    return "-".join(re.findall(r"(?:family|model) (\d+)", machine)) or "unknown"


def wrapped(text):
    return textwrap.fill(text, COLUMNS, subsequent_indent="  " if text.startswith("- ") else "", break_long_words=False, break_on_hyphens=False)


def shown(error, digits=2):
    return f"{float(f'{error:.{digits}g}'):g}"


def cell(size):
    """Our time, then PyTorch's and that of other peers relative to it."""
    ratios = [f"{size['ratio']:.2f}", *(f"{name} {ratio:.2f}" for name, ratio in size.get("peers", {}).items())]
    return f"{seconds(size['ours_s'])} ({', '.join(ratios)}{' *' if size['spread'] > DISTURBED else ''})"


def measurements(results):
    """The times of the calls that are summarised: calls of one element are reported separately."""
    return [(row, label, size) for row in results["rows"] for label, size in row["sizes"].items() if label != "one"]


def slow(results):
    """Rows below 0.9, the slowest first."""
    found = [(size["ratio"], f"{row['row']} {row['dtype']} {label}") for row, label, size in measurements(results) if size["ratio"] < SLOW]
    return [f"{name} {ratio:.2f}" for ratio, name in sorted(found)]


def threads_of(results):
    """Threads of either side, from the command."""
    found = re.search(r"--threads[ =](\d+)", results["command"])
    return int(found[1]) if found else 1


def count_of(results):
    threads = threads_of(results)
    return "one thread" if threads == 1 else f"{threads} threads"


def summary(results):
    """A summary of a run in a few lines."""
    ratios = [size["ratio"] for _, _, size in measurements(results)]
    below = slow(results)
    compared = [row["errors"] for row in results["rows"] if row["errors"]]
    machine = results["machine"].split(", Linux")[0]
    lines = [f"- {results['date'][:10]}, {machine}; PyTorch {results['pytorch']}; Portacl {results['commit']}; {count_of(results)}"]
    if ratios:
        lines.append(f"- {len(results['rows'])} rows, {len(ratios)} times: the median is {statistics.median(ratios):.2f} times as fast as PyTorch; "
                     f"{sum(r >= 1 for r in ratios)} are at least as fast, {len(below)} take more than 1.1 times as long")
    calls = [row["sizes"]["one"] for row in results["rows"] if "one" in row["sizes"]]
    if calls:
        ours, theirs = (statistics.median(call[key] for call in calls) for key in ("ours_s", "theirs_s"))
        lines.append(f"- a call of one element: {seconds(ours)}, the median of {len(calls)} rows; PyTorch {seconds(theirs)}")
    if compared:
        lines.append(f"- largest error at most PyTorch's in {sum(ours <= theirs for ours, theirs in compared)} of {len(compared)} rows")
    disturbed = sum(size["spread"] > DISTURBED for _, _, size in measurements(results))
    lines.append(f"- {disturbed} times have p90/p10 above {DISTURBED}; load of other programs before: {results['load_before']:.1f}"
                 + (f"; {len(results['failed'])} rows failed" if results["failed"] else ""))
    return "\n".join(map(wrapped, lines)) + "\n"


def beside_ceiling(results):
    """Larger than the caches, or at the single size of a row."""
    found = {}
    for row, label, size in measurements(results):
        if label in ("memory", "given") and "fraction" in size:
            found.setdefault(row["row"], {})[row["dtype"]] = f"{size['fraction']:.2f}" + (" *" if size["spread"] > DISTURBED else "")
    if not found:
        return []
    dtypes = list(dict.fromkeys(dtype for row in found.values() for dtype in row))
    fractions = [float(cell.split()[0]) for row in found.values() for cell in row.values()]
    text = wrapped(f"Time of a kernel that moves as many bytes of memory in as many streams, with ordinary or non-temporal stores, divided by ours: "
                   f"{sum(fraction >= NEAR for fraction in fractions)} of {len(fractions)} are at least {NEAR}.")
    return [f"## Beside the ceiling of memory\n\n{text}\n\n"
            + table(["row", *dtypes], [[title, *(row.get(dtype, "") for dtype in dtypes)] for title, row in sorted(found.items())])]


def family_table(rows):
    labels = [label for label in LABELS if any(label in row["sizes"] for row in rows)]
    lines = [[row["row"], row["dtype"], *(cell(row["sizes"][label]) if label in row["sizes"] else "" for label in labels),
              *(map(shown, row["errors"]) if row["errors"] else ("", ""))] for row in rows]
    return table(["row", "dtype", *labels, "error", "PyTorch's"], sorted(lines, key=lambda line: line[0]))


def markdown(results):
    command = re.sub(r" --output[ =]\S+", "", results["command"]).strip()    # a folder of that machine
    parts = [f"# Rows beside PyTorch, {results['date'][:10]}\n", summary(results),
             wrapped(f"Command: `{command}`, {results['rounds']} rounds, time of the {results['clock']}.") + "\n",
             wrapped("Cells: time of a call, in brackets PyTorch's time divided by it, and those of other peers by name; a star: p90/p10 above "
                     f"{DISTURBED}. Sizes in elements: L2 2^14, L3 2^18, memory 2^24, or less where a row says so; given: the shape that the row "
                     "names. Errors: the largest in units in the last place of the exact result, or of the largest term where terms cancel, over "
                     "ordinary operands and over those of every size; `inf`: infinite or NaN where the exact result is not.") + "\n"]
    for family in dict.fromkeys(row["family"] for row in results["rows"]):
        parts.append(f"## {family.capitalize()}\n\n" + family_table([row for row in results["rows"] if row["family"] == family]))
    parts.append(f"## Below {SLOW}\n\n" + ("\n".join(f"- {line}" for line in slow(results)) or "None.") + "\n")
    parts += beside_ceiling(results)
    if results["failed"]:
        lines = [[each["row"], each["dtype"], each["why"].replace("|", "/")] for each in results["failed"]]
        parts.append("## Failed\n\n" + table(["row", "dtype", "why"], lines))
    return "\n".join(parts)


def published(page_text):
    """The summaries on a page, by their files."""
    block = page_text.partition(BEGIN)[2].partition(END)[0]
    return {re.search(r"\(benchmarks/(.*?)\)", text)[1]: text for text in block.strip().split("\n\n") if text}


def publish(folder, results):
    """Writes the report into a file named by date, processor, instructions and threads, and the summary into the page next to the folder: both
    replace their previous ones."""
    threads = threads_of(results)
    ending = f"-{processor(results['machine'])}{'-avx2' * ('--avx2' in results['command'].split())}{f'-threads{threads}' * (threads > 1)}.md"
    name = results["date"][:10] + ending
    (folder / name).write_text(markdown(results), encoding="utf-8")
    page = folder.parent / "benchmarks.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    kept = published(BEGIN + rest)
    for file in [file for file in kept if file.endswith(ending)]:
        del kept[file]
        if file != name:
            (folder / file).unlink(missing_ok=True)
    text = summary(results) + f"- every row, and those below {SLOW}: [{name}](benchmarks/{name})"
    page.write_text(head + BEGIN + "\n\n".join([text, *kept.values()]) + "\n" + END + rest.partition(END)[2], encoding="utf-8")
