"""Models trained and run elsewhere, in whatever order: the same linkage and the same ranks."""

from __future__ import annotations

import contextlib
import pickle
from functools import partial

import numpy as np
import pytest
from tests.unit.attacks.sequence.test_correlation import draw_sequences

from trailprint.attacks.options import CorrelateOptions
from trailprint.attacks.sequence import workers
from trailprint.attacks.sequence.correlation import correlate_sequences
from trailprint.engines.spark.tasks import Call, forget_prepared, get_stamp, name_of
from trailprint.kernels.passes import passes_run_by
from trailprint.kernels.stopping import OutOfTimeError, time_limit


class _Shared:
    def __init__(self, contents):
        self.value = pickle.loads(pickle.dumps(contents))


class Elsewhere:
    """Runs calls as a cluster does: pickled, out of order, and each of them twice."""

    def __init__(self):
        self.functions = []
        self.n_prepared = 0

    def __call__(self, one):
        return False

    @contextlib.contextmanager
    def calls(self, prepare, shared):
        self.n_prepared += 1
        name, number = name_of(prepare), str(self.n_prepared)
        yield partial(self._run, Call("", name, number, _Shared(shared), get_stamp()))
        forget_prepared(name, number)

    def _run(self, call, function, tasks):
        self.functions.append(function.__name__)
        call = Call(name_of(function), call.prepare, call.name, call.shared, call.stamp)
        packed = [pickle.dumps(task) for task in tasks]
        for number in np.random.default_rng(0).permutation(len(packed)).tolist():
            call(packed[number])
            yield number, call(packed[number])

    def stop(self):
        """Nothing is under way between two results."""


@pytest.fixture
def always_worth_it(monkeypatch):
    for module in ("models", "scores"):
        monkeypatch.setattr(f"trailprint.attacks.sequence.{module}._WORTH_PROCESSES", 0)


@pytest.mark.parametrize("options", [CorrelateOptions(), CorrelateOptions(joint=True)], ids=str)
def test_the_same_linkage_and_ranks(always_worth_it, options):
    sides = draw_sequences(1), draw_sequences(2, first_day=7)
    expected = correlate_sequences(*sides, options, n_threads=1)
    elsewhere = Elsewhere()
    with passes_run_by(elsewhere):
        found = correlate_sequences(*sides, options)
        ranks = found.rank(found.released, found.auxiliary)
    assert set(elsewhere.functions) == {"train_model", "score_queries"}
    for name in ("released", "auxiliary", "weight", "confidence"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    same = expected.rank(expected.released, expected.auxiliary)
    np.testing.assert_array_equal(ranks.n_better, same.n_better)
    np.testing.assert_array_equal(ranks.n_tied, same.n_tied)
    assert dict(found.facts) == dict(expected.facts)
    assert workers._queries is None


def test_little_work_stays_here():
    elsewhere = Elsewhere()
    with passes_run_by(elsewhere):
        correlate_sequences(draw_sequences(1), draw_sequences(2, first_day=7))
    assert elsewhere.n_prepared == 0


def test_what_takes_too_long_is_stopped_between_results(always_worth_it):
    with passes_run_by(Elsewhere()), pytest.raises(OutOfTimeError), time_limit(0.01):
        correlate_sequences(draw_sequences(1), draw_sequences(2, first_day=7))
