"""Links from any source are scored as ours are."""

from __future__ import annotations

import pandas as pd
import pytest

import trailprint as tp
from trailprint.errors import ColumnError, InputError
from trailprint.simulate import CampusOptions, simulate_campus
from trailprint.workflows import score


def test_our_own_links_score_as_the_result_says():
    campus = simulate_campus(CampusOptions(n_users=15, n_days=14))
    sides = tp.split(campus, tp.SplitOptions(at="median", active_both=True))
    result = tp.match(sides.released, sides.auxiliary)
    people = result.released.users
    assert score(result.links(), {"released": people, "auxiliary": people}) == result.risk


def test_links_and_truth_may_be_files(tmp_path):
    truth = pd.DataFrame({"released": [1, 2], "auxiliary": ["a", "b"]})
    truth.to_csv(tmp_path / "truth.csv", index=False)
    found = score(truth.iloc[:1], tmp_path / "truth.csv")
    assert (found.n_correct, found.n_matched, found.n_common) == (1, 1, 2)


def test_no_links_cannot_be_scored():
    with pytest.raises(InputError, match="must be tables with rows"):
        score({"released": [], "auxiliary": []}, {"released": ["a"], "auxiliary": ["a"]})


TRUTH = pd.DataFrame({"released": [1, 2, 3], "auxiliary": ["a", "b", "c"]})


def test_whole_numbers_in_floating_point_are_read_as_whole_numbers(tmp_path):
    links = pd.DataFrame({"released": [1, 2, None], "auxiliary": ["a", "b", None]})
    links.to_csv(tmp_path / "links.csv", index=False)
    assert "1.0,a" in (tmp_path / "links.csv").read_text()
    in_memory = score(links, TRUTH)
    assert (in_memory.n_correct, in_memory.n_matched) == (2, 2)
    assert score(tmp_path / "links.csv", TRUTH) == in_memory


def test_ids_that_look_like_whole_numbers_but_are_in_the_truth_stay_as_they_are():
    truth = {"released": ["1.0", "x"], "auxiliary": ["a", "b"]}
    found = score({"released": ["1.0"], "auxiliary": ["a"]}, truth)
    assert (found.n_correct, found.n_matched, found.n_common) == (1, 1, 2)


@pytest.mark.parametrize(
    "links",
    [
        {"released": ["001", "002"], "auxiliary": ["a", "b"]},
        {"released": [1, 2], "auxiliary": ["A ", "B "]},
        {"released": pd.to_datetime([1, 2], unit="s"), "auxiliary": ["a", "b"]},
        {"released": ["a", "b"], "auxiliary": ["1", "2"]},
        {"released": [None], "auxiliary": ["a"]},
    ],
)
def test_links_without_any_id_of_the_truth_are_refused(links):
    with pytest.raises(InputError, match="must hold ids that are in the truth, but none of"):
        score(pd.DataFrame(links), TRUTH)


@pytest.mark.parametrize("column", [[b"\xff"], [[1]]])
def test_ids_of_another_type_are_refused(column):
    with pytest.raises(InputError, match="released must hold ids as text or numbers"):
        score({"released": column, "auxiliary": ["a"]}, TRUTH)


def test_large_whole_numbers_in_floating_point_are_not_rounded():
    ids = [12_345_678_901, 12_345_678_902]
    links = pd.DataFrame({"released": ids, "auxiliary": ["a", "b"]}).astype({"released": float})
    assert score(links, {"released": ids, "auxiliary": ["a", "b"]}).n_correct == 2


def test_a_missing_column_is_named():
    with pytest.raises(ColumnError, match="but 0 are named auxiliary"):
        score({"released": [1]}, TRUTH)
