"""Work that is stopped from outside."""

from __future__ import annotations

import threading
import time

import pytest

from trailprint.kernels.stopping import (
    OutOfTimeError,
    check_stop,
    interrupting,
    stopping_when,
    time_limit,
)
from trailprint.kernels.threads import run_parallel, run_together


@pytest.mark.parametrize("n_threads", [1, 2])
def test_no_task_begins_once_the_time_is_up(n_threads):
    begun: list[int] = []

    def work(number: int) -> None:
        begun.append(number)
        time.sleep(0.02)

    with pytest.raises(OutOfTimeError), time_limit(0.05):
        run_parallel(work, [(number,) for number in range(200)], n_threads)
    assert 1 <= len(begun) < 20


def test_jobs_that_share_threads_stop_as_well():
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        slept.append(seconds)

    def job(_: int) -> None:
        run_parallel(sleep, [(0.02,)] * 2000, 2)

    with pytest.raises(OutOfTimeError), time_limit(0.05):
        run_together(job, [(0,), (1,)], 2)
    assert len(slept) < 2000


def test_work_in_one_piece_is_interrupted():
    interrupted = threading.Event()
    with time_limit(0.05), interrupting(interrupted.set):
        assert interrupted.wait(5)
    interrupted.clear()
    assert not interrupted.wait(0.3), "The limit outlived its work."


def test_a_limit_that_holds_changes_nothing():
    with time_limit(60), time_limit(None):
        assert run_parallel(abs, [(-1,), (-2,)], 2) == [1, 2]
    check_stop()


def test_any_reason_to_stop_is_asked():
    def give_up() -> None:
        raise KeyboardInterrupt

    with stopping_when(give_up), pytest.raises(KeyboardInterrupt):
        run_parallel(abs, [(-1,), (-2,)], 1)
    assert run_parallel(abs, [(-1,)], 1) == [1]


def test_nothing_is_begun_after_the_limit():
    with time_limit(0.0), pytest.raises(OutOfTimeError), interrupting(lambda: None):
        pytest.fail("It was begun.")
