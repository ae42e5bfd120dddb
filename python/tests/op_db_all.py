# SPDX-License-Identifier: Apache-2.0
"""Every operator of PyTorch's database compared with the CPU: python op_db_all.py [name]...

Prints one line for each operator that differs, and a summary; exit code 1 if a difference is not a known limit. Takes a few
minutes.
"""

import json
import subprocess
import sys
import warnings


def work(names):
    """Compares operators one after the other and prints a JSON line for each; a crash ends only this process."""
    import op_db_compare
    from portacl.fallback import native

    warnings.simplefilter("ignore")
    known = op_db_compare.operators()
    for name in names:
        print(json.dumps({"begin": name}), flush=True)
        try:
            outcome = {"calls": op_db_compare.check(known[name])}
        except Exception as error:  # whatever the operator raises is the result
            outcome = {"error": f"{type(error).__name__}: {error}"}
        ran, missing = native.outcomes()
        print(json.dumps({"name": name, **outcome, "ran": sorted(ran), "missing": missing}), flush=True)
        native.forget()


def outcomes(names):
    """{name: outcome}; restarts the worker after an operator that crashed it."""
    found = {}
    while len(found) < len(names):
        left = [name for name in names if name not in found]
        worker = subprocess.Popen([sys.executable, __file__, "--work", *left], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        current = left[0]
        for line in worker.stdout:
            if not line.startswith("{"):
                continue
            event = json.loads(line)
            current = event.get("begin", current)
            if "name" in event:
                found[event.pop("name")] = event
        if worker.wait() != 0:
            found.setdefault(current, {"error": f"the process died with exit code {worker.returncode}"})
    return found


def main(arguments):
    if arguments[:1] == ["--work"]:
        work(arguments[1:])
        return 0
    import op_db_compare

    names = arguments or list(op_db_compare.operators())
    found = outcomes(names)
    unexpected = 0
    for name, outcome in found.items():
        if "error" in outcome:
            limit = op_db_compare.LIMITS.get(name)
            unexpected += limit is None
            print(f"{name}: {'known limit: ' + limit if limit else outcome['error'][:1000]}")
    calls = sum(outcome.get("calls", 0) for outcome in found.values())
    print(f"{len(found)} operators, {calls} calls compared, {unexpected} operators differ")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
