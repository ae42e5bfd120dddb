# SPDX-License-Identifier: Apache-2.0
"""Turns the samples of a row into what is reported: medians, spread, ratios, bandwidth, fraction of the ceiling."""
import statistics

STREAMS = ("stream", "non-temporal stream")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def paired(numerator, denominator):
    """Median of the ratios of the same rounds: what disturbs a whole round cancels."""
    return statistics.median(a / b for a, b in zip(numerator, denominator))


def summarise(row):
    """Adds `contestants` to a measured row, and `ceiling` where stream kernels took part; times are of one call."""
    samples = row.get("samples")
    if not samples:
        return row
    ours = samples["Portacl"]
    row["contestants"] = {}
    for name, values in samples.items():
        median = statistics.median(values)
        row["contestants"][name] = {
            "median_s": median, "p10_s": percentile(values, 0.1), "p90_s": percentile(values, 0.9),
            "gb_per_s": row["traffic_bytes"] / median / 1e9, "ratio": paired(values, ours)}
    streams = [name for name in STREAMS if name in samples]
    if streams:
        best = min(streams, key=lambda name: row["contestants"][name]["median_s"])
        row["ceiling"] = {"stores": "ordinary" if best == STREAMS[0] else "non-temporal",
                          "gb_per_s": row["contestants"][best]["gb_per_s"], "fraction": paired(samples[best], ours)}
    return row
