"""The plan of an audit: what it runs and leaves out, and what fits its time limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Any

from trailprint.audit.attacks.registry import release_family_names
from trailprint.audit.parts import Part
from trailprint.audit.wording import duration
from trailprint.display.discreet import Discreet
from trailprint.display.tables import write_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A part that will not be done, and why."""

    name: str
    title: str
    why: str
    was_stopped: bool = False


#: Attacks that should take less than this share of the time limit go first: they delay nothing.
_SHORT = 0.02


def short_first(parts: Sequence[Part], time_limit_s: float | None) -> tuple[Part, ...]:
    """Reorder the attacks, which come first, so that very short ones precede the others."""
    if time_limit_s is None:
        return tuple(parts)
    kinds = ("attack", *release_family_names())
    attacks = list(takewhile(lambda part: part.name.partition("/")[0] in kinds, parts))
    ordered = sorted(attacks, key=lambda part: part.seconds > _SHORT * time_limit_s)
    return (*ordered, *parts[len(attacks) :])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan(Discreet):
    """
    The parts of an audit, most informative first.

    Attributes
    ----------
    parts : tuple of Part
        Parts to run, in order.
    left_out : tuple of LeftOut
        Parts that the data or the memory does not allow.
    kept : frozenset of str
        Names of parts that an earlier run has finished.
    time_limit_s : float, optional
        Time limit of all parts together.
    n_people : int
        How many people are audited.
    n_pairs : int
        How often a released and an auxiliary person share a location: the work of a pass over all
        pairs.
    worker_bytes : float
        Memory that passes on Spark take on each executor.
    reserved_s : float
        Part of the limit that is reserved for later work, such as writing the report.
    spent_s : float
        Part of the limit that was spent before the first part.
    """

    parts: tuple[Part, ...]
    left_out: tuple[LeftOut, ...] = ()
    kept: frozenset[str] = frozenset()
    time_limit_s: float | None = None
    n_people: int = 0
    n_pairs: int = 0
    worker_bytes: float = 0.0
    reserved_s: float = 0.0
    spent_s: float = 0.0

    def _repr_html_(self) -> str:
        rows = [
            {"part": part.title, "time": duration(part.seconds), "why not": None}
            for part in self.parts
        ]
        rows += [{"part": one.title, "time": None, "why not": one.why} for one in self.left_out]
        return write_rows(rows)

    @property
    def usable_s(self) -> float | None:
        """Seconds available up to the end of the last part; None: no limit."""
        limit = self.time_limit_s
        return None if limit is None else max(limit - self.reserved_s, 0.0)

    @property
    def seconds(self) -> float:
        """Estimated seconds of the remaining work."""
        total = sum(part.seconds for part in self.expected() if part.name not in self.kept)
        return total if self.usable_s is None else min(total, self.usable_s)

    def expected(self) -> list[Part]:
        """Return the parts that should fit the time limit, by their estimates."""
        spent, fitting = 0.0, []
        for part in self.parts:
            # Stored parts are used however long reading took.
            if self.fits(part, spent + (0.0 if part.name in self.kept else self.spent_s)):
                fitting.append(part)
                spent += part.least_seconds
        return fitting

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values: every part with its estimates, and what is left out."""
        fitting = {part.name for part in self.expected()}
        return {
            "people": self.n_people,
            "pairs": self.n_pairs,
            "seconds": self.seconds,
            "megabytes": max((part.needed_bytes for part in self.parts), default=0.0) / 1e6,
            "worker_megabytes": self.worker_bytes / 1e6,
            "time_limit_s": self.time_limit_s,
            "parts": [
                {
                    "name": part.name,
                    "title": part.title,
                    "seconds": part.seconds,
                    "megabytes": part.needed_bytes / 1e6,
                    "kept": part.name in self.kept,
                    "fits": part.name in fitting,
                }
                for part in self.parts
            ],
            "left_out": [asdict(one) for one in self.left_out],
        }

    def fits(self, part: Part, spent_s: float, share: float = 1.0) -> bool:
        """Return whether there is time for a part, or a share of it, after ``spent_s`` seconds."""
        # Stored parts cost nothing, so that repeating an audit gives the same result.
        limit = None if part.name in self.kept else self.usable_s
        return limit is None or part.is_asked or spent_s + share * part.least_seconds <= limit

    def may_take(self, part: Part, spent_s: float) -> float | None:
        """
        Return how long a part may run after ``spent_s`` seconds; None: no limit.

        An estimate may be wrong, but one part must not use up the time of all later ones.
        """
        usable = self.usable_s
        if usable is None or part.is_asked:
            return None
        left = usable - spent_s
        return min(left, max(left / 2, 3 * part.least_seconds))

    def stopped(self, part: Part, seconds: float) -> LeftOut:
        """Return the entry of a part that was stopped because it took too long."""
        why = (
            f"It was stopped after {duration(seconds)}: it would have taken longer than the time "
            f"limit of {duration(self.time_limit_s or 0.0)} allows."
        )
        return LeftOut(name=part.name, title=part.title, why=why, was_stopped=True)

    def too_long(self, part: Part) -> LeftOut:
        """Return the entry of a part that does not fit the time limit."""
        takes, limit = duration(part.seconds), duration(self.time_limit_s or 0.0)
        why = (
            f"There was no time left within the limit of {limit}."
            if part.seconds < 1
            else f"It would take about {takes}, and the time limit of {limit} leaves less."
        )
        return LeftOut(name=part.name, title=part.title, why=why)
