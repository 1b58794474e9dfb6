"""
Base classes of protections: small objects that change events or histograms and report facts.

A *public* protection is a map that everyone knows (which region an antenna lies in, which locations
are kept): an adversary applies it to their own data as well, so it changes both sides. A *private*
one changes the released side only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from trailprint.arguments import check_fields
from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms

#: The seed of one step of a chain: the user's seed, and the index of the step.
Seed = tuple[int, int]
#: The change to apply to each side, after it was learnt from the data.
Rule = Callable[[Events], Events]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistogramChange(Discreet):
    """
    Protected histograms, and facts about them.

    Attributes
    ----------
    histograms : Histograms
        The histograms to release. Rows that sum to one are shares.
    events_kept : float
        Share of the activity that they still represent.
    facts : mapping
        Facts that the protection reports: groups, guarantees. No identifiers.
    """

    histograms: Histograms
    events_kept: float = 1.0
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditedData(Discreet):
    """Data from which a protection chooses values for an audit."""

    released: Events
    auxiliary: Events
    n_users: int
    n_locations: int

    @property
    def has_positions(self) -> bool:
        """Whether both sides have latitudes and longitudes."""
        return "lat" in self.released.columns and "lat" in self.auxiliary.columns


Need = Literal["positions", "times"]
Unit = Literal["people", "locations", "metres", "seconds", "share", "parts of a name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Protection:
    """Common base of protections of events and of histograms."""

    name: ClassVar[str]
    summary: ClassVar[str]
    is_public: ClassVar[bool]
    #: Parameters that protect more as they grow (1) or shrink (-1), so that bisection can be used.
    monotone: ClassVar[Mapping[str, int]] = {}
    #: Whether the outcome depends on the seed, so that anyone who knows the seed can undo it.
    is_random: ClassVar[bool] = False
    #: What the data must have for the protection to have an effect.
    needs: ClassVar[frozenset[Need]] = frozenset()
    #: What numeric parameters count or measure, where it is one of these.
    units: ClassVar[Mapping[str, Unit]] = {}
    #: Whether places stay as they are, so that it has an effect only if times are released.
    changes_only_times: ClassVar[bool] = False
    #: Readable titles of facts, by name.
    fact_titles: ClassVar[Mapping[str, str]] = {}
    #: The parameter whose values an audit tries (None: only on request), and its rank among others.
    audited: ClassVar[str | None] = None
    audit_rank: ClassVar[int] = 100

    def __post_init__(self) -> None:
        check_fields(self, are_flags=False)
        self.check_values()

    def check_values(self) -> None:
        """Raise an error if a value breaks its rule; types and choices were checked before."""
        return

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values, ready for JSON."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def label(self) -> str | None:
        """Readable label; None: use the text that specified the protection."""
        return None

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[Any]:
        """Values of the `audited` parameter that suit the data; empty if it does not help."""
        return ()

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[Any]:
        """Further, increasingly strong values, for a target that no audit value reaches."""
        return ()

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int | float | None:
        """A value of the `audited` parameter that changes nothing; None if there is none."""
        return None

    def seconds(self, n_users: int, n_visited: int) -> float:
        """
        Estimated seconds, not including those to change and count events.

        ``n_visited`` is the number of pairs of a user and a location they visited.
        """
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProtection(_Protection, ABC):
    """A protection of events."""

    applies_to: ClassVar[Literal["events"]] = "events"
    #: Whether locations are renamed, so that old and new names must be translated.
    renames_locations: ClassVar[bool] = False
    #: Whether records are left out; this costs a user at most as much as being dropped.
    leaves_out: ClassVar[bool] = False

    @abstractmethod
    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """
        Return the change to apply, learnt from the data if needed.

        ``auxiliary`` is the other side, if there is one: a grid must cover both.
        """

    def facts(self, before: Events, after: Events) -> dict[str, Any]:
        """Facts that the protection reports after it was applied."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramProtection(_Protection, ABC):
    """A protection of histograms; always private."""

    applies_to: ClassVar[Literal["histograms"]] = "histograms"
    is_public: ClassVar[bool] = False
    #: Whether its kernels take long to compile, which is then done before a machine's first audit.
    is_compiled_ahead: ClassVar[bool] = False

    @abstractmethod
    def change(
        self, histograms: Histograms, seed: Seed, *, n_threads: int | None = None
    ) -> HistogramChange:
        """Protect the released side."""


Protection = EventProtection | HistogramProtection


def double_up(value: int, most: int) -> list[int]:
    """Return repeated doublings of a value below ``most``, and finally ``most``."""
    values = []
    while 2 * value < most:
        value *= 2
        values.append(value)
    return [*values, most] if most > value else values
