"""Several jobs on the same threads: the first job's tasks go before the others'."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

import pytest

from trailprint.kernels.threads import run_parallel, run_together


@pytest.mark.parametrize("n_threads", [None, 1, 2, 5])
@pytest.mark.parametrize("n_jobs", [0, 1, 2, 4])
def test_results_come_in_the_order_of_the_jobs_and_tasks(n_jobs, n_threads):
    def job(k):
        return run_parallel(lambda task: (k, task), [(task,) for task in range(30)], n_threads)

    expected = [[(k, task) for task in range(30)] for k in range(n_jobs)]
    assert run_together(job, [(k,) for k in range(n_jobs)], n_threads) == expected


def test_tasks_of_an_earlier_job_do_not_wait_behind_those_of_a_later_one():
    later_has_begun, earlier_waits = threading.Event(), threading.Event()
    order = []

    def later(task):
        later_has_begun.set()
        assert earlier_waits.wait(10)
        order.append(("later", task))

    def job(k):
        if k == 1:
            run_parallel(later, [(task,) for task in range(20)], 2)
            return
        assert later_has_begun.wait(10)
        threading.Timer(0.2, earlier_waits.set).start()
        run_parallel(lambda task: order.append(("earlier", task)), [(0,), (1,), (2,)], 2)

    run_together(job, [(0,), (1,)], 2)
    assert len(order) == 23
    # Only the two tasks already running may come first, and one more of those just behind them.
    assert all(("earlier", task) in order[:6] for task in range(3))


def test_what_a_job_or_a_task_raises_is_raised():
    def job(k):
        return run_parallel(lambda task: 1 // task, [(k,), (1,)], 2)

    with pytest.raises(ZeroDivisionError):
        run_together(job, [(1,), (0,)], 2)


def test_when_one_job_fails_the_others_end_and_no_thread_is_left():
    has_begun, n_done = threading.Event(), []

    def slow(task):
        has_begun.set()
        time.sleep(0.01)
        n_done.append(task)

    def job(k):
        if k == 1:
            assert has_begun.wait(10)
            raise MemoryError
        run_parallel(slow, [(task,) for task in range(5_000)], 2)

    before = threading.active_count()
    with pytest.raises(MemoryError):
        run_together(job, [(0,), (1,)], 2)
    assert threading.active_count() == before
    assert len(n_done) < 1_000


def test_ctrl_c_while_jobs_are_handed_out_ends_those_that_began(monkeypatch):
    submit = ThreadPoolExecutor.submit
    begun: list[Future[Any]] = []

    def interrupted(pool, *call):
        if begun:
            raise KeyboardInterrupt
        begun.append(submit(pool, *call))
        return begun[0]

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_together(lambda _: run_parallel(time.sleep, [(0.05,)] * 2000, 2), [(0,), (1,)], 2)
    assert time.monotonic() - started < 20
    with pytest.raises(CancelledError):
        begun[0].result()


def test_ctrl_c_while_tasks_are_handed_out_begins_no_other(monkeypatch):
    submit = ThreadPoolExecutor.submit
    begun: list[Future[Any]] = []

    def interrupted(pool, *call):
        if len(begun) == 100:
            raise KeyboardInterrupt
        begun.append(submit(pool, *call))
        return begun[-1]

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_parallel(time.sleep, [(0.02,)] * 200, 2)
    assert sum(future.cancelled() for future in begun) > 50
