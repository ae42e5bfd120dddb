# SPDX-License-Identifier: Apache-2.0
"""A run that can be stopped: after every row, its file contains all results so far."""
import json
import os
import time

from timing import DISTURBED

SAME = ("machine", "commit", "target", "pytorch", "rounds", "clock")    # the same for all rows of one file


def span(seconds):
    """A remaining time, in words."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def disturbance(row):
    """The largest p90/p10 over the sizes of a row."""
    return max(size["spread"] for size in row["sizes"].values())


class Session:
    """`facts`: the content of a result besides its rows. `resume`: keeps the rows of the file; `repeat`: except disturbed ones, of which the quieter
    result is kept."""

    def __init__(self, path, facts, resume=False, repeat=False, clock=time.monotonic):
        earlier = json.loads(path.read_text(encoding="utf-8")) if resume and path.exists() else {"rows": [], **facts}
        for key in SAME:
            if earlier[key] != facts[key]:
                raise ValueError(f"{path} cannot be resumed: its {key} is {earlier[key]}, that of this run {facts[key]}")
        self.path, self.repeat, self.clock = path, repeat, clock
        self.results = {**facts, "rows": earlier["rows"], "failed": []}

    def earlier(self, wanted):
        """The file's result for a wanted row, if it has all sizes and everything else that has to be measured."""
        return next((row for row in self.results["rows"] if (row["row"], row["dtype"]) == (wanted["row"], wanted["dtype"]) and
                     set(wanted["sizes"]) <= set(row["sizes"]) and set(wanted["with"]) <= set(row["with"])), None)

    def measured(self, wanted):
        row = self.earlier(wanted)
        return row is not None and not (self.repeat and disturbance(row) > DISTURBED)

    def run(self, wanted, measure, tell):
        """Measures missing rows of the wanted ones. `measure`: a wanted row -> its result, or None if there is none; its exceptions are recorded, and
        the run continues. `tell`: receives a line of progress, and the row's result or the reason of its failure."""
        left = [each for each in wanted if not self.measured(each)]
        begun, before = self.clock(), len(wanted) - len(left)
        for done, each in enumerate(left):
            takes = f", {span((self.clock() - begun) / done * (len(left) - done))} left" if done else ""
            place = f"[{before + done + 1} of {len(wanted)}{takes}]"
            earlier = self.earlier(each)
            if earlier:    # repeated with the earlier measurement
                each = {**each, "sizes": list(earlier["sizes"]), "with": earlier["with"]}
            try:
                row = measure(each)
            except Exception as error:
                why = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
                self.results["failed"].append({"row": each["row"], "dtype": each["dtype"], "why": why})
                tell(place, self.results["failed"][-1])
                continue
            if row is not None:
                self.keep(min(filter(None, (earlier, row)), key=disturbance))
                tell(place, row)

    def keep(self, row):
        key = row["row"], row["dtype"]
        self.results["rows"] = [other for other in self.results["rows"] if (other["row"], other["dtype"]) != key] + [row]
        self.write()

    def write(self):
        """Atomically: if the run is stopped, the file is either the old or the new one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.results, indent=1), encoding="utf-8")
        os.replace(new, self.path)
