"""Options of the known-points attack: what is known of a person, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from trailprint.arguments import Understood, check_fields, understood
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError

Knowledge = Literal[
    "place",
    "unique-place",
    "place-time",
    "time",
    "sequence",
    "frequency",
    "probability",
    "proportion",
    "home-work",
]

HomeWork = Literal["most-visited", "least-visited"]

#: Knowledge whose points can be drawn at random.
DRAWN = ("place", "place-time", "time")
#: Knowledge that may match within a tolerance.
TOLERANT = ("frequency", "probability", "proportion")

_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}
_MOST_POINTS, _MOST_WORST, _MOST_DRAWS = 100, 10, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsOptions:
    """
    What is known of a person, and how much of it is known.

    Attributes
    ----------
    knowledge : str
        What a known point says. ``auto`` is ``place-time``, or ``place`` where the data has no
        times; ``sequence`` is the places in the order of the visits.
    points : tuple of int or str, optional
        Numbers of points drawn at random (default: 1-10). Never more than the longest trace has;
        for ``place``, ``place-time`` and ``time``. Also as text, such as 1-4 or 1,2,4.
    draws : int
        Number of times that points are drawn for each person.
    worst_case : int
        Largest number of points for which all choices are searched; 0 for none.
    time_resolution : str
        Length of a time bin, such as 30min, 1h or 1d.
    tolerance : float
        Share by which a known frequency, probability or proportion may differ from another's.
    home_work : {"most-visited", "least-visited"}
        Which two places are home and work; scikit-mobility's code takes the least visited.
    grid : bool
        Whether the share is also measured at coarser places and times.
    populations : tuple of int or str
        Larger populations to extrapolate to (default: 10, 100 and 1,000 times this one).
    seed : int
        Seed of the draws.

    Examples
    --------
    >>> from trailprint.options import PointsOptions
    >>> PointsOptions(time_resolution="30min").resolution_s
    1800
    """

    knowledge: Knowledge | Literal["auto"] = "auto"
    points: Understood[tuple[int, ...] | None, int | str | Sequence[int]] = understood(None)
    draws: int = 10
    worst_case: int = 2
    time_resolution: str = "1h"
    tolerance: float = 0.0
    home_work: HomeWork = "most-visited"
    grid: bool = True
    populations: Understood[tuple[int, ...], int | str | Sequence[int]] = understood()
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.points, str):
            object.__setattr__(self, "points", parse_numbers(self.points))
        if isinstance(self.populations, str):
            object.__setattr__(self, "populations", parse_populations(self.populations))
        check_fields(self)
        allowed = ("auto", *get_args(Knowledge))
        if self.knowledge not in allowed:
            raise OptionError(
                f"--knowledge must be one of {', '.join(allowed)}, got {self.knowledge!r} instead.",
                option="knowledge",
            )
        _check_range("worst-case", self.worst_case, 0, _MOST_WORST)
        _check_range("draws", self.draws, 1, _MOST_DRAWS)
        for n_points in self.points or ():
            _check_range("points", n_points, 1, _MOST_POINTS)
        for population in self.populations:
            _check_range("populations", population, 2, 2**53)
        if self.points == ():
            raise OptionError(
                "--points must name at least one number of points, got none.", option="points"
            )
        if self.points is not None and self.knowledge not in ("auto", *DRAWN):
            raise OptionError(
                f"--points goes with --knowledge {', '.join(DRAWN)}, got {self.knowledge} "
                "instead. Use --worst-case.",
                option="points",
            )
        _check_tolerance(self.tolerance, self.knowledge)
        _check_home_work(self.home_work, self.knowledge)
        parse_resolution(self.time_resolution)
        for name in ("points", "populations"):
            numbers = getattr(self, name)
            if numbers is not None:
                object.__setattr__(self, name, tuple(sorted(set(numbers))))

    @property
    def resolution_s(self) -> int:
        """Length of a time bin in seconds."""
        return parse_resolution(self.time_resolution)

    def settle(self, *, has_times: bool) -> Knowledge:
        """Return the kind of knowledge, with ``auto`` resolved."""
        if self.knowledge != "auto":
            return self.knowledge
        return "place-time" if has_times else "place"


def _check_home_work(which: str, knowledge: str) -> None:
    if which not in get_args(HomeWork):
        raise OptionError(
            f"--home-work must be one of {', '.join(get_args(HomeWork))}, got {which!r} instead.",
            option="home-work",
        )
    if which != "most-visited" and knowledge != "home-work":
        raise OptionError(
            f"--home-work {which} goes with --knowledge home-work, got {knowledge} instead.",
            option="home-work",
        )


def _check_tolerance(tolerance: float, knowledge: str) -> None:
    if not 0 <= tolerance <= 1:
        raise OptionError(
            f"--tolerance must be from 0 to 1, got {format_exact(tolerance)} instead.",
            option="tolerance",
        )
    if tolerance and knowledge not in TOLERANT:
        raise OptionError(
            f"--tolerance goes with --knowledge {', '.join(TOLERANT)}, got {knowledge} instead.",
            option="tolerance",
        )


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise OptionError(
            f"--{name} must be from {least:,} to {most:,}, got {value:,} instead.", option=name
        )


def parse_resolution(text: str) -> int:
    """Convert a length of time such as ``1h`` to seconds."""
    found = re.fullmatch(r"([1-9][0-9]{0,6})\s*(s|min|h|d|w)", text.strip())
    if found is None:
        raise OptionError(
            f"--time-resolution must be a number of s, min, h, d or w, got {text!r} instead. "
            "Try 1h.",
            option="time-resolution",
        )
    return int(found[1]) * _UNITS[found[2]]


def parse_numbers(text: str) -> tuple[int, ...]:
    """Parse numbers of points: ``4``, ``1-10`` or ``1,2,4``."""
    numbers: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*([0-9]{1,4})\s*(?:-\s*([0-9]{1,4})\s*)?", part)
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise OptionError(
                f"--points must be a number or a range such as 1-10, got {text!r} instead.",
                option="points",
            )
        numbers += range(int(found[1]), int(found[2] or found[1]) + 1)
    return tuple(sorted(set(numbers)))


def parse_populations(text: str) -> tuple[int, ...]:
    """Parse population sizes separated by commas."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"--populations must be numbers of people such as 100000, got {text!r} instead.",
            option="populations",
        ) from None
