"""The search of an audit: the least loss that reaches the target, and the Pareto frontier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from trailprint.audit.attacks.judges import list_judging
from trailprint.audit.context import AuditContext
from trailprint.audit.frontier import EFFECTIVE, is_whole
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.seconds import Seconds
from trailprint.audit.results.kept import KeptProtections, protections_of
from trailprint.audit.results.protections import (
    NONE,
    MeasuredProtection,
    ProtectionLeftOut,
    SearchFacts,
)
from trailprint.audit.sections.protection_trials import Trials, label_chain, start_trials
from trailprint.audit.sections.protections import Family, list_families, sweep_kind
from trailprint.errors import InputError, OptionError
from trailprint.kernels.stopping import OutOfTimeError
from trailprint.plain import to_plain
from trailprint.protections.chain import changes_histograms
from trailprint.protections.protection import Protection
from trailprint.studies.bisection import CLOSE_COUNTS
from trailprint.studies.protection_search import Choice, Pair, Search, Trial

SEARCH = "search"
"""Name of the part that searches."""

#: `EFFECTIVE` is only a convention, so bisection of counts may end at this ratio of two values.
_NEAR_EFFECTIVE = 1.05

#: Quick trials in a search per protection and per pair, measured on check-ins, a campus, edits.
_QUICK_ALONE, _QUICK_OF_PAIR = 3, 6
#: Releases that all attacks judge: this number, or this one with a target, plus a share of those
#: tried.
_FULL, _FULL_FOR_TARGET, _FULL_OF_TRIED = 4, 12, 0.4


class ProtectionSearch:
    """
    Search that continues from the trials already measured.

    ``progress`` is called with the approximate share of the search that is done.
    """

    def __init__(self, context: AuditContext, trials: Trials, progress: PartProgress) -> None:
        self._context, self._trials, self._progress = context, trials, progress
        self.points: dict[tuple[Protection, ...], MeasuredProtection] = {}
        self.titles: dict[tuple[Protection, ...], str] = {}
        self.left_out: list[ProtectionLeftOut] = []
        self._beyond: set[tuple[Protection, ...]] = set()
        has_target = context.options.target_risk is not None
        close = CLOSE_COUNTS if has_target else _NEAR_EFFECTIVE
        self.search = Search(measure=self._measure, goal=0.0, close_counts=close)

    def learn(self, families: Sequence[Family], before: Mapping[str, Outcome]) -> None:
        """Take over the quick measurements of earlier parts."""
        for family in families:
            outcome = before.get(f"protect/{family.title}")
            for point in () if outcome is None else protections_of(outcome).points:
                value = point.parameters.get(family.parameter or "")
                chain = family.with_value(value)
                self.points[chain] = point
                if family.is_asked:
                    self.titles[chain] = family.title
        self.search.goal = self._set_goal()
        self.search.learn(self._judge(chain, point) for chain, point in self.points.items())

    def run(self, families: Sequence[Family], asked: Sequence[Family]) -> bool:
        """Search while there is time; return whether time ran out."""
        try:
            self.search.complete([()])
            self.search.goal = self._set_goal()
            self._beyond = {family.with_value(v) for family in families for v in family.stronger}
            has_target = self._context.options.target_risk is not None
            choices = [_choose(family, has_target=has_target) for family in families]
            pairs = list_pairs(families) if has_target else []
            self.search.search(choices, pairs)
            self.search.complete(family.chain for family in asked)
            self.search.complete_frontier()
        except OutOfTimeError:
            return True
        return False

    def _set_goal(self) -> float:
        """Return the target, or without one, half of the unprotected risk."""
        target, plain = self._context.options.target_risk, self.points.get(())
        if target is not None:
            return target
        return 0.0 if plain is None else EFFECTIVE * plain.accuracy

    def _measure(self, chain: tuple[Any, ...], is_full: bool) -> Trial | None:
        steps = cast("tuple[Protection, ...]", chain)
        self._progress(min(self.search.n_measured / self.search.most_trials, 1.0))
        try:
            point = self._trials.measure(steps, self.titles.get(steps), is_full=is_full)
        except (InputError, OptionError) as error:
            # Whether the data allows a stronger value is known only by trying: no need to list it.
            if steps not in self._beyond:
                label = label_chain(steps, self.titles.get(steps))
                self.left_out.append(ProtectionLeftOut(label=label, why=error.for_command_line()))
            return None
        known = self.points.get(steps)
        self.points[steps] = replace(point, asked=known is not None and known.asked)
        return self._judge(steps, point)

    def _judge(self, chain: tuple[Protection, ...], point: MeasuredProtection) -> Trial:
        """Convert a point for the search: with a target, the upper bound is the risk."""
        has_target = self._context.options.target_risk is not None
        return Trial(
            chain=chain,
            loss=point.loss,
            rate=point.accuracy,
            risk=point.at_risk if has_target else point.accuracy,
            is_full=is_whole(point),
        )


def search_protections(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Judge the relevant protections by every family that ran, and search for the least loss."""
    tried = list_families(context)
    run = ProtectionSearch(context, start_trials(context, before), progress)
    run.learn(tried, before)
    asked = [family for family in tried if family.is_asked]
    is_stopped = run.run(list_searched(context, tried), asked)
    kept = KeptProtections(
        points=tuple(run.points.values()),
        left_out=tuple(run.left_out),
        search=_describe(run, is_stopped=is_stopped),
    )
    return Outcome(data=to_plain(kept))


def list_searched(context: AuditContext, tried: Sequence[Family]) -> list[Family]:
    """Return the families whose values are searched: suitable ones, or the kinds requested."""
    suitable = [family for family in tried if family.parameter is not None]
    if suitable or context.options.target_risk is None:
        return suitable
    kinds = {type(step): None for family in tried for step in family.chain}
    able = [sweep_kind(kind, context) for kind in kinds if kind.audited is not None]
    return [family for family in able if family.values]


def list_pairs(families: Sequence[Family]) -> list[Pair]:
    """
    Return pairs of protections in order: maps of places, lists of places, averages; times first.

    Averages of groups hold no times, so that coarsening times before them has no effect.
    """
    times = [family for family in families if all(step.changes_only_times for step in family.chain)]
    last = [family for family in families if changes_histograms(family.chain)]
    places = [family for family in reversed(families) if family not in (*times, *last)]
    pairs = [(one, other) for n, one in enumerate(places) for other in (*last, *places[n + 1 :])]
    pairs += [(one, other) for one in times for other in places]
    return [(_choose(one), _choose(other)) for one, other in pairs]


def _choose(family: Family, *, has_target: bool = True) -> Choice:
    (step,) = family.chain
    sense = step.monotone.get(family.parameter or "", 1)
    return Choice(
        name=family.title,
        make=partial(_make, step, family.parameter or ""),
        values=tuple(sorted(family.values, key=lambda value: sense * value)),
        stronger=family.stronger if has_target else (),
        neutral=family.neutral,
    )


def _make(step: Protection, parameter: str, value: Any) -> Protection:
    return replace(step, **{parameter: value})


def _describe(run: ProtectionSearch, *, is_stopped: bool) -> SearchFacts:
    points = run.points.values()
    chains = [point.name for chain, point in run.points.items() if len(chain) > 1]
    return SearchFacts(
        tried=len(run.points),
        judged_by_all=sum(point.judged_by_all for point in points),
        combinations=tuple(dict.fromkeys(chains)),
        not_tried=tuple(run.search.pending),
        stopped=is_stopped,
    )


def estimate_search(
    context: AuditContext,
    once: Callable[[Family], Seconds],
    before: Mapping[str, Outcome] | None = None,
) -> Seconds:
    """
    Estimate how long the search takes if it is not stopped.

    ``once`` estimates one quick trial of a family; ``before`` says which attacks ran and how, once
    they have. The actual number of trials depends on what they find.
    """
    tried = list_families(context)
    searched = list_searched(context, tried)
    total = once(Family(title=NONE))
    total += sum((_QUICK_ALONE * once(family) for family in searched), Seconds({}))
    n_tried = sum(family.n_points for family in tried)
    n_full = _FULL + _FULL_OF_TRIED * n_tried if searched else n_tried
    if context.options.target_risk is not None:
        n_full += _FULL_FOR_TARGET - _FULL
        seconds = {family.title: once(family) for family in searched}
        for _, second in list_pairs(searched):
            total += _QUICK_OF_PAIR * seconds[second.name]
    return total + n_full * _estimate_judges(context, before)


def estimate_least(context: AuditContext, once: Callable[[Family], Seconds]) -> float:
    """Estimate how long the search takes at least to be useful."""
    quick = once(Family(title=NONE))
    full = quick + _estimate_judges(context, None)
    has_target = context.options.target_risk is not None
    return (6 * full + 30 * quick) if has_target else (4 * full + 6 * quick)


def _estimate_judges(context: AuditContext, before: Mapping[str, Outcome] | None) -> Seconds:
    """Time to judge one release by the families that ran, or by all until that is known."""
    total = Seconds({})
    for family in list_judging(context):
        outcome = (before or {}).get(f"attack/{family.name}")
        if before is None or outcome is not None:
            total += family.estimate_judging(context, outcome)
    return total
