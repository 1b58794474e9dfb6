"""What the parts of an audit share: both sides, and their features, built on first use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa

from trailprint.audit.options import AuditOptions
from trailprint.audit.sides import Sides, draw_sides
from trailprint.evaluation.truth import Truth, truth_from_ids
from trailprint.events.events import Events
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.options import HistogramOptions
from trailprint.features.sequences import Sequences, build_sequence_pair
from trailprint.features.trails import Trails, shared_trails

Built = TypeVar("Built")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """
    Sizes of the data, from which the durations of parts are estimated.

    ``n_visited`` is the number of locations of each released user, summed; ``n_pairs`` how often
    a released and an auxiliary user share a location; ``n_transitions`` the work of one training
    step: for each released event, all pairs of locations of its user.
    """

    n_released: int
    n_auxiliary: int
    n_people: int
    n_locations: int
    n_events: int
    n_visited: int
    n_pairs: int
    n_transitions: float = 0.0

    def of_less(self, share: float) -> Sizes:
        """Return the sizes with only this share of each person's data."""
        return replace(
            self,
            n_events=round(self.n_events * share),
            n_visited=round(self.n_visited * share),
            n_pairs=round(self.n_pairs * share),
            n_transitions=self.n_transitions * share,
        )

    def of_fewer(self, released: float, auxiliary: float) -> Sizes:
        """Return the sizes with only these shares of the people of each side."""
        events = (released + auxiliary) / 2
        return Sizes(
            n_released=round(self.n_released * released),
            n_auxiliary=round(self.n_auxiliary * auxiliary),
            n_people=round(self.n_people * min(released, auxiliary)),
            n_locations=self.n_locations,
            n_events=round(self.n_events * events),
            n_visited=round(self.n_visited * released),
            n_pairs=round(self.n_pairs * released * auxiliary),
            n_transitions=self.n_transitions * released,
        )


class AuditContext:
    """
    Two sides, the options, and features built on first use.

    ``is_piece`` marks a sample of the people that is only used to calibrate time estimates.
    """

    def __init__(self, sides: Sides, options: AuditOptions, n_threads: int | None = None) -> None:
        self.sides = sides
        self.options = options
        self.n_threads = n_threads
        self.is_piece = False
        self._remembered: dict[object, object] = {}

    def remember(self, key: object, build: Callable[[], Built]) -> Built:
        """Return a value that several parts share, built on first use."""
        if key not in self._remembered:
            self._remembered[key] = build()
        return cast("Built", self._remembered[key])

    def drawn(self, n_people: int, options: AuditOptions | None = None) -> AuditContext:
        """Return the context with only this number of people, drawn at random."""

        def draw() -> AuditContext:
            sides = draw_sides(self.sides, n_people, self.options.seed)
            drawn = AuditContext(sides, options or self.options, self.n_threads)
            drawn.is_piece = options is not None
            return drawn

        return draw() if options is not None else self.remember(("drawn", n_people), draw)

    @property
    def events(self) -> tuple[Events, Events]:
        """Both sides as events."""
        return self.sides.released, self.sides.auxiliary

    @property
    def counting(self) -> HistogramOptions:
        """Options of histograms: what they count."""
        return HistogramOptions(weight=self.options.weight)

    @cached_property
    def histograms(self) -> tuple[Histograms, Histograms]:
        """Both sides as histograms."""
        return build_histogram_pair(*self.events, self.counting)

    @cached_property
    def trails(self) -> tuple[Trails, Trails]:
        """Both sides as trails over the locations that both have; others cannot match."""
        return shared_trails(*self.histograms)

    @cached_property
    def sequences(self) -> tuple[Sequences, Sequences]:
        """Both sides as sequences of visits."""
        return build_sequence_pair(*self.events)

    @cached_property
    def truth(self) -> Truth:
        """Ground truth: matching rows of histograms and trails."""
        return truth_from_ids(self.histograms[0].users, self.histograms[1].users)

    @cached_property
    def people(self) -> pa.Array:
        """Released ids with a counterpart: every array over people uses this order."""
        return self.histograms[0].users.take(pa.array(self.truth.released))

    @cached_property
    def sizes(self) -> Sizes:
        """Sizes of the data."""
        released, auxiliary = self.histograms
        visitors = [
            np.bincount(side.matrix.indices, minlength=side.matrix.shape[1])
            for side in (released, auxiliary)
        ]
        return Sizes(
            n_released=released.n_users,
            n_auxiliary=auxiliary.n_users,
            n_people=self.truth.n_common,
            n_locations=len(released.locations),
            n_events=sum(side.count() for side in self.events),
            n_visited=int(released.matrix.nnz),
            n_pairs=int(visitors[0].astype(np.float64) @ visitors[1]),
            n_transitions=_count_transitions(self.events[0]),
        )

    def fingerprint(self) -> dict[str, Any]:
        """Return a fingerprint of the data, whatever its row order; it reveals no values."""
        sides = {"released": self.sides.released, "auxiliary": self.sides.auxiliary}
        whole = {} if self.sides.whole is None else {"whole": self.sides.whole}
        return {name: _digest(events) for name, events in {**sides, **whole}.items()}


def _count_transitions(events: Events) -> float:
    (found,) = events.engine.row(
        "SELECT coalesce(sum(n * l * l), 0) FROM (SELECT count(*)::DOUBLE AS n, "
        f'count(DISTINCT location) AS l FROM ({events.query}) GROUP BY "user")'
    )
    return float(found)


def _digest(events: Events) -> list[Any]:
    columns = sorted(events.columns)
    hashed = ", ".join(f'"{column}"' for column in columns)
    n_rows, mixed, total = events.engine.row(
        f"SELECT count(*), coalesce(bit_xor(h), 0), coalesce(sum(h::HUGEINT), 0) "
        f"FROM (SELECT hash({hashed}) AS h FROM ({events.query}))"
    )
    return [columns, events.timezone, int(n_rows), str(mixed), str(total)]
