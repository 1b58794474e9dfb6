"""Work done on two samples of people, to say what it takes for everybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trailprint.errors import InputError, OptionError
from trailprint.events.events import Events
from trailprint.workflows.rehearsal import Rehearsed, rehearse

_WORDS = 2**32


class Sample(NamedTuple):
    """What work took for a number of people."""

    n_people: float
    took: Rehearsed


def count_users(events: Events) -> int:
    """How many people have events."""
    return int(events.engine.row(f'SELECT count(DISTINCT "user") FROM ({events.query})')[0])


def draw_users(events: Events, share: float) -> Events:
    """About this share of the people; the same ones of every dataset they are in."""
    if share >= 1:
        return events
    last = f"{min(int(share * _WORDS), _WORDS - 1):08x}"
    return events.having(f"left(md5(CAST(\"user\" AS VARCHAR)), 8) <= '{last}'")


def choose_sizes(n_people: int, least: int, most: int) -> tuple[int, int]:
    """How many people are tried: a quarter within bounds, and before that half of these."""
    larger = min(max(n_people // 4, least), most, n_people)
    return max(larger // 2, 1), max(larger, 1)


def try_sizes(
    n_people: int, sizes: tuple[int, int], make: Callable[[float], Callable[[], object]]
) -> tuple[Sample, Sample]:
    """
    Do work for two samples of people; where these are too few for it, for everybody.

    ``make`` gives the work for a share of the people; the smaller sample is done twice, since the
    first time programs are loaded.
    """
    for tried in (sizes, (sizes[1], sizes[1])):
        try:
            return _try_two(n_people, tried, make)
        except (InputError, OptionError):
            continue
    return _try_two(n_people, (n_people, n_people), make)


def _try_two(
    n_people: int, sizes: tuple[int, int], make: Callable[[float], Callable[[], object]]
) -> tuple[Sample, Sample]:
    small, large = (make(size / max(n_people, 1)) for size in sizes)
    small()
    return (
        Sample(sizes[0], rehearse(small, of_few=False)),
        Sample(sizes[1], rehearse(large, of_few=False)),
    )


def extrapolate(samples: tuple[Sample, Sample], n_people: float, power: float) -> Rehearsed:
    """
    What work takes for everybody.

    Its time grows with a power of the people, on top of what is always needed.
    """
    (_, first), (n_large, second) = samples
    return Rehearsed(
        passes=max(first.passes, second.passes),
        shared_s=_extrapolate(samples, "shared_s", n_people, power),
        alone_s=_extrapolate(samples, "alone_s", n_people, power),
        worker_bytes=second.worker_bytes * max(n_people / max(n_large, 1), 1.0),
    )


def _extrapolate(samples: tuple[Sample, Sample], name: str, n_people: float, power: float) -> float:
    (n_small, first), (n_large, second) = samples
    took = getattr(first, name), getattr(second, name)
    if n_people <= n_large or not n_large:
        return float(took[1])
    each = (took[1] - took[0]) / max(n_large**power - n_small**power, 1.0)
    if each <= 0:  # The machine was busy with something else: all of it grows.
        each = took[1] / n_large**power
    return float(took[1] + each * (n_people**power - n_large**power))
