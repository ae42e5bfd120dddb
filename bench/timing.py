# SPDX-License-Identifier: Apache-2.0
"""Times calls in alternation. A contestant is called with the number of repetitions."""
import statistics
import time

FULL = {"rounds": 9, "sample": 0.004, "longest": 0.5, "attempts": 3}
QUICK = {"rounds": 3, "sample": 0.001, "longest": 0.1, "attempts": 1}
DISTURBED = 1.25    # p90/p10 above which other load used the machine
GRAPH = 32          # calls that a contestant may record as one
REST = 0.008        # seconds


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def paired(numerator, denominator):
    """Median of the ratios within the same rounds: disturbances of a whole round cancel."""
    return statistics.median(a / b for a, b in zip(numerator, denominator))


def spread(samples):
    """The largest p90/p10 of a contestant."""
    return max(percentile(values, 0.9) / percentile(values, 0.1) for values in samples)


def seconds(contestant, times, clock=time.perf_counter):
    begin = clock()
    contestant(times)
    return (clock() - begin) / times


def calibrate(contestant, plan):
    """The number of calls in a sample, and the seconds of a call."""
    contestant(1)
    times, each = 1, seconds(contestant, 1)
    while each * times < plan["sample"] / 2:
        times = max(4 * times, min(32 * times, int(plan["sample"] / each)))
        each = seconds(contestant, times)
    if times >= 2 * GRAPH:
        times -= times % GRAPH
    return times, each


def wait_for_idle_threads():
    """After a call, PyTorch's threads spin for milliseconds (8 ms for GNU OpenMP on a Zen 3) on cores that the next contestant needs."""
    for _ in range(10):
        begin = time.process_time()    # processor time of all threads, which the system updates every 4 ms
        time.sleep(REST)
        if time.process_time() - begin < REST / 8:
            break


def sample(contestant, times, threads, clock):
    if threads > 1:
        wait_for_idle_threads()
        contestant(max(1, times // 3))    # wakes its own threads
    return seconds(contestant, times, clock)


def rounds(contestants, plan, threads, clock):
    """Seconds of one call: of each contestant, in every round."""
    calls = [calibrate(contestant, plan) for contestant in contestants]
    round_takes = sum(times * each for times, each in calls)
    samples = [[] for _ in contestants]
    for turn in range(max(3, min(plan["rounds"], int(plan["longest"] / round_takes)))):
        for i in range(len(contestants))[::1 if turn % 2 == 0 else -1]:
            samples[i].append(sample(contestants[i], calls[i][0], threads, clock))
    return samples


def measure(contestants, plan, threads=1, clock=time.perf_counter):
    """The samples of rounds(), repeated while they are disturbed; returns the quietest of several attempts."""
    best = None
    for _ in range(plan["attempts"]):
        samples = rounds(contestants, plan, threads, clock)
        best = samples if best is None else min(best, samples, key=spread)
        if spread(best) <= DISTURBED:
            break
    return best
