"""What trail matching reports about its links: plain values in a linkage, types here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trailprint.attacks.options import Algorithm, Reserved, TrailOptions
from trailprint.linkage import Linkage
from trailprint.plain import ShapeError, from_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailVariant:
    """Algorithm of trail matching, and the side that may lack entries of the other."""

    algorithm: Algorithm
    reserved: Literal[Reserved, "both"]

    def to_options(self) -> TrailOptions:
        """Return the options that run this variant again."""
        return TrailOptions(algorithm=self.algorithm, reserved=self.reserved)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailFacts(TrailVariant):
    """
    Facts about the links of trail matching.

    Attributes
    ----------
    contradicted : bool
        Whether the data rules out the assumed release tactic, under which no link can be wrong.
    trails_without_counterpart : int
        Number of trails that fit no trail of the other side.
    upper_bound : int
        Maximum number of possible re-identifications.
    """

    contradicted: bool
    trails_without_counterpart: int
    upper_bound: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyFacts(TrailFacts):
    """
    Facts about the most likely counterparts.

    ``agreement`` is the share of entries that both sides have; ``expected_precision`` is None
    without links.
    """

    agreement: float
    expected_precision: float | None


def read_variant(linkage: Linkage) -> TrailVariant:
    """Return the variant that made a linkage of trail matching."""
    return from_plain(TrailVariant, linkage.facts)


def read_trail_facts(linkage: Linkage) -> TrailFacts:
    """Return the facts of a linkage of trail matching; raise `ShapeError` if it is of another."""
    likely = read_variant(linkage).algorithm == "likely"
    return from_plain(LikelyFacts if likely else TrailFacts, linkage.facts)


def promises_no_false_link(linkage: Linkage) -> bool:
    """Return whether a linkage is of trail matching that links nobody who was not released."""
    try:
        facts = read_trail_facts(linkage)
    except ShapeError:
        return False
    return not facts.contradicted and facts.reserved == "released"
