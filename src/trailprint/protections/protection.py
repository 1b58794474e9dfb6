"""
What every protection is: a small object that changes events or histograms and says what was lost.

A *public* protection is a map everybody knows (which region an antenna lies in, which locations
are left): an adversary applies it to their own data as well, so it changes both sides. A *private*
one changes the released side only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from trailprint.display.discreet import Discreet
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms

#: The seed of one step of a chain: the user's seed, and which step it is.
Seed = tuple[int, int]
#: What is done to each side, once it is known from the data.
Rule = Callable[[Events], Events]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistogramChange(Discreet):
    """
    Protected histograms, and what is to be known of them.

    Attributes
    ----------
    histograms : Histograms
        What may be released. Rows that sum to one are shares.
    events_kept : float
        Share of the activity that still stands behind them.
    facts : mapping
        What the protection can say of itself: groups, guarantees. No identifiers.
    """

    histograms: Histograms
    events_kept: float = 1.0
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AuditedData(Discreet):
    """What a protection may look at to say which values suit the data of an audit."""

    released: Events
    auxiliary: Events
    n_users: int
    n_locations: int

    @property
    def has_positions(self) -> bool:
        """Whether both sides say where on earth each event was."""
        return "lat" in self.released.columns and "lat" in self.auxiliary.columns


@dataclass(frozen=True, slots=True, kw_only=True)
class _Protection:
    """What events' and histograms' protections have in common."""

    name: ClassVar[str]
    summary: ClassVar[str]
    is_public: ClassVar[bool]
    #: Parameters that protect more as they grow (1) or shrink (-1): bisection may be used.
    monotone: ClassVar[Mapping[str, int]] = {}
    #: Whether the outcome follows from the seed: who knows it can undo it.
    is_random: ClassVar[bool] = False
    #: What `facts` and changes of histograms are called, for people.
    fact_titles: ClassVar[Mapping[str, str]] = {}
    #: The parameter an audit tries values of, and where among others; None: only when asked for.
    audited: ClassVar[str | None] = None
    audit_rank: ClassVar[int] = 100

    def parameters(self) -> dict[str, Any]:
        """The parameters as plain values, ready for JSON."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def label(self) -> str | None:
        """What it is called, for people; None: as it was written down."""
        return None

    @classmethod
    def audit_values(cls, data: AuditedData) -> Sequence[Any]:
        """Values of the `audited` parameter that suit the data; none where it does not help."""
        return ()

    @classmethod
    def stronger_values(cls, data: AuditedData) -> Sequence[Any]:
        """Values beyond those, ever stronger: for a target that none of those reaches."""
        return ()

    @classmethod
    def neutral_value(cls, data: AuditedData) -> int | float | None:
        """A value of the `audited` parameter that changes nothing; None: none to search from."""
        return None

    def seconds(self, n_users: int, n_visited: int) -> float:
        """How long it takes beyond changing and counting events; ``n_visited`` cells are filled."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProtection(_Protection, ABC):
    """A protection of events."""

    applies_to: ClassVar[Literal["events"]] = "events"
    #: Whether locations get other names, so that old and new ones must be told apart.
    renames_locations: ClassVar[bool] = False
    #: Whether records are left out: that costs nobody more than being dropped.
    leaves_out: ClassVar[bool] = False

    @abstractmethod
    def rule(self, released: Events, auxiliary: Events | None, seed: Seed) -> Rule:
        """
        What is to be done, learnt from the data where that is needed.

        ``auxiliary`` is the other side, where there is one: a grid must cover both.
        """

    def facts(self, before: Events, after: Events) -> dict[str, Any]:
        """What the protection can say of itself once applied."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramProtection(_Protection, ABC):
    """A protection of histograms; always private."""

    applies_to: ClassVar[Literal["histograms"]] = "histograms"
    is_public: ClassVar[bool] = False

    @abstractmethod
    def change(
        self, histograms: Histograms, seed: Seed, *, n_threads: int | None = None
    ) -> HistogramChange:
        """Protect the released side."""


Protection = EventProtection | HistogramProtection


def double_up(value: int, most: int) -> list[int]:
    """Twice a value, twice that and so on, and at last the most it may be."""
    values = []
    while 2 * value < most:
        value *= 2
        values.append(value)
    return [*values, most] if most > value else values
