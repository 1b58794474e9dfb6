"""Passes run on a few people stand for all of them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from trailprint.kernels.passes import Pass, run_pass
from trailprint.workflows import rehearsal
from trailprint.workflows.rehearsal import Rehearsed, count_bytes, rehearse


@pytest.fixture
def clock(monkeypatch):
    """Time passes where something is done, and nowhere else."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(rehearsal, "time", SimpleNamespace(perf_counter=lambda: now.seconds))
    return now


def _make_kernel(clock):
    def fill(values, low, high, out):
        clock.seconds += 1e-3 * (high - low)
        out[low:high] = values[low:high]

    return fill


def _make(n, clock, work=None, kernel=None):
    out = np.full(n, 7)
    fixed, amounts = (np.arange(n),), np.ones(n) if work is None else work
    return out, Pass(kernel or _make_kernel(clock), fixed, (), amounts, out)


def test_whole_passes_are_run_as_ever(clock):
    out, one = _make(50, clock)
    found = rehearse(lambda: run_pass(one, 1), of_few=False)
    assert out.tolist() == list(range(50))
    assert found.passes == 1
    assert found.shared_s == pytest.approx(0.05)
    assert found.alone_s == pytest.approx(0)
    assert found.worker_bytes == one.fixed[0].nbytes


def test_a_pass_on_a_few_is_scaled_up(clock):
    out, one = _make(40_000, clock)
    found = rehearse(lambda: run_pass(one, 1), of_few=True)
    assert clock.seconds < 0.3
    assert not out.any()
    assert found.shared_s == pytest.approx(40)


def test_a_pass_like_another_is_not_tried_again(clock, monkeypatch):
    tried = []

    def try_pass(one):
        tried.append(one)
        return 2.0

    monkeypatch.setattr(rehearsal, "_try_pass", try_pass)
    kernel = _make_kernel(clock)
    first = _make(10, clock, kernel=kernel)[1]
    second = _make(10, clock, np.full(10, 2.0), kernel)[1]

    def work():
        for one in (first, first, second):
            run_pass(one, 1)

    found = rehearse(work, of_few=True)
    assert (found.passes, found.shared_s, len(tried)) == (3, 6.0, 2)


def test_nobody_takes_no_time(clock):
    found = rehearse(lambda: run_pass(_make(0, clock)[1], 1), of_few=True)
    assert found.shared_s == 0


def test_what_is_beside_passes_is_done_on_one_core(clock):
    def work():
        clock.seconds += 3

    found = rehearse(work, of_few=True)
    assert (found.passes, found.alone_s) == (0, 3)
    assert [step.is_shared for step in found.steps("waiting")] == [False]
    twice = Rehearsed(1, 2.0, 3.0, 4).times(2)
    assert twice == (2, 4.0, 6.0, 4)
    assert [step.is_shared for step in twice.steps("both")] == [True, False]
    assert twice.seconds == 10


def test_bytes_are_counted_however_deep():
    assert count_bytes((np.zeros(2), (np.zeros(3, np.int8), 5, "x"))) == 19
