"""How risk changes with how much the adversary knows about each person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trailprint.display.discreet import Discreet
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.knowledge import Knowledge, Known, mean_points, restrict
from trailprint.events.summary import count_users
from trailprint.progress import Progress, ignore_progress
from trailprint.studies.growth.events import PeopleFound, attack_pair, find_people, prepare_pair
from trailprint.studies.growth.findings import AmountGrowth, AmountPoint
from trailprint.studies.repeated import Prepare
from trailprint.studies.small_counts import describe_rate, hide_small
from trailprint.values import KnowledgeKind

_AMOUNTS: dict[KnowledgeKind, tuple[int, ...]] = {
    "points": (1, 2, 4, 8, 16, 32),
    "days": (1, 2, 4, 8, 16),
    "top": (1, 2, 4, 8),
}
N_LEVELS = 2 + sum(map(len, _AMOUNTS.values()))
"""Maximum number of levels tried, including home and work, and everything."""

Restricted = tuple[Events, Known]


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountTried:
    """Result of an attack that knows this much about each person."""

    known: Known
    mean_points: float
    found: PeopleFound

    def to_finding(self) -> AmountPoint:
        """Return the rate with its interval for publication."""
        known, rate = self.known, self.found.rate
        return AmountPoint(
            x=self.mean_points,
            kind=known.kind,
            amount=known.amount,
            label=name_amount(known.kind, known.amount),
            people_with_less=hide_small(known.people_with_less),
            accuracy=rate.accuracy,
            low=rate.low,
            high=rate.high,
            at_most=rate.at_most,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountStudy(Discreet):
    """Accuracy by what is known about each person; ``why_not`` says why it is missing."""

    points: tuple[AmountTried, ...] = ()
    title: str = ""
    attack: str | None = None
    why_not: str | None = None

    def to_finding(self) -> AmountGrowth | None:
        """Return the points for publication, or None if the study was not possible."""
        if self.why_not is not None:
            return None
        points = tuple(point.to_finding() for point in self.points)
        reading = _read(points)
        return AmountGrowth(title=self.title, attack=self.attack, points=points, reading=reading)


def name_amount(kind: KnowledgeKind, amount: int | None) -> str:
    """Return a short label of what is known about each person."""
    several = "" if amount == 1 else "s"
    return {
        "everything": "everything",
        "home-work": "home and work",
        "top": "most visited place" if amount == 1 else f"{amount} most visited places",
        "points": f"{amount} event{several}",
        "days": f"{amount} day{several}",
    }[kind]


def _read(points: Sequence[AmountPoint]) -> str:
    """Describe the lowest and highest level, and home and work, in a sentence."""
    least = points[0]
    home = [point for point in points if point.kind == "home-work"]
    rates = [f"{point.label} {describe_rate(point)}" for point in (*home, points[-1])]
    return (
        f"An adversary who knows {least.label} of each person links {describe_rate(least)} of the "
        f"people; one who knows {', one who knows '.join(rates)}. Events and days are drawn at "
        "random; the release is the same throughout."
    )


def grow_amount(
    prepare: Prepare,
    released: Events,
    auxiliary: Events,
    *,
    title: str = "Risk by how much is known of each person",
    seed: int = 0,
    progress: Progress | None = None,
) -> AmountStudy:
    """
    Attack with increasing knowledge about each person, up to everything.

    The number of known events, days or most visited places grows until fewer than half of the
    people have that many. Equal ids are the same person; each person keeps something at every
    level.
    """
    if len(find_people(released, auxiliary, None)) < 2:
        return AmountStudy(why_not="Fewer than two people are on both sides.")
    report, points = progress or ignore_progress, []
    whole = auxiliary.materialise()
    for number, (events, known) in enumerate(_list_levels(whole, seed)):
        report("Knowing less of each person", number / N_LEVELS)
        found = attack_pair(prepare_pair(prepare, released, events, None))
        mean = mean_points(events) if known.mean_points is None else known.mean_points
        points.append(AmountTried(known=known, mean_points=mean, found=found))
    return AmountStudy(points=tuple(points), title=title)


def _list_levels(auxiliary: Events, seed: int) -> Iterator[Restricted]:
    n_people = count_users(auxiliary)
    kinds: list[KnowledgeKind] = ["points", "top"]
    if "start" in auxiliary.columns:
        kinds.insert(1, "days")
    for kind in kinds:
        yield from _grow(auxiliary, kind, n_people, seed)
    yield restrict(auxiliary, Knowledge(kind="home-work", seed=seed))
    yield restrict(auxiliary, Knowledge(seed=seed))


def _grow(auxiliary: Events, kind: KnowledgeKind, n_people: int, seed: int) -> Iterator[Restricted]:
    """Yield growing amounts of one kind while at least half of the people have that many."""
    for amount in _AMOUNTS[kind]:
        try:
            found = restrict(auxiliary, Knowledge(kind=kind, amount=amount, seed=seed))
        except OptionError:  # No person has that many.
            return
        if 2 * found[1].people_with_less > n_people:
            return
        yield found
