"""Work is cut into chunks that are worth one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trailprint.kernels.threads import N_CHUNKS, count_chunks, split_evenly


@given(work=st.floats(0, 1e12), least=st.floats(1, 1e6))
def test_a_chunk_has_the_least_work_unless_it_is_the_only_one(work, least):
    n = count_chunks(work, least)
    assert 1 <= n <= N_CHUNKS
    assert n == 1 or work / n >= least * (1 - 1e-12)
    assert n == N_CHUNKS or work < (n + 1) * least * (1 + 1e-12)


def test_little_work_is_one_chunk():
    work = np.full(100, 3)
    assert split_evenly(work, count_chunks(float(work.sum()), 1_000)) == [(0, 100)]
