"""Links from any source are scored as ours are."""

from __future__ import annotations

import pandas as pd
import pytest

import trailprint as tp
from trailprint.errors import InputError
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
