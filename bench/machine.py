# SPDX-License-Identifier: Apache-2.0
"""The facts about the machine that a result must state."""
import os
import pathlib
import platform
import re
import subprocess


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def first_match(pattern, text):
    match = re.search(pattern, text, re.M)
    return match[1].strip() if match else "unknown"


def cache_sizes():
    """"L2 1024K, L3 32768K" for the first core."""
    sizes = []
    for folder in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, size = read(folder / "level"), read(folder / "size")
        if level in ("2", "3"):
            sizes.append(f"L{level} {size}")
    return ", ".join(sizes) or "caches unknown"


def commit(root):
    """The commit that is checked out, with a mark if files differ from it."""
    command = ["git", "describe", "--always", "--dirty"]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return run.stdout.strip() or "unknown"


def machine_line():
    cpu = read("/proc/cpuinfo")
    model, family = first_match(r"^model name\s*:(.*)", cpu), first_match(r"^cpu family\s*:(.*)", cpu)
    number = first_match(r"^model\s*:(.*)", cpu)
    memory = int(first_match(r"^MemTotal:\s*(\d+)", read("/proc/meminfo")) or 0) >> 20
    cores = len(os.sched_getaffinity(0))
    return (f"{model} (family {family}, model {number}), {cores} cores, {cache_sizes()}, {memory} GiB, "
            f"{platform.system()} {platform.release()}")


def load():
    """The average number of runnable processes in the last minute."""
    return os.getloadavg()[0]
