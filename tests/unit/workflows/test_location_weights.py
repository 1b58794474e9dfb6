"""Weights of locations are read, checked, and used by likely counterparts alone."""

from __future__ import annotations

import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.errors import ColumnError, InputError, OptionError
from trailprint.events.engine import default_engine
from trailprint.workflows.location_weights import open_location_weights

PLACES = pa.array(["a", "b", "c"])


def opened(source):
    found = open_location_weights(source, PLACES, default_engine())
    return None if found is None else found.tolist()


def test_places_that_are_not_named_count_one(tmp_path):
    path = tmp_path / "weights.csv"
    path.write_text("location,weight\nb,2.5\nelsewhere,7\na,0\n")
    assert opened(path) == [0.0, 2.5, 1.0]
    assert opened(pa.table({"location": ["c"], "weight": [3]})) == [1.0, 1.0, 3.0]
    assert opened(None) is None


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({"location": ["a", "b"], "weight": [-1.0, 1.0]}, "zero or more, but 1 are not"),
        ({"location": ["a"], "weight": ["much"]}, "zero or more, but 1 are not"),
        ({"location": ["a", "a"], "weight": [1.0, 2.0]}, "each location once"),
        ({"location": ["x"], "weight": [1.0]}, "at least one location that both sides have"),
        ({"location": ["a", "b", "c"], "weight": [0, 0, 0]}, "a weight above zero, but none"),
    ],
)
def test_what_no_weight_can_be_is_refused(rows, says):
    with pytest.raises(InputError, match=says):
        opened(pa.table(rows))


def test_a_table_without_weights_is_refused():
    with pytest.raises(ColumnError, match="location and weight"):
        opened(pa.table({"location": ["a"]}))
    with pytest.raises(OptionError, match="got int instead"):
        opened(5)


def test_only_likely_counterparts_take_weights():
    rows = pa.table({"user": ["u", "v"], "location": ["a", "b"]})
    weights = pa.table({"location": ["a"], "weight": [2.0]})
    options = tp.TrailOptions(algorithm="likely", agreement=0.9)
    assert tp.trails(rows, rows, options, location_weights=weights).linkage.n_links == 2
    with pytest.raises(OptionError, match="goes with algorithm likely"):
        tp.trails(rows, rows, location_weights=weights)
