"""
Trade-off of risk and loss: sweep one parameter of a chain of protections.

Protections before the swept one run once and are shared by all points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from trailprint.errors import InputError, OptionError, TrailprintError
from trailprint.events.events import Events
from trailprint.features.options import HistogramOptions
from trailprint.progress import Progress, ignore_progress
from trailprint.protections.protection import Protection
from trailprint.studies.bisection import bisect
from trailprint.studies.judging import Judge
from trailprint.studies.options import SweepOptions
from trailprint.studies.protection_trial import Point, TrialContext


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLeftOut:
    """A value that this data does not allow, such as a k larger than the number of users."""

    parameters: Mapping[str, Any]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """
    Result of a sweep, with the cheapest point that meets the target.

    Attributes
    ----------
    points : tuple of Point
        The requested values, in order.
    left_out : tuple of TrialLeftOut
        Requested values that this data does not allow.
    searched : tuple of Point
        Further values tried while searching for the target.
    target : Point, optional
        The point with the least loss among those whose upper bound is at or below the target
        risk, however ties between equal records are drawn; None if there is no such point or no
        target.
    n_people : int
        People on both sides before any protection: the denominator of the rates.
    """

    points: tuple[Point, ...]
    searched: tuple[Point, ...]
    target: Point | None
    n_people: int
    left_out: tuple[TrialLeftOut, ...] = ()


def find_swept(protections: Sequence[Protection], parameter: str) -> int:
    """Return the position of the one protection in a chain that has this parameter."""
    places = [
        place
        for place, step in enumerate(protections)
        if parameter in {item.name for item in fields(step)}
    ]
    if len(places) != 1:
        names = ", ".join(item.name for step in protections for item in fields(step)) or "nothing"
        raise OptionError(
            f"A sweep needs a parameter that exactly one protection has ({names}), "
            f"got {parameter!r}."
        )
    return places[0]


def make_swept(protections: Sequence[Protection], options: SweepOptions) -> dict[Any, Protection]:
    """Return the swept protection with each value; invalid values are refused before any work."""
    step = protections[find_swept(protections, options.parameter)]
    return {value: replace(step, **{options.parameter: value}) for value in options.values}


def sweep(
    released: Events,
    auxiliary: Events,
    protections: Sequence[Protection],
    options: SweepOptions,
    *,
    counting: HistogramOptions | None = None,
    judges: Sequence[Judge] = (),
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """
    Protect, attack and measure at every value of one parameter.

    Equal ids on both sides are the same person. Rates are shares of the people on both sides
    before any protection, so dropping people lowers them. Values that this data does not allow are
    left out; an error is raised if none is allowed. Further attack families can be given as
    ``judges``.
    """
    place = find_swept(protections, options.parameter)
    swept = make_swept(protections, options)
    context = TrialContext(released, auxiliary, protections, options, counting, n_threads, judges)
    swept_chain = _Sweep(context, protections, place, options)
    report = progress or ignore_progress
    points: dict[Any, Point] = {}
    refused: list[tuple[Any, TrailprintError]] = []
    for number, value in enumerate(options.values):
        report(f"Sweeping {options.parameter}", number / len(options.values))
        try:
            points[value] = swept_chain.point(value)
        except (InputError, OptionError) as error:
            refused.append((value, error))
    if not points:
        raise refused[0][1]
    searched: list[Point] = []
    if options.target_risk is not None:
        report("Looking for the target", None)
        searched = swept_chain.search(points)
    return Frontier(
        points=tuple(points.values()),
        searched=tuple(searched),
        target=_cheapest([*points.values(), *searched], options.target_risk),
        n_people=context.n_people,
        left_out=tuple(
            TrialLeftOut(parameters=swept[value].parameters(), why=error.for_command_line())
            for value, error in refused
        ),
    )


def _cheapest(points: Sequence[Point], target_risk: float | None) -> Point | None:
    enough = [point for point in points if _suffices(point, target_risk)]
    return min(enough, key=lambda point: point.loss.information_loss, default=None)


def _suffices(point: Point, target_risk: float | None) -> bool:
    """Whether the upper end of the interval is within the target, however ties are drawn."""
    return target_risk is not None and point.at_risk <= target_risk


class _Sweep:
    """A chain of protections of which one parameter is swept."""

    def __init__(
        self,
        context: TrialContext,
        chain: Sequence[Protection],
        place: int,
        options: SweepOptions,
    ) -> None:
        self.context, self.chain, self.place = context, tuple(chain), place
        self.parameter, self.target_risk = options.parameter, options.target_risk

    def point(self, value: Any) -> Point:
        """Protect with one value, attack and measure."""
        swept = replace(self.chain[self.place], **{self.parameter: value})
        chain = (*self.chain[: self.place], swept, *self.chain[self.place + 1 :])
        return self.context.measure(chain, swept.parameters())

    def search(self, known: Mapping[Any, Point]) -> list[Point]:
        """Bisect between insufficient and sufficient values to close in on the target."""
        sense = self.chain[self.place].monotone.get(self.parameter)
        if sense is None:
            return []
        weak = [v for v in known if not _suffices(known[v], self.target_risk)]
        strong = [v for v in known if _suffices(known[v], self.target_risk)]
        if not weak or not strong:
            return []
        # The strongest insufficient value, and the weakest sufficient value above it.
        low = max(weak, key=lambda value: sense * value)
        beyond = [value for value in strong if sense * value > sense * low]
        if not beyond:
            return []
        high = min(beyond, key=lambda value: sense * value)
        found = bisect(self.point, lambda point: _suffices(point, self.target_risk), low, high)
        return [point for _, point in found]
