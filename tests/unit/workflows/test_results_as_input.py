"""Tables of a result are accepted wherever a table is; other results say what to give instead."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.presence import present

import trailprint as tp
from trailprint.errors import OptionError, SourceError
from trailprint.workflows import score


@pytest.fixture(scope="module")
def sides():
    rows = [
        (f"p{user}", f"l{(user * 7 + day * day) % 9}", f"2024-03-{day + 1:02} 08:00")
        for user in range(8)
        for day in range(20)
    ]
    events = tp.read(pd.DataFrame(rows, columns=["user", "location", "start"]))
    return tp.split(events, tp.SplitOptions(at="median"))


@pytest.fixture(scope="module")
def matched(sides):
    return tp.match(sides.released, sides.auxiliary)


def test_a_released_table_is_data(sides):
    protected = tp.protect(sides.released, "top-locations:n=5")
    assert tp.inspect(protected.table("released")).users == tp.inspect(protected.events).users


def test_a_table_of_links_is_a_truth(sides, matched):
    links = matched.table("links")
    again = tp.match(sides.released, sides.auxiliary, truth=links)
    assert present(again.risk).n_correct == len(links)
    assert score(links, links).precision == 1


@pytest.mark.parametrize("name", ["split", "match"])
def test_other_results_say_what_to_give_instead(sides, matched, name):
    with pytest.raises(SourceError, match=r"Give the events of a result, or one of its tables"):
        tp.inspect({"split": sides, "match": matched}[name])


def test_errors_of_scoring_name_the_argument():
    truth = {"released": ["a"], "auxiliary": ["b"]}
    with pytest.raises(OptionError, match=r"^links must be a path or a table"):
        score(3, truth)
    with pytest.raises(OptionError, match=r"^truth must be a path or a table"):
        score(truth, 3)
    with pytest.raises(tp.TrailprintError, match=r"^Links and truth must have one column released"):
        score({"released": ["a"]}, truth)


def test_errors_of_keys_name_the_argument():
    result = "tests/examples/result.json"
    with pytest.raises(OptionError, match=r"^keys must be a path or a table"):
        tp.compare(result, result, keys=3)
