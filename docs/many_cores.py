#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a split task takes on many cores: hand-over, claims and memory, played thread by thread (many_cores.md).

    python docs/many_cores.py
"""

import heapq

CORES = (1, 2, 4, 16, 64)
TASKS = (0.4e6, 1.6e6, 6.3e6, 100e6, 1e9)  # bytes that an element-wise operator moves
CHUNK = 64 << 10  # bytes

CACHE = 2e6  # bytes of a core's own second-level cache
IN_CACHE = 70.0  # bytes per ns of a core, from there,
IN_MEMORY = 29.0  # and from memory;
SOCKET = 250.0  # of all cores of a socket together
SOCKET_CORES = 32

CALL = 5_000  # ns that waking a helper takes its caller,
COME = 50_000  # and until it is there
JOIN = 200  # ns under the mutex that a helper needs to join
CLAIM = 5, 60, 120  # ns to add to the counter: of one core, of a socket, of two
CALLED_BY_EACH = 2


def rate(size, cores):
    """Bytes per ns of one core while that many cores work."""
    if size / cores <= CACHE:
        return IN_CACHE
    sockets = -(-cores // SOCKET_CORES)
    return min(IN_MEMORY, SOCKET * sockets / cores)


def arrivals(cores, asleep):
    """When each thread begins: the caller first. Threads that are awake see the task at once and join one after the other."""
    if not asleep:
        return [0] + [1_000 + JOIN * i for i in range(cores - 1)]
    times = []
    ready = [0]
    while len(times) < cores:
        now = heapq.heappop(ready)
        times.append(now + CALL * min(CALLED_BY_EACH, cores - len(times) - 1))
        for i in range(CALLED_BY_EACH):
            heapq.heappush(ready, now + CALL * (i + 1) + COME)
    return sorted(times)


def play(size, cores, asleep, rate=rate):
    """ns until the last chunk is done, and by how many threads. `rate`: bytes per ns of one core, given the bytes of the task and the cores."""
    chunks = max(1, round(size / CHUNK))
    cores = min(cores, chunks)
    claim = CLAIM[0 if cores == 1 else 1 if cores <= SOCKET_CORES else 2]
    threads = [(time, i) for i, time in enumerate(arrivals(cores, asleep))]
    heapq.heapify(threads)
    left, counter, end, at_work = chunks, 0.0, 0.0, set()
    while left > 0:
        now, thread = heapq.heappop(threads)
        counter = max(counter, now) + claim  # one thread at a time has the counter's line
        run = max(1, min(left, left // (2 * cores) if cores > 1 else left))
        left -= run
        at_work.add(thread)
        done = counter + run * CHUNK / rate(size, cores)
        end = max(end, done)
        heapq.heappush(threads, (done, thread))
    return end, len(at_work)


def main():
    print(f"{'bytes':>8}  {'helpers':<7}" + "".join(f"{cores:>16}" for cores in CORES))
    for size in TASKS:
        for asleep in (False, True):
            cells = []
            for cores in CORES:
                ns, threads = play(size, cores, asleep)
                cells.append(f"{ns / 1e3:>9.1f} us {threads:>3}")
            print(f"{size / 1e6:>5.1f} MB  {'asleep' if asleep else 'awake':<7}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
