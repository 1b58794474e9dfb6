"""One dataset becomes two sides in a way that suits it; two stay what they are."""

import datetime as dt

import pyarrow as pa
import pytest
from tests.presence import present

from trailprint.audit.options import AuditOptions
from trailprint.audit.sides import given_ids, make_sides
from trailprint.errors import InputError, OptionError
from trailprint.events.split import SplitOptions

MONDAY = dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC)
PEOPLE = [f"u{i}" for i in range(6)]


def visits(days):
    """Everybody at some place on each of these days."""
    return [
        (user, f"p{(i + day) % 4}", MONDAY + dt.timedelta(days=day))
        for i, user in enumerate(PEOPLE)
        for day in days
    ]


def make(make_events, days):
    return make_events(visits(days), "user", "location", "start")


@pytest.mark.parametrize(
    ("days", "kind"),
    [
        (range(21), "weeks-halves"),
        (range(6), "span-halves"),
        ((0,), "random-events"),
    ],
)
def test_the_cut_follows_from_the_times(make_events, days, kind):
    events = make_events(visits(list(days) * 12), "user", "location", "start")
    sides = make_sides([events], None, AuditOptions())
    assert sides.kind == kind
    assert sides.n_people == len(PEOPLE)
    assert sides.released.count() + sides.auxiliary.count() == events.count()
    assert present(sides.description).endswith("the second for an adversary's data.")


def test_every_other_day_where_nobody_spans_the_middle(make_events):
    rows = [
        (user, "p", MONDAY + dt.timedelta(days=day, hours=i))
        for i, user in enumerate(PEOPLE)
        for day in ((0, 1) if i < 3 else (140, 141))
    ]
    sides = make_sides([make_events(rows, "user", "location", "start")], None, AuditOptions())
    assert sides.kind == "odd-even-days"
    assert sides.n_people == len(PEOPLE)


def test_without_times_events_are_drawn_by_lot(make_events):
    rows = [(user, f"p{k}") for user in PEOPLE for k in range(3) for _ in range(10)]
    events = make_events(rows, "user", "location")
    sides = make_sides([events], None, AuditOptions(seed=1))
    again = make_sides([events], None, AuditOptions(seed=1))
    other = make_sides([events], None, AuditOptions(seed=2))
    counts = [
        side.engine.rows(f'SELECT "user", location, count(*) FROM ({side.query}) GROUP BY ALL')
        for side in (sides.released, again.released, other.released)
    ]
    assert sides.kind == "random-events"
    assert sides.released.count() + sides.auxiliary.count() == len(rows)
    assert sorted(counts[0]) == sorted(counts[1]) != sorted(counts[2])


def test_counts_are_taken_apart(make_events):
    rows = [(user, f"p{k}", 20) for user in PEOPLE for k in range(3)]
    sides = make_sides([make_events(rows, "user", "location", "count")], None, AuditOptions())
    assert sum(map(_n_events, (sides.released, sides.auxiliary))) == 20 * len(rows)
    assert 0 < _n_events(sides.released) < 20 * len(rows)


def _n_events(side):
    return side.engine.row(f"SELECT sum(weight) FROM ({side.query})")[0]


def test_counts_in_the_millions_cost_nothing(make_events):
    """Event by event this would be 12 billion rows."""
    rows = [(user, f"p{k}", 1_000_000_000) for user in PEOPLE for k in range(3)]
    sides = make_sides([make_events(rows, "user", "location", "count")], None, AuditOptions())
    again = make_sides([make_events(rows[::-1], "user", "location", "count")], None, AuditOptions())
    counts = _n_events(sides.released), _n_events(sides.auxiliary)
    assert sum(counts) == 1_000_000_000 * len(rows)
    assert counts[0] / sum(counts) == pytest.approx(0.5, abs=1e-3)
    assert _n_events(again.released) == counts[0]


def test_fractions_cannot_be_drawn(make_events):
    events = make_events([(u, "p", 0.5) for u in PEOPLE], "user", "location", "count")
    with pytest.raises(InputError, match=r"averages have neither\. Give .* a second dataset"):
        make_sides([events], None, AuditOptions())


def test_a_split_that_was_asked_for(make_events):
    events = make(make_events, range(21))
    sides = make_sides([events], None, AuditOptions(split=SplitOptions(at="2024-01-10")))
    assert sides.kind == "at"
    assert "2024-01-10" in present(sides.description)


def test_positions_go_on_one_grid(make_events):
    rows = [
        (user, 46.0 + i / 50, 7.0, MONDAY + dt.timedelta(days=day))
        for i, user in enumerate(PEOPLE)
        for day in range(21)
    ]
    sides = make_sides([make_events(rows, "user", "lat", "lon", "start")], None, AuditOptions())
    assert {"location", "lat", "lon"} <= sides.released.columns
    assert "Cells of 1,000 m." in sides.released.notes


def test_a_truth_renames_the_auxiliary_side(make_events):
    released = make(make_events, range(7))
    rows = [(f"name-{user}", place, start) for user, place, start in visits(range(7, 14))]
    rows += [("u1", "p0", MONDAY)]
    auxiliary = make_events(rows, "user", "location", "start")
    known = PEOPLE[:5]
    truth = pa.table({"released": known, "auxiliary": [f"name-{user}" for user in known]})
    sides = make_sides([released, auxiliary], truth, AuditOptions())
    assert sides.n_people == 5
    assert sides.truth == "file"
    users = pa.array(
        sorted(
            who
            for (who,) in sides.auxiliary.engine.rows(
                f'SELECT DISTINCT "user" FROM ({sides.auxiliary.query})'
            )
        )
    )
    # The stranger who happens to be called u1 is not taken for the released u1.
    assert sorted(given_ids(sides, users).to_pylist()) == ["name-u" + c for c in "012345"] + ["u1"]


def test_a_sample_takes_the_same_people_on_both_sides(make_events):
    events = make(make_events, range(21))
    sides = make_sides([events], None, AuditOptions(users=3))
    chosen = [
        set(side.engine.rows(f'SELECT DISTINCT "user" FROM ({side.query})'))
        for side in (sides.released, sides.auxiliary)
    ]
    assert chosen[0] == chosen[1]
    assert (len(chosen[0]), sides.n_people, sides.sampled_of) == (3, 3, 6)
    everybody = make_sides([events], None, AuditOptions(users=60))
    assert (everybody.n_people, everybody.sampled_of, everybody.n_given) == (6, None, 6)


def test_what_cannot_be_audited(make_events):
    events = make(make_events, range(21))
    strangers = make_events([("x", "p0", MONDAY)], "user", "location", "start")
    alone = events.having("\"user\" = 'u0'")
    with pytest.raises(InputError, match=r"no user id is on both sides\. Give truth"):
        make_sides([events, strangers], None, AuditOptions())
    with pytest.raises(InputError, match="at least two people on both sides, got 1 instead"):
        make_sides([alone], None, AuditOptions())
    with pytest.raises(OptionError, match="either two datasets or a split"):
        make_sides([events, events], None, AuditOptions(split=SplitOptions(at="median")))
    with pytest.raises(OptionError, match="truth says who is who in two datasets"):
        make_sides([events], pa.table({"released": ["a"], "auxiliary": ["b"]}), AuditOptions())
