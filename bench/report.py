# SPDX-License-Identifier: Apache-2.0
"""Writes results as Markdown and as a plot."""
import importlib.util
import json
import re
import textwrap

COLUMNS = 150    # of a line of the documentation
PEERS = ("oneDNN", "PyTorch C++", "PyTorch as written", "torch.compile")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def ratio(row, name):
    contestant = row.get("contestants", {}).get(name)
    if contestant:
        return f"{contestant['ratio']:.2f}"
    return "refused" if name in row["refused"] else ""


def time_and_ratio(row, name):
    contestant = row["contestants"].get(name)
    return f"{seconds(contestant['median_s'])} ({contestant['ratio']:.2f})" if contestant else ratio(row, name)


def peers_of(rows, names):
    """Those of `names` that took part in a row, or were refused there."""
    return [name for name in names if any(name in row["contestants"] or name in row["refused"] for row in rows)]


def spread(row):
    return f"{row['spread']:.2f}" + (" *" if row["disturbed"] else "")


def measured(results, kind):
    return [row for row in results["rows"] if row["kind"] == kind and ("contestants" in row or "loaded" in row)]


def size_table(rows):
    peers = peers_of(rows, PEERS)
    return table(
        ["operator", "dtype", "data", "traffic", "threads", "Portacl", "GB/s", "ceiling GB/s", "fraction", *peers,
         "p90/p10"],
        [[row["operator"], row["dtype"], row["data"], row["label"], row["threads"],
          seconds(row["contestants"]["Portacl"]["median_s"]), f"{row['contestants']['Portacl']['gb_per_s']:.1f}",
          f"{row['ceiling']['gb_per_s']:.1f} {row['ceiling']['stores']}", f"{row['ceiling']['fraction']:.2f}",
          *(ratio(row, name) for name in peers), spread(row)] for row in rows])


def overhead_table(rows):
    names = peers_of(rows, ("oneDNN", "PyTorch C++", "PyTorch Python", "PyTorch as written"))
    return table(["operator", "tensor", "threads", "Portacl", *names, "p90/p10"],
                 [[row["operator"], row["label"], row["threads"], seconds(row["contestants"]["Portacl"]["median_s"]),
                   *(time_and_ratio(row, name) for name in names), spread(row)] for row in rows])


def speed_to(contestants, time):
    return f"{contestants['Portacl']['median_s'] / time:.2f}" if contestants else ""


def layout_table(rows):
    contiguous = {(row["operator"], row["threads"]): row["contestants"] for row in rows if row["label"] == "contiguous"}
    lines = []
    for row in rows:
        time = row["contestants"]["Portacl"]["median_s"]
        lines.append([row["operator"], row["label"], row["threads"], seconds(time),
                      speed_to(contiguous.get((row["operator"], row["threads"])), time),
                      f"{row['traffic_bytes'] / 2**20:.4g}", f"{row['touched_bytes'] / 2**20:.4g}",
                      f"{row['touched_bytes'] / time / 1e9:.1f}", ratio(row, "PyTorch C++"), spread(row)])
    return table(["operator", "layout", "threads", "Portacl", "speed to contiguous", "elements MiB", "cache lines MiB",
                  "cache lines GB/s", "PyTorch C++", "p90/p10"], lines)


def growth_table(rows):
    lines = []
    for row in rows:
        each = {name: f"{value['median_s'] / row['elements'] * 1e9:.3g}"
                for name, value in row["contestants"].items()}
        lines.append([row["operator"], row["label"], row["threads"], each["Portacl"],
                      f"{row['ceiling']['fraction']:.2f}", each.get("PyTorch C++", ""), spread(row)])
    return table(["operator", "elements", "threads", "Portacl ns/element", "fraction", "PyTorch C++ ns/element",
                  "p90/p10"], lines)


def loaded_table(rows):
    lines = []
    for row in rows:
        for name, times in row["loaded"].items():
            lines.append([row["operator"], row["label"], row["threads"], name,
                          *(seconds(times[key]) for key in ("quiet_s", "p50_s", "p90_s", "p99_s"))])
    return table(["operator", "tensor", "threads", "contestant", "median, quiet", "p50", "p90", "p99"], lines)


def refused_table(rows):
    """One line for all rows in which a contestant was refused for the same reason."""
    where = {}
    for row in rows:
        for name, why in row["refused"].items():
            label = f"{row['data']} {row['label']}"
            where.setdefault((row["operator"], row["dtype"], name, why.replace("|", "/")), {}).setdefault(label)
    return table(["operator", "dtype", "contestant", "why", "rows"],
                 [[*key, ", ".join(labels)] for key, labels in where.items()])


SECTIONS = (
    ("size", "Throughput", "`fraction`: of the better stream kernel's speed. Peers: their time divided by Portacl's.",
     size_table),
    ("shape", "Shapes of models", "As above.", size_table),
    ("overhead", "One call", "Time of one call, in brackets divided by Portacl's.", overhead_table),
    ("layout", "Layouts", "4096 x 4096 elements, or as many as the plan says.", layout_table),
    ("growth", "Growth", "Cost of an element as tensors grow.", growth_table),
    ("loaded", "Beside another process", "Single calls while another process keeps every core but one busy.",
     loaded_table),
)


def markdown(results):
    peers = [f"{name} {peer['version']} ({peer['kernels']})" for name, peer in results["peers"].items()
             if peer["kernels"]]    # without any it took part in no row
    facts = (f"- Machine: {results['machine']}", f"- Portacl: {results['commit']}, kernels {results['target']}",
             f"- Peers: {'; '.join(peers) or 'none'}",
             f"- Command: `{results['command'].strip()}`, {results['date']}, {results['rounds']} rounds; load before: {results['load_before']:.1f}",
             f"- Left out, as p90/p10 stayed above {results['spread_bound']}: {results['left_out']} rows" if "left_out" in results else
             f"- A star marks rows whose p90/p10 stayed above {results['spread_bound']}: something else used the machine.")
    parts = ["# Results\n\n" + "".join(textwrap.fill(fact, COLUMNS, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) + "\n"
                                       for fact in facts)]
    for kind, title, text, make in SECTIONS:
        rows = measured(results, kind)
        if rows:
            parts.append(f"## {title}\n\n{text}\n\n{make(rows)}")
    if any(row["refused"] for row in results["rows"]):
        parts.append(f"## Refused\n\nNot timed, because they failed or their output was wrong.\n\n"
                     + refused_table(results["rows"]))
    return "\n".join(parts)


# The row of an operator that stands for it, of one thread: 7.5 MiB of ordinary data, or this shape.
SUMMED_UP = {"aclnnCtcLoss": "T150 N32 C29 S30", "aclnnCtcLossBackward": "T150 N32 C29 S30"}


def summed_up(results):
    """What the chart shows of a run."""
    for row in measured(results, "size") + measured(results, "shape"):
        if row["data"] != "uniform" or row["threads"] != 1 or row["label"] != SUMMED_UP.get(row["operator"], "L3"):
            continue
        peers = {name: round(row["contestants"][name]["ratio"], 2) for name in PEERS if name in row["contestants"]}
        yield {"operator": row["operator"], "dtype": row["dtype"], "seconds": float(f"{row['contestants']['Portacl']['median_s']:.3g}"),
               "fraction": round(row["ceiling"]["fraction"], 2), "peers": peers, "date": results["date"][:10], "processor": processor(results["machine"]),
               "commit": results["commit"], "target": results["target"], "machine": results["machine"]}


def processor(machine):
    """Of a machine's line, what names a file: its family and model."""
    return "-".join(re.findall(r"(?:family|model) (\d+)", machine)) or "unknown"


def undisturbed(results):
    """The results without rows that stayed disturbed, and a line that counts these."""
    rows = [row for row in results["rows"] if not row.get("disturbed")]
    return {**results, "rows": rows, "left_out": len(results["rows"]) - len(rows)}


def publish(folder, results):
    """Writes the report into a file of its date, processor and target, and exchanges the rows of these in speed.json."""
    results = undisturbed(results)
    name = f"{results['date'][:10]}-{processor(results['machine'])}-{results['target']}.md"
    (folder / name).write_text(markdown(results), encoding="utf-8")
    path = folder / "speed.json"
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    newest = {tuple(row[key] for key in ("operator", "dtype", "processor", "target")): row for row in [*rows, *summed_up(results)]}
    path.write_text(json.dumps([newest[key] for key in sorted(newest)], indent=1) + "\n", encoding="utf-8")


def plot(results, path):
    """Draws uniform data: fraction of the ceiling, ratio to each peer, growth. Returns what came of it."""
    if importlib.util.find_spec("matplotlib") is None:
        return "no plot: matplotlib is not installed"
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    sizes = [row for row in measured(results, "size") if row["data"] == "uniform"][::-1]
    growth = measured(results, "growth")
    figure, (fractions, ratios, growths) = pyplot.subplots(1, 3, figsize=(20, 3 + 0.3 * len(sizes)),
                                                           layout="constrained")
    names = [f"{row['operator']} {row['dtype']} {row['label']} {row['threads']}T" for row in sizes]
    fractions.barh(names, [row["ceiling"]["fraction"] for row in sizes])
    fractions.axvline(1, color="black")
    fractions.set_title("fraction of the stream ceiling")
    for shape, name in zip("Dos^", PEERS):
        points = [(row["contestants"][name]["ratio"], label)
                  for row, label in zip(sizes, names) if name in row["contestants"]]
        if points:
            ratios.plot(*zip(*points), shape, label=name)
    ratios.axvline(1, color="black")
    ratios.set(title="time of the peer / time of Portacl", xscale="log", ylim=(-0.5, max(1, len(sizes)) - 0.5))
    ratios.grid(axis="y", alpha=0.3)
    for operator, threads in sorted({(row["operator"], row["threads"]) for row in growth}):
        for name, style in (("Portacl", "-o"), ("PyTorch C++", ":s")):
            points = [(row["elements"], row["contestants"][name]["median_s"]) for row in growth
                      if (row["operator"], row["threads"]) == (operator, threads) and name in row["contestants"]]
            if points:
                growths.loglog(*zip(*points), style, label=f"{name} {operator} {threads}T")
    growths.set(title="float32: seconds of a call", xlabel="elements")
    for axes in (ratios, growths):
        if axes.get_legend_handles_labels()[0]:
            axes.legend()
    figure.savefig(path, dpi=80)
    return f"{path}: the plot"
