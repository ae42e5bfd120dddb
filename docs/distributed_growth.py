#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How an AllReduce grows with the number of ranks: steps, messages, bytes, connections (distributed.md).

    python docs/distributed_growth.py

Each way is played message by message. An item is one rank's elements of the part that another one adds. Up to 64 ranks the items themselves travel,
and it is checked that each owner gets those of all ranks, so that it can add in the order of the ranks.
"""

import collections

RANKS = (2, 8, 64, 256, 1024)
HOST = 8  # ranks of a host
CHECKED = 64

MESSAGE = 5e-6  # seconds that a rank needs for a message, and
BYTE = 1e-9  # for a byte
WAIT = 30e-6  # from one rank to another
TENSOR = 100e6  # bytes


def direct(ranks):
    """Each rank sends the owner of each part its elements."""
    yield [(source, owner, [(source, owner)]) for source in range(ranks) for owner in range(ranks) if source != owner]


def bundled(ranks):
    """The same through three ranks: one of the own host that bundles for the owner's host, one there, the owner."""
    if ranks <= HOST:
        yield from direct(ranks)
        return
    hosts = ranks // HOST

    def grouped(next_of, items):
        messages = collections.defaultdict(list)
        for place, item in items:
            messages[place, next_of(place, item)].append(item)
        return [(place, target, moved) for (place, target), moved in messages.items()]

    def bundler(place, item):
        return place // HOST * HOST + item[1] // HOST % HOST

    def receiver(place, item):
        return item[1] // HOST * HOST + place // HOST % HOST

    items = [(source, (source, owner)) for source in range(ranks) for owner in range(ranks)]
    for next_of in (bundler, receiver, lambda place, item: item[1]):
        messages = grouped(next_of, items)
        yield [message for message in messages if message[0] != message[1]]
        items = [(target, item) for _, target, moved in messages for item in moved]
    assert hosts * HOST == ranks


def ring(ranks):
    """Sums go round: not in the order of the ranks."""
    for step in range(ranks - 1):
        yield [(rank, (rank + 1) % ranks, [(None, (rank - step) % ranks)]) for rank in range(ranks)]


def check(ranks, steps):
    has = {(rank, (rank, owner)) for rank in range(ranks) for owner in range(ranks)}
    for messages in steps:
        for source, target, items in messages:
            assert all((source, item) in has for item in items)
            has |= {(target, item) for item in items}
    assert all((owner, (rank, owner)) in has for rank in range(ranks) for owner in range(ranks))


def measure(ranks, way):
    """The costs of the whole AllReduce, whose second half hands out the sums the same way back, for the rank that has the most."""
    sent, items, peers, between = collections.Counter(), collections.Counter(), collections.defaultdict(set), collections.Counter()
    steps = 0
    for messages in way(ranks):
        steps += 1
        for source, target, moved in messages:
            sent[source] += 2
            items[source] += 2 * len(moved)
            peers[source].add(target)
            peers[target].add(source)
            if source // HOST != target // HOST:
                between[source] += 2 * len(moved)
    part = TENSOR / ranks
    most_sent, most_bytes = max(sent.values()), max(items.values()) * part
    far = max(between.values(), default=0) * part
    seconds = 2 * steps * WAIT + 2 * most_sent * MESSAGE + most_bytes * BYTE
    small = 2 * steps * WAIT + 2 * most_sent * MESSAGE
    return 2 * steps, most_sent, most_bytes, far, max(map(len, peers.values())), seconds, small


def main():
    print("way       ranks  steps  messages     MB  to other hosts  connections  seconds  of 8 bytes")
    for way in (direct, bundled, ring):
        for ranks in RANKS:
            if ranks <= CHECKED and way is not ring:
                check(ranks, list(way(ranks)))
            steps, messages, size, far, peers, seconds, small = measure(ranks, way)
            print(f"{way.__name__:<9} {ranks:>5}  {steps:>5}  {messages:>8}  {size / 1e6:>5.0f}  {far / 1e6:>14.0f}  {peers:>11}  {seconds:>7.2f}  {small:>10.4f}")


if __name__ == "__main__":
    main()
