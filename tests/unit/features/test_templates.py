"""Association activity templates on hand-made logs, against what the paper says in words."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from trailprint.errors import OptionError
from trailprint.features.options import DURATION_EDGES_S
from trailprint.features.sequences import build_sequence_pair, build_sequences
from trailprint.features.templates import attributes, build_template_pair, fingerprint

HOUR = 3600.0


def at(month, day, hour=0, minute=0):
    return dt.datetime(2024, month, day, hour, minute)


@pytest.fixture
def templates_of(make_events):
    """Templates of one log; stays are (user, location, start, end)."""

    def build(stays, timezone="UTC", edges_s=(HOUR, 8 * HOUR)):
        events = make_events(stays, "user", "location", "start", "end", timezone=timezone)
        sequences = build_sequences(events)
        return build_template_pair(sequences, sequences, edges_s)[0]

    return build


def test_a_day_of_three_stays_spells_the_six_features(templates_of) -> None:
    stays = [
        ("u", "a", at(5, 1, 9), at(5, 1, 9, 30)),
        ("u", "b", at(5, 1, 10), at(5, 1, 12)),
        ("u", "a", at(5, 1, 13), at(5, 1, 22)),
    ]
    found = templates_of(stays)
    assert found.label.tolist() == [0, 1, 0]
    # The first of May 2024 was a Wednesday: weekday 2; the slots are 8–12 and 12–16.
    assert attributes(found.context) == [
        ["d0", "w2", "s2", "p-1", "q-1", "n1"],
        ["d1", "w2", "s2", "p0", "q-1", "n0"],
        ["d2", "w2", "s3", "p1", "q0", "n-1"],
    ]


def test_a_one_record_day_has_no_neighbours(templates_of) -> None:
    found = templates_of([("u", "a", at(5, 1, 9), at(5, 1, 10)), ("u", "b", at(5, 3, 9), None)])
    assert found.day_starts.tolist() == [0, 1, 2]
    assert found.context[:, 3:].tolist() == [[-1, -1, -1], [-1, -1, -1]]


def test_a_stay_over_midnight_is_a_record_of_both_days(templates_of) -> None:
    stays = [("u", "a", at(5, 1, 18), at(5, 1, 19)), ("u", "b", at(5, 1, 23), at(5, 2, 9))]
    found = templates_of(stays)
    assert found.label.tolist() == [0, 1, 1]
    assert found.day_starts.tolist() == [0, 2, 3]
    assert attributes(found.context)[1:] == [
        ["d1", "w2", "s5", "p0", "q-1", "n-1"],
        ["d2", "w3", "s0", "p-1", "q-1", "n-1"],
    ]


def test_a_stay_of_several_days_makes_a_template_a_day(templates_of) -> None:
    found = templates_of([("u", "a", at(5, 1, 12), at(5, 4, 12))], edges_s=(12 * HOUR, 24 * HOUR))
    assert found.context[:, 0].tolist() == [1, 2, 2, 1]
    assert found.context[:, 1].tolist() == [2, 3, 4, 5]
    assert found.user_starts.tolist() == [0, 4]


def test_the_short_day_of_spring_is_a_class_lower(templates_of) -> None:
    stay = [("u", "a", at(3, 29, 23), at(4, 1, 22))]
    found = templates_of(stay, timezone="Europe/Zurich", edges_s=(23.5 * HOUR,))
    assert found.context[:, 0].tolist() == [1, 0, 1]


def test_offline_days_make_no_template(templates_of) -> None:
    stays = [("u", "a", at(5, 1, 9), at(5, 1, 10)), ("u", "a", at(5, 9, 9), at(5, 9, 10))]
    assert len(templates_of(stays).day_starts) == 3


def test_durations_are_parted_at_the_edges(templates_of) -> None:
    stays = [
        ("u", "a", at(5, 1, 6 + i), at(5, 1, 6 + i) + dt.timedelta(seconds=seconds))
        for i, seconds in enumerate([0, 59, 60, 299, 300, 3599])
    ]
    found = templates_of(stays, edges_s=DURATION_EDGES_S)
    assert found.context[:, 0].tolist() == [0, 0, 1, 1, 2, 4]


@pytest.mark.parametrize("edges", [(0.0, 60.0), (60.0, 60.0), (60.0, 30.0), (np.inf,), (np.nan,)])
def test_edges_must_grow(templates_of, edges) -> None:
    with pytest.raises(OptionError, match="growing order"):
        templates_of([("u", "a", at(5, 1, 9), at(5, 1, 10))], edges_s=edges)


def test_released_templates_do_not_depend_on_the_auxiliary_side(make_events) -> None:
    names = ("user", "location", "start", "end")
    log = [("u", place, at(5, 1, 9 + i), at(5, 1, 10 + i)) for i, place in enumerate("cec")]
    released = make_events(log, *names)
    others = [
        make_events([("v", place, at(6, 1, 9), at(6, 1, 10))], *names) for place in ("a", "c", "z")
    ]
    pairs = [build_template_pair(*build_sequence_pair(released, other)) for other in others]
    assert len({fingerprint(first) for first, _ in pairs}) == 1
    # The first and the last location were never released: both get the number after the last.
    assert [second.label.tolist() for _, second in pairs] == [[2], [0], [2]]
    assert {first.n_labels for first, _ in pairs} == {2}


def test_the_fingerprint_notices_a_minute_but_not_a_name(templates_of) -> None:
    def log(user="u", place="a", minute=0):
        return [(user, place, at(5, 1, 9), at(5, 1, 9, 59) + dt.timedelta(minutes=minute))]

    first = fingerprint(templates_of(log()))
    assert first == fingerprint(templates_of(log(user="w", place="b")))
    assert first != fingerprint(templates_of(log(minute=2)))


def test_one_users_templates_stand_alone(templates_of) -> None:
    stays = [
        (user, place, at(5, day, 9), at(5, day, 10))
        for user, place, day in (("u", "a", 1), ("u", "b", 2), ("v", "b", 1), ("v", "a", 4))
    ]
    found = templates_of(stays)
    own = found.of_user(1)
    assert own.label.tolist() == [1, 0]
    assert own.day_starts.tolist() == [0, 1, 2]
    assert (own.n_users, own.n_labels, found.n_users) == (1, 2, 2)
    np.testing.assert_array_equal(own.context, found.context[2:])
