# SPDX-License-Identifier: Apache-2.0
"""Writes what bench/families.py measured as Markdown: one table a family, and the summary of docs/benchmarks.md."""
import re
import statistics
import textwrap

from report import COLUMNS, processor, seconds, table

SLOW, DISTURBED, NEAR = 0.9, 1.25, 0.85
BEGIN, END = "<!-- families: begin (written by bench/families.py --into) -->\n", "<!-- families: end -->\n"


def wrapped(text):
    return textwrap.fill(text, COLUMNS, subsequent_indent="  " if text.startswith("- ") else "", break_long_words=False, break_on_hyphens=False)


def shown(error):
    return f"{float(f'{error:.2g}'):g}"


def cells(row, labels):
    """Our time at each size with PyTorch's divided by it."""
    for label in labels:
        size = row["sizes"].get(label)
        star = " *" if size and size["spread"] > DISTURBED else ""
        yield f"{seconds(size['ours_s'])} ({size['ratio']:.2f}{star})" if size else ""


def measurements(results):
    return [(row, label, size) for row in results["rows"] for label, size in row["sizes"].items()]


def slow(results):
    """Rows below 0.9, the worst first."""
    found = [(size["ratio"], f"{row['row']} {row['dtype']} {label}") for row, label, size in measurements(results) if size["ratio"] < SLOW]
    return [f"{name} {ratio:.2f}" for ratio, name in sorted(found)]


def summary(results):
    """Facts of a run in a few lines."""
    ratios = [size["ratio"] for _, _, size in measurements(results)]
    below = slow(results)
    compared = [row["errors"] for row in results["rows"] if row["errors"]]
    machine = results["machine"].split(", Linux")[0]
    lines = [f"- {results['date'][:10]}, {machine}; PyTorch {results['pytorch']}; Portacl {results['commit']}; one thread"]
    if ratios:
        lines.append(f"- {len(results['rows'])} rows, {len(ratios)} times: the median is {statistics.median(ratios):.2f} times as fast as PyTorch; "
                     f"{sum(r >= 1 for r in ratios)} are at least as fast, {len(below)} take more than 1.1 times as long")
    if compared:
        lines.append(f"- largest error at most PyTorch's in {sum(ours <= theirs for ours, theirs in compared)} of {len(compared)} rows")
    disturbed = sum(size["spread"] > DISTURBED for _, _, size in measurements(results))
    lines.append(f"- {disturbed} times have p90/p10 above {DISTURBED}; load of other programs before: {results['load_before']:.1f}" + (f"; {len(results['failed'])} rows failed" if results["failed"] else ""))
    return "\n".join(map(wrapped, lines)) + "\n"


def beside_ceiling(rows):
    dtypes = list(dict.fromkeys(dtype for row in rows.values() for dtype in row))
    lines = []
    for title, row in sorted(rows.items()):
        marks = (" *" if dtype in row and row[dtype]["spread"] > DISTURBED else "" for dtype in dtypes)
        lines.append([title, *(f"{row[dtype]['fraction']:.2f}{mark}" if dtype in row else "" for dtype, mark in zip(dtypes, marks))])
    cells = [cell["fraction"] for row in rows.values() for cell in row.values()]
    text = wrapped(f"Time of a kernel that moves as many bytes of memory in as many streams, with ordinary or non-temporal stores, divided by ours, at "
                   f"2^24 elements, one thread: {sum(cell >= NEAR for cell in cells)} of {len(cells)} are at least {NEAR}.")
    return f"## Beside the ceiling of memory\n\n{text}\n\n" + table(["row", *dtypes], lines)


def markdown(results):
    labels = list(dict.fromkeys(label for _, label, _ in measurements(results)))
    parts = [f"# Rows of families beside PyTorch, {results['date'][:10]}\n", summary(results),
             wrapped(f"Command: `{results['command'].strip()}`, {results['rounds']} rounds, time of the {results['clock']}.") + "\n",
             wrapped(f"Cells: time of a call, in brackets PyTorch's time divided by it; a star: p90/p10 above {DISTURBED}. Sizes in elements: L2 2^14, "
                     "L3 2^18, memory 2^24, or less where a row says so. Errors: the largest in units in the last place of the exact result, or of the "
                     "largest term where terms cancel, over ordinary operands and over those of every size; `inf`: infinite or NaN where the exact "
                     "result is not.") + "\n"]
    for family in dict.fromkeys(row["family"] for row in results["rows"]):
        lines = []
        for row in results["rows"]:
            if row["family"] == family:
                lines.append([row["row"], row["dtype"], *cells(row, labels), *(map(shown, row["errors"]) if row["errors"] else ("", ""))])
        lines.sort(key=lambda line: line[0])
        parts.append(f"## {family.capitalize()}\n\n" + table(["row", "dtype", *labels, "error", "PyTorch's"], lines))
    below = slow(results)
    parts.append(f"## Below {SLOW}\n\n" + ("\n".join(f"- {line}" for line in below) or "None.") + "\n")
    if results.get("ceiling"):
        parts.append(beside_ceiling(results["ceiling"]))
    if results["failed"]:
        parts.append("## Failed\n\n" + table(["row", "dtype", "why"], [[f["row"], f["dtype"], f["why"].replace("|", "/")] for f in results["failed"]]))
    return "\n".join(parts)


def published(page_text):
    """The summaries that a page has, by their files."""
    block = page_text.partition(BEGIN)[2].partition(END)[0]
    return {re.search(r"\(benchmarks/(.*?)\)", text)[1]: text for text in block.strip().split("\n\n") if text}


def publish(folder, results):
    """Writes the report into a file of its date and processor, and the summary into the page beside the folder, in place of that processor's last."""
    name = f"{results['date'][:10]}-families-{processor(results['machine'])}.md"
    (folder / name).write_text(markdown(results), encoding="utf-8")
    page = folder.parent / "benchmarks.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    kept = [text for file, text in published(BEGIN + rest).items() if not file.endswith(f"-families-{processor(results['machine'])}.md")]
    text = summary(results) + f"- every row, and those below {SLOW}: [{name}](benchmarks/{name})"
    page.write_text(head + BEGIN + "\n\n".join([text, *kept]) + "\n" + END + rest.partition(END)[2], encoding="utf-8")
