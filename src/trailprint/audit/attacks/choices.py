"""What each attack of an audit chose, kept to run its best method again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

from trailprint.attacks.options import Method
from trailprint.attacks.view_weights import ViewWeights
from trailprint.audit.parts import Outcome
from trailprint.audit.results.kept import attack_of
from trailprint.plain import from_plain

T = TypeVar("T")

SequenceModel = Literal["crf", "markov"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoChoice:
    """Choice of an attack with a single method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramChoice:
    """How histograms are matched."""

    method: Method


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedChoice:
    """How views are matched, and how much each counts."""

    method: Method
    weights: ViewWeights


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceChoice:
    """Which model is trained for each released person."""

    model: SequenceModel


def choice_of(outcome: Outcome, kind: type[T]) -> T:
    """Return what an attack chose; raise `ShapeError` if the outcome holds no such choice."""
    return from_plain(kind, attack_of(outcome).chosen)
