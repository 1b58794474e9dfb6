"""Options of repeated attacks: self-validating dataclasses that import no heavy library."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from trailprint.arguments import check_fields
from trailprint.attacks.options import MatchOptions, MetricName
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError

_MOST_FOLDS = 10_000
METRICS: tuple[MetricName, ...] = ("jensen-shannon", "l1", "cosine")

ATTACKS = tuple(MatchOptions(metric=metric) for metric in METRICS)
"""Default attacks: joint matching with each of these metrics; the strongest counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldOptions:
    """
    How many bins, and how many of the rounds are run.

    Attributes
    ----------
    n_folds : int
        Number of bins of each user's span, each left out in turn.
    n_rounds : int, optional
        With ``n_folds``: number of rounds (default: one for each bin).
    """

    n_folds: int = 10
    n_rounds: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if not 2 <= self.n_folds <= _MOST_FOLDS:
            raise OptionError(
                f"--folds must be from 2 to {_MOST_FOLDS:,}, got {self.n_folds:,} instead.",
                option="folds",
            )
        if self.n_rounds is not None and not 1 <= self.n_rounds <= self.n_folds:
            raise OptionError(
                f"--rounds must be from 1 to the {self.n_folds:,} folds, "
                f"got {self.n_rounds:,} instead.",
                option="rounds",
            )

    @property
    def rounds(self) -> range:
        """Indices of the rounds, from 0."""
        return range(self.n_folds if self.n_rounds is None else self.n_rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOptions:
    """
    How a protected release is judged.

    Attributes
    ----------
    target_risk : float, optional
        Largest acceptable share of people linked by the strongest attack, at the upper end of its
        95 % interval.
    attacks : tuple of MatchOptions
        Attacks to run; the strongest counts.
    seed : int
        Random seed of protections and ties.
    """

    target_risk: float | None = None
    attacks: tuple[MatchOptions, ...] = ATTACKS
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.target_risk is not None and not 0 <= self.target_risk <= 1:
            raise OptionError(
                f"--target-risk must be a share from 0 to 1, got "
                f"{format_exact(self.target_risk)}. Try 0.05.",
                option="target-risk",
            )
        if not self.attacks:
            raise OptionError("At least one attack is needed, got none.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions(TrialOptions):
    """
    What is swept, and how it is judged.

    Attributes
    ----------
    parameter : str
        A parameter of exactly one of the protections.
    values : tuple or str
        Its values, in the order of the points; also as text, such as 2,5,10.
    target_risk : float, optional
        Also find the least loss at which the share of people linked by the strongest attack, at
        the upper end of its 95 % interval, is at most this: by bisection between ``values`` if the
        parameter is monotone, else among them.
    attacks : tuple of MatchOptions
        Attacks to run; the strongest counts.
    seed : int
        Random seed of protections and ties.
    """

    parameter: str
    values: Sequence[Any]

    def __post_init__(self) -> None:
        if isinstance(self.values, str):
            parts = [part.strip() for part in self.values.split(",") if part.strip()]
            object.__setattr__(self, "values", tuple(map(_read_value, parts)))
        TrialOptions.__post_init__(self)
        if not self.values:
            raise OptionError(f"A sweep needs values of {self.parameter}, got none. Try k=2,5,10.")
        # Values may be of any type, including unhashable ones.
        if any(value in self.values[:place] for place, value in enumerate(self.values)):
            raise OptionError(f"A sweep must name each value of {self.parameter} once.")


def _read_value(text: str) -> int | float | str:
    """Return a text as a number if it is one, and a whole number if it is written as such."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


_WITHHOLD = (0.1, 0.5, 0.9)
_N_RUNS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityOptions:
    """
    What the sensitivity study varies.

    Attributes
    ----------
    sensitivity : {"locations", "popularity", "withholding"}, optional
        What to vary.
    withhold : tuple of float
        Probabilities of withholding.
    withhold_by : {"visit", "person", "place"}
        Who decides to withhold: each visit independently, a person at all places, or a place for
        all people.
    n_runs : int
        Random runs for withholding.
    name_locations : bool
        Show locations by name, not by rank.

    Examples
    --------
    >>> from trailprint.options import SensitivityOptions
    >>> SensitivityOptions(sensitivity="withholding", withhold=(0.2,)).withhold_by
    'visit'
    """

    sensitivity: Literal["locations", "popularity", "withholding"] | None = None
    withhold: tuple[float, ...] = _WITHHOLD
    withhold_by: Literal["visit", "person", "place"] = "visit"
    n_runs: int = _N_RUNS
    name_locations: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        drawn = (self.withhold, self.withhold_by, self.n_runs)
        if self.sensitivity != "withholding" and drawn != (_WITHHOLD, "visit", _N_RUNS):
            raise OptionError(
                "--withhold, --withhold-by and --runs go with --sensitivity withholding.",
                option="withhold",
            )
        if self.sensitivity is None and self.name_locations:
            raise OptionError(
                "--name-locations goes with --sensitivity: say what to vary.",
                option="name-locations",
            )
