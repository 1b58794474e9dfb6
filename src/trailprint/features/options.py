"""Options of histograms, and edges of duration classes; importing them loads no library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from trailprint.arguments import check_fields
from trailprint.display.numbers import format_exact
from trailprint.errors import OptionError

Weight = Literal["visits", "duration", "day-balanced"]
Slots = Literal["none", "weekday", "weekend", "four-hour"]

#: Edges of duration classes: 1, 5, 15 and 30 minutes, 1, 2, 4 and 8 hours.
DURATION_EDGES_S = (60.0, 300.0, 900.0, 1800.0, 3600.0, 7200.0, 14400.0, 28800.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramOptions:
    """
    What a histogram counts.

    Attributes
    ----------
    weight : {"visits", "duration", "day-balanced"}
        What histograms count. ``visits`` counts events; ``duration`` adds up seconds, one more per
        visit where visits may have no length; ``day-balanced`` gives each of a user's days the
        same weight.
    slots : {"none", "weekday", "weekend", "four-hour"}
        One histogram per user and slot of local time. By default one per user.
    """

    weight: Weight = "visits"
    slots: Slots = "none"

    def __post_init__(self) -> None:
        check_fields(self)


def check_edges(edges_s: Sequence[float]) -> None:
    """Raise an error unless the edges are positive, finite and increasing seconds."""
    grow = all(low < high < math.inf for low, high in pairwise([0.0, *edges_s]))
    if not grow:
        given = " then ".join(map(format_exact, edges_s))
        raise OptionError(
            "--duration-edges must be positive seconds in growing order, such as 300,1800,7200, "
            f"got {given} instead.",
            option="duration-edges",
        )
