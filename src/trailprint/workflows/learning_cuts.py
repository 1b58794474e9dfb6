"""Cut identified data in two to learn weights of views from it."""

from __future__ import annotations

from collections.abc import Callable

from trailprint.attacks.view_weights import LEAST_PEOPLE, MOST_PEOPLE
from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.events.halving import Halves, count_people, draw_events, halve_suitably
from trailprint.events.split import SplitOptions, split
from trailprint.workflows.options import Cut, ViewOptions

CutEvents = Callable[[Events, int], Halves]
"""Cuts a dataset in two; takes a seed."""

_SPLITS: dict[Cut, SplitOptions] = {
    "median": SplitOptions(at="median"),
    "halves-of-weeks": SplitOptions(halves_of_weeks=True),
    "halves-of-spans": SplitOptions(fold="1/2"),
}


def choose_cut(options: ViewOptions) -> CutEvents:
    """Return the cut of the auxiliary side by the options; one period is cut at random."""
    if options.same_period or options.cut == "at-random":
        return _cut_at_random
    return lambda events, seed: cut_or_suit(_cut_by(options.cut), events, seed)


def cut_or_suit(cut: CutEvents, events: Events, seed: int) -> Halves:
    """Cut as given; if too few people are left to learn from, choose a suitable cut."""
    try:
        halves = cut(events, seed)
        if count_people(*halves) >= LEAST_PEOPLE:
            return halves
    except InputError:
        pass
    return halve_suitably(events, seed)


def cut_by_times(events: Events, kind: Cut, seed: int) -> Halves:
    """Cut as ``kind`` says, or at random if there are no times."""
    if "start" not in events.columns:
        return draw_events(events, seed)[:2]
    halves = split(events, _SPLITS[kind])
    return halves.released, halves.auxiliary


def _cut_by(kind: Cut) -> CutEvents:
    return lambda events, seed: cut_by_times(events, kind, seed)


def _cut_at_random(auxiliary: Events, seed: int) -> Halves:
    when = '"start"' if "start" in auxiliary.columns else "0"
    event = f'hash("user", location, {when})'
    # The last bit of hash(event, seed) is that of hash(event), at most flipped; hashing once more
    # makes the halves depend on the seed.
    draw = f"hash(xor({event}, hash({seed}::BIGINT)))"
    return auxiliary.having(f"{draw} % 2 = 0"), auxiliary.having(f"{draw} % 2 = 1")


def draw_people_of(halves: Halves, seed: int) -> Halves:
    """Draw at most `MOST_PEOPLE` of the people in both halves, to keep views cheap."""
    first, second = halves
    both = (
        f'SELECT DISTINCT "user" FROM ({first.query}) '
        f'INTERSECT SELECT DISTINCT "user" FROM ({second.query})'
    )
    drawn = first.engine.materialise(
        f'SELECT "user" FROM ({both}) ORDER BY hash("user", {seed}), "user" LIMIT {MOST_PEOPLE}',
        "learnt_from",
    )
    chosen = f'"user" IN (SELECT "user" FROM {drawn})'
    return first.having(chosen).materialise(), second.having(chosen).materialise()
