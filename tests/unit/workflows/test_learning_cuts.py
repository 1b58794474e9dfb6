"""Cuts of the auxiliary side to learn from."""

from __future__ import annotations

import pandas as pd
import pytest

import trailprint as tp
from trailprint.workflows.learning_cuts import _cut_at_random


@pytest.fixture
def events() -> tp.Events:
    table = pd.DataFrame(
        {
            "user": [f"u{n % 20}" for n in range(400)],
            "location": [f"p{n % 7}" for n in range(400)],
            "start": pd.Timestamp("2024-03-04") + pd.to_timedelta(range(400), unit="h"),
        }
    )
    return tp.read(table)


def starts(side: tp.Events) -> set[object]:
    return set(side.engine.arrow(f'SELECT "start" FROM ({side.query})')["start"].to_pylist())


def test_random_halves_share_no_event_and_lose_none(events):
    first, second = (starts(half) for half in _cut_at_random(events, 0))
    assert first | second == starts(events)
    assert not first & second
    assert 120 < len(first) < 280


def test_another_seed_gives_other_halves_not_the_same_two_swapped(events):
    kept = starts(_cut_at_random(events, 0)[0])
    shares = [len(kept & starts(_cut_at_random(events, seed)[0])) for seed in (1, 2, 3)]
    assert all(0.25 * len(kept) < share < 0.75 * len(kept) for share in shares)
