"""Rows, comparisons and notes of the 2011 figures, from candidate sets that are given."""

from __future__ import annotations

import numpy as np
import pytest

from trailprint.errors import InputError, OptionError
from trailprint.evaluation.candidates import CandidateSets
from trailprint.papers.comparison import PREDICTED
from trailprint.papers.experiment import Context
from trailprint.papers.tan_2011 import figures

SETS = [
    CandidateSets(mscis=np.array(sizes), n_candidates=8) for sizes in ([1, 1, 3, 8], [1, 2, 2, 6])
]


def test_rows_are_means_over_rounds_with_their_intervals():
    rows = figures._rows({"line": "CRF"}, SETS)
    assert [row["candidates"] for row in rows] == list(figures.SIZES)
    assert [row["share"] for row in rows] == [0.375, 0.625, 0.75, 1.0, 1.0]
    assert all(row["low"] <= row["share"] <= row["high"] for row in rows)
    assert {(row["line"], row["users"], row["rounds"]) for row in rows} == {("CRF", 8, 2)}


def test_nobody_with_days_in_several_bins_is_refused():
    with pytest.raises(InputError, match="days in several of 10 bins"):
        figures._rows({"line": "CRF"}, [])


def test_only_what_the_paper_prints_is_compared():
    rows = figures._rows({"line": "CRF"}, SETS)
    first, second = figures._compare(rows, "CRF", {1: 40.0, 5: 80.0}, PREDICTED)
    assert (first.quantity, first.paper, first.ours) == ("CRF: pinpointed", 40.0, 37.5)
    assert (second.quantity, second.difference) == ("CRF: among 5", -5.0)


def test_notes_say_how_much_less_than_the_paper_was_tried():
    rows = figures._rows({"line": "CRF"}, SETS)
    reduced, full = (figures._notes(Context(seed=0, full=full), rows)[0] for full in (False, True))
    assert reduced.startswith("8 people, 2 of 10 rounds; the paper has 4,285 people")
    assert full == "8 people, 2 of 10 rounds."


def test_what_was_found_is_said_in_words():
    rows = [
        {"line": line, "candidates": 1, "share": share}
        for line, share in (
            ("CRF, 5–6 days", 0.7),
            ("distance, 5–6 days", 0.4),
            ("CRF, 2 days", 0.6),
        )
    ]
    reported = figures._read_lengths(rows)
    assert all(share in reported for share in ("70%", "40%", "60%"))


@pytest.mark.parametrize("rounds", ["0", "11", "-1", "two", "1.5", ""])
def test_rounds_that_cannot_be_are_refused_before_anything_runs(rounds):
    for experiment in figures.EXPERIMENTS:
        assert experiment.check is not None
        with pytest.raises(OptionError, match="from 1 to 10"):
            experiment.check(Context(settings={"rounds": rounds}))


def test_rounds_are_one_or_all_ten_unless_set():
    assert figures._n_rounds(Context()) == 1
    assert figures._n_rounds(Context(full=True)) == 10
    assert figures._n_rounds(Context(full=True, settings={"rounds": "3"})) == 3
