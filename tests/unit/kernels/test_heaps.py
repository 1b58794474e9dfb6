"""Heaps against sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from trailprint.kernels.heaps import ABSENT, SETTLED, keep_smallest, pop, sift_up

distances = st.lists(st.integers(0, 9), min_size=1, max_size=40)


@settings(max_examples=100, deadline=None)
@given(values=distances, base=st.integers(0, 3), seed=st.integers(0, 99))
def test_the_indexed_heap_gives_nodes_nearest_first_also_after_distances_shrink(values, base, seed):
    rng = np.random.default_rng(seed)
    dist = np.array(values, float)
    heap = np.full(base + len(values), -7, np.int32)
    place = np.full(len(values), ABSENT, np.int32)
    for n, node in enumerate(rng.permutation(len(values))):
        heap[base + n], place[node] = node, n
        sift_up(dist, heap, place, base, n)
    for node in rng.permutation(len(values))[: len(values) // 2]:
        dist[node] -= rng.integers(0, 5)
        sift_up(dist, heap, place, base, place[node])
    popped = [pop(dist, heap, place, base, n) for n in range(len(values), 0, -1)]
    assert sorted(popped) == list(range(len(values)))
    assert dist[popped].tolist() == sorted(dist.tolist())
    assert (place == SETTLED).all()
    assert (heap[:base] == -7).all()


#: Keys and ties, few enough that many keys are equal.
ranked = st.tuples(st.integers(0, 1), st.integers(0, 9))


@settings(max_examples=100, deadline=None)
@given(stream=st.lists(ranked, max_size=3) | st.lists(ranked, min_size=12), k=st.integers(1, 8))
def test_the_smallest_few_of_a_stream_are_kept(stream, k):
    keys, ties, items = np.empty(k), np.empty(k, np.int64), np.empty(k, np.int64)
    size = 0
    for item, (key, tie) in enumerate(stream):
        size = keep_smallest(keys, ties, items, size, float(key), tie, item)
    found = sorted(zip(keys[:size].tolist(), ties[:size].tolist(), strict=True))
    assert found == sorted(stream)[:k]
    kept = [stream[item] for item in items[:size]]
    assert kept == [*zip(keys[:size], ties[:size], strict=True)]
    assert len(set(items[:size].tolist())) == size
