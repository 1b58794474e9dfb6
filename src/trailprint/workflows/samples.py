"""Time work on two samples of people to estimate its cost for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trailprint.errors import InputError, OptionError
from trailprint.events.events import Events
from trailprint.workflows.rehearsal import Rehearsed, rehearse

_WORDS = 2**32


class Sample(NamedTuple):
    """Measured cost of work for a number of people."""

    n_people: float
    took: Rehearsed


def draw_users(events: Events, share: float) -> Events:
    """Draw about this share of the people; the same people are drawn in every dataset."""
    if share >= 1:
        return events
    last = f"{min(int(share * _WORDS), _WORDS - 1):08x}"
    return events.having(f"left(md5(CAST(\"user\" AS VARCHAR)), 8) <= '{last}'")


def choose_sizes(n_people: int, least: int, most: int) -> tuple[int, int]:
    """Return two sample sizes: a quarter of the people within bounds, after half of that."""
    larger = min(max(n_people // 4, least), most, n_people)
    return max(larger // 2, 1), max(larger, 1)


def try_sizes(
    n_people: int, sizes: tuple[int, int], make: Callable[[float], Callable[[], object]]
) -> tuple[Sample, Sample]:
    """
    Time work for two samples of people, or for all people if the samples are too small.

    ``make`` returns the work for a share of the people. The smaller sample is run twice, because
    the first run loads code.
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
    Extrapolate the cost of work to all people.

    Time grows with a power of the number of people, on top of a constant.
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
    if each <= 0:  # Timing noise: assume there is no constant part.
        each = took[1] / n_large**power
    return float(took[1] + each * (n_people**power - n_large**power))
