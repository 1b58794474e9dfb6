"""Views: what each counts, against plain Python; what is left out and why."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from trailprint.errors import OptionError
from trailprint.events.reading.read import read
from trailprint.features.histograms import build_histogram_pair
from trailprint.features.views import VIEWS, build_view_pair, choose_views


def make_rows(seed=0, n=120, users="abcde"):
    rng = np.random.default_rng(seed)
    begin = datetime(2024, 3, 4)
    return [
        {
            "user": users[rng.integers(len(users))],
            "location": f"b{rng.integers(2)}/f{rng.integers(2)}/r{rng.integers(3)}",
            "start": (at := begin + timedelta(minutes=int(rng.integers(14 * 24 * 60)))),
            "end": at + timedelta(minutes=int(rng.integers(90))),
            "lat": 47 + float(rng.random()) / 20,
            "lon": 8 + float(rng.random()) / 20,
        }
        for _ in range(n)
    ]


def as_events(rows, *columns):
    kept = columns or ("user", "location", "start", "end", "lat", "lon")
    return read(pa.Table.from_pylist([{name: row[name] for name in kept} for row in rows]))


def shares(views, name, user):
    """One person's shares in a view, largest first: keys have no names."""
    matrix = views.matrices[views.names.index(name)]
    row = matrix[[views.users.to_pylist().index(user)]]
    return sorted(row.data.tolist(), reverse=True)


def expected(counts):
    total = sum(counts.values())
    return sorted((n / total for n in counts.values()), reverse=True)


def moves_of(rows):
    counts: Counter[Any] = Counter()
    ordered = sorted(rows, key=lambda r: (r["start"], r["location"]))
    for before, after in pairwise(ordered):
        same_day = before["start"].date() == after["start"].date()
        if same_day and before["location"] != after["location"]:
            counts[before["location"], after["location"]] += 1
    return counts


def seconds(row):
    return (row["end"] - row["start"]).total_seconds() + 1


DEFINITIONS = {
    "visits": lambda rows: Counter(r["location"] for r in rows),
    "duration": lambda rows: _sum(rows, lambda r: r["location"], seconds),
    "days": lambda rows: Counter(
        place for place, _ in {(r["location"], r["start"].date()) for r in rows}
    ),
    "four-hours": lambda rows: _sum(rows, lambda r: (r["location"], r["start"].hour // 4), seconds),
    "hours": lambda rows: _sum(rows, lambda r: (r["location"], r["start"].hour), seconds),
    "weekend": lambda rows: _sum(
        rows, lambda r: (r["location"], r["start"].weekday() >= 5), seconds
    ),
    "weekdays": lambda rows: _sum(rows, lambda r: (r["location"], r["start"].weekday()), seconds),
    "moves": moves_of,
    "hour-of-day": lambda rows: Counter(r["start"].hour for r in rows),
    "hour-of-week": lambda rows: Counter((r["start"].weekday(), r["start"].hour) for r in rows),
    "names-1": lambda rows: Counter(r["location"].split("/")[0] for r in rows),
    "names-2": lambda rows: Counter(tuple(r["location"].split("/")[:2]) for r in rows),
}


def _sum(rows, key, amount):
    counts: Counter[Any] = Counter()
    for row in rows:
        counts[key(row)] += amount(row)
    return counts


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_view_counts_what_it_says(name):
    first, second = make_rows(1), make_rows(2)
    pair = build_view_pair(as_events(first), as_events(second), [name])
    for views, rows in zip(pair, (first, second), strict=True):
        for user in views.users.to_pylist():
            own = [row for row in rows if row["user"] == user]
            assert shares(views, name, user) == pytest.approx(expected(DEFINITIONS[name](own)))


def test_places_equal_the_histograms_to_the_bit():
    sides = as_events(make_rows(1)), as_events(make_rows(2))
    views = build_view_pair(*sides, ["visits"])
    for view, histogram in zip(views, build_histogram_pair(*sides), strict=True):
        scaled = histogram.probabilities()
        np.testing.assert_array_equal(view.matrices[0].toarray(), scaled.toarray())


def test_what_the_data_cannot_give_is_left_out_and_said():
    sides = [as_events(make_rows(k), "user", "location") for k in (1, 2)]
    views, _ = build_view_pair(*sides)
    assert views.names == ("visits", "names-1", "names-2")
    assert views.left_out["duration"] == "needs end and start on both sides"
    assert views.left_out["cells-1km"] == "needs lat and lon on both sides"
    assert set(views.names) | set(views.left_out) == set(VIEWS)


def test_flat_names_have_no_shorter_ones():
    rows = [{**row, "location": row["location"].replace("/", "_")} for row in make_rows(1)]
    views, _ = build_view_pair(as_events(rows), as_events(rows))
    assert views.left_out["names-1"] == "needs hierarchical names of locations"


def test_one_side_without_times_has_no_views_of_time():
    sides = as_events(make_rows(1)), as_events(make_rows(2), "user", "location")
    views, _ = build_view_pair(*sides)
    assert "days" in views.left_out
    assert "hour-of-day" in views.left_out


def test_selected_people_keep_their_rows():
    views, _ = build_view_pair(as_events(make_rows(1)), as_events(make_rows(2)))
    rows = np.array([3, 0])
    chosen = views.select(rows)
    assert chosen.users.to_pylist() == [views.users[3].as_py(), views.users[0].as_py()]
    for own, whole in zip(chosen.matrices, views.matrices, strict=True):
        np.testing.assert_array_equal(own.toarray(), whole.toarray()[rows])


def test_an_unknown_view_is_refused_with_those_there_are():
    with pytest.raises(OptionError, match=r"^views must be all or some of visits, duration"):
        choose_views(["visits", "colour"])
    with pytest.raises(OptionError, match="got none instead"):
        choose_views([])


def test_a_repr_names_nobody():
    views, _ = build_view_pair(as_events(make_rows(1)), as_events(make_rows(2)), ["visits"])
    assert repr(views) == "Views(n_users=5, views=visits)"
