"""Run an audit: plan it, run or load each part, and assemble the result."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, NamedTuple

import pyarrow as pa

from trailprint.audit.assemble import Done, assemble
from trailprint.audit.context import AuditContext
from trailprint.audit.options import AuditOptions
from trailprint.audit.outcomes import keep_outcomes
from trailprint.audit.part_shapes import fits_shape
from trailprint.audit.parts import Outcome, Part, fetch, keep, key_of
from trailprint.audit.planning.calibration import calibrate
from trailprint.audit.planning.clock import now
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.plan import LeftOut, Plan, short_first
from trailprint.audit.planning.sampling import SAMPLES
from trailprint.audit.prepared import PreparedEvents, prepare_sides
from trailprint.audit.result import AuditResult
from trailprint.audit.sides import make_sides
from trailprint.audit.wording import duration
from trailprint.display.discreet import Discreet
from trailprint.display.numbers import to_json
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.kernels.stopping import OutOfTimeError, check_stop, time_limit
from trailprint.progress import Progress, ignore_progress
from trailprint.store import MemoryStore, Store

#: Increased whenever a part computes something different: stored parts are then run again.
_REVISION = 7

#: Share of its least time that is enough to start an open-ended part at last: the search can then
#: judge a release or two.
_OF_USE = 0.3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked(Discreet):
    """
    What to audit: one dataset or two, the truth if given, and the options.

    ``paths`` names the sources that a settings file may name, by the command's arguments.
    """

    sides: Sequence[Events]
    truth: pa.Table | None
    options: AuditOptions
    paths: Mapping[str, str] = field(default_factory=dict)


def run_audit(
    asked: Asked,
    *,
    store: Store | None = None,
    prepared: PreparedEvents | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    on_plan: Callable[[Plan], None] | None = None,
    began: float | None = None,
    reserved_s: float = 0.0,
) -> AuditResult:
    """
    Run a whole audit; see `trailprint.audit`.

    ``began`` is when the work began, by `trailprint.audit.planning.clock`: earlier work, such as
    reading the data, counts towards the time limit. Of the limit, ``reserved_s`` are left to the
    caller. If ``asked.sides`` is empty, everything was ``prepared`` before.
    """
    began = now() if began is None else began
    report = progress or ignore_progress
    report("Counting events", None)
    sides = prepare_sides(prepared, lambda: make_sides(asked.sides, asked.truth, asked.options))
    context = AuditContext(sides, asked.options, n_threads)
    work = _Work(context, store or MemoryStore(), report, began, reserved_s)
    plan = work.plan
    if on_plan is not None:
        on_plan(plan)
    outcomes, left_out = work.run()
    report("Putting the result together", None)
    done = Done(
        outcomes=outcomes,
        left_out=left_out,
        tallies=sides.tallies,
        seconds=now() - began,
    )
    result = AuditResult(assemble(context, done), context, outcomes, paths=asked.paths)
    keep_outcomes(work.store, result.to_dict(), result.outcomes())
    return result


def plan_audit(
    asked: Asked, *, store: Store | None = None, progress: Progress | None = None
) -> Plan:
    """Return what `run_audit` would do, part by part, with estimated times, without doing it."""
    report = progress or ignore_progress
    report("Counting events", None)
    context = AuditContext(make_sides(asked.sides, asked.truth, asked.options), asked.options)
    return _Work(context, store or MemoryStore(), report, now()).plan


def fingerprint_work(context: AuditContext) -> dict[str, Any]:
    """Return what every part depends on; if any of it changes, parts are run again."""
    return {
        **context.fingerprint(),
        "seed": context.options.seed,
        "weight": context.options.weight,
        "likely_trails": context.options.likely_trails,
        "revision": _REVISION,
        "versions": {name: version(name) for name in ("trailprint", "duckdb", "numpy")},
    }


class _Stretch(NamedTuple):
    """Start and length of a part as shares of the audit, for reported progress."""

    first: float
    length: float


class _Work:
    """The parts of one audit, and where finished ones are stored."""

    def __init__(
        self,
        context: AuditContext,
        store: Store,
        report: Progress,
        began: float,
        reserved_s: float = 0.0,
    ) -> None:
        self.store = store
        self._report = report
        self._began = began
        self._fingerprint = fingerprint_work(context)
        plan = make_plan(context)
        self._sizes = context.sizes
        self._waiting: dict[str, LeftOut] = {}
        self._furthest = 0.0
        planned = [part.name for part in plan.parts]
        kept = frozenset(part.name for part in plan.parts if self._find(part, planned) is not None)
        self._report("Measuring how long parts take", None)
        self._pace = calibrate(context, [p for p in plan.parts if p.name not in kept])
        # Times by formula, from which the pace estimates seconds again after every part.
        parts = {part.name: self._pace.foresee(part) for part in plan.parts}
        timed = [replace(part, seconds=self._pace.seconds(part)) for part in parts.values()]
        self.plan = replace(
            plan,
            parts=short_first(timed, plan.time_limit_s),
            kept=kept,
            reserved_s=reserved_s,
            spent_s=now() - began,
        )
        self._parts = tuple(parts[part.name] for part in self.plan.parts)

    def _find(self, part: Part, done: Collection[str]) -> Outcome | None:
        """Return the stored outcome of a part that followed these others, if it is usable."""
        kept = fetch(self.store, key_of(part, self._fingerprint, done))
        return kept if kept is not None and fits_shape(part.name, kept, self._sizes) else None

    def run(self) -> tuple[dict[str, Outcome], list[LeftOut]]:
        """Run what is not stored, as time allows; the time of stored parts counts as spent."""
        self._check_possible()
        outcomes: dict[str, Outcome] = {}
        for part in self._parts:
            self._attempt(part, outcomes)
        while self._try_again(outcomes):
            pass
        for part in self._parts:
            if part.is_open_ended and part.name in self._untried():
                self._attempt(part, outcomes, _OF_USE)
        for part in self._parts:
            if part.name in self._waiting:
                self._try_on_fewer(part, outcomes)
        self._check_attacked(outcomes)
        return outcomes, [*self.plan.left_out, *self._waiting.values()]

    def _attempt(self, part: Part, outcomes: dict[str, Outcome], share: float = 1.0) -> bool:
        """Load a part, or run it if a share of it fits the time; return whether it succeeded."""
        kept, part = self._find(part, outcomes), part.timed(outcomes)
        timed = replace(part, seconds=self._pace.seconds(part))
        spent = self._spent(part, outcomes)
        found: Outcome | LeftOut
        if not all(name in outcomes for name in part.needs):
            found = self.plan.too_long(timed)
        elif kept is not None:
            found = kept
        elif not self.plan.fits(timed, spent, share):
            found = self.plan.too_long(timed)
        else:
            may_take = self.plan.may_take(timed, spent)
            found = self._do(part, timed.seconds, outcomes, may_take)
        if isinstance(found, LeftOut):
            self._waiting[part.name] = found
            return False
        self._waiting.pop(part.name, None)
        outcomes[part.name] = found
        return True

    def _try_again(self, outcomes: dict[str, Outcome]) -> bool:
        """Try left-out parts again, as others may have been quicker; return whether any ran."""
        again = [part for part in self._parts if part.name in self._untried()]
        done = [self._attempt(part, outcomes) for part in again]
        return any(done)

    def _untried(self) -> set[str]:
        return {name for name, left in self._waiting.items() if not left.was_stopped}

    def _try_on_fewer(self, part: Part, outcomes: dict[str, Outcome]) -> None:
        """Run a part that does not fit the time on as many people as time allows."""
        left_out = self._waiting[part.name]
        for n_people in SAMPLES:
            if part.on_fewer is None or n_people > self.plan.n_people // 2:
                continue
            if self._attempt(part.on_fewer(n_people), outcomes):
                return
        # The reported time is that for all people.
        self._waiting[part.name] = left_out

    def _stretch(self, seconds: float, outcomes: Mapping[str, Outcome]) -> _Stretch:
        """Return the share of the audit that is done, and the share of a part of some seconds."""
        over = sum(one.seconds for name, one in outcomes.items() if name not in self.plan.kept)
        open_parts = [part for part in self._parts if part.name not in outcomes]
        ahead = sum(
            self._pace.seconds(part) for part in open_parts if part.name not in self._waiting
        )
        total = max(over + max(ahead, seconds), 1e-9)
        return _Stretch(over / total, seconds / total)

    def _spent(self, part: Part, outcomes: Mapping[str, Outcome]) -> float:
        """
        Return the seconds that count as spent before a part.

        Whether a stored part is used must not depend on how long loading the others took, so that
        repeating an audit gives the same result.
        """
        in_parts = sum(outcome.seconds for outcome in outcomes.values())
        if part.name in self.plan.kept:
            return in_parts
        kept = (outcome.seconds for name, outcome in outcomes.items() if name in self.plan.kept)
        return max(in_parts, sum(kept) + now() - self._began)

    def _check_possible(self) -> None:
        """Raise before any work is done if the data allows none of the requested attacks."""
        if any(part.name.startswith("attack/") for part in self.plan.parts):
            return
        why = " ".join(one.why for one in self.plan.left_out if one.name.startswith("attack/"))
        raise OptionError(
            f"At least one attack must be possible, but none is. {why} Add histogram to --attacks.",
            option="attacks",
        )

    def _check_attacked(self, outcomes: Mapping[str, Outcome]) -> None:
        """Raise if no attack was run: there is nothing to report."""
        if not any(name.startswith("attack/") for name in outcomes):
            raise OptionError(
                "At least one attack must fit the time limit of "
                f"{duration(self.plan.time_limit_s or 0.0)}, but none did. Raise --time-limit, add "
                "histogram to --attacks, or take fewer people with --users.",
                option="time-limit",
            )

    def _do(
        self,
        part: Part,
        estimated: float,
        before: dict[str, Outcome],
        may_take: float | None,
    ) -> Outcome | LeftOut:
        """Run one part and store its outcome, unless it takes too long."""
        began = now()
        if part.is_open_ended and may_take is not None:
            estimated = min(estimated, may_take)
        stretch = self._stretch(estimated, before)
        furthest = 0.0

        def follow(share: float | None) -> None:
            # A part may count several things in turn; overall progress must not go back.
            nonlocal furthest
            check_stop()
            furthest = max(furthest, share or 0.0)
            over = min(stretch.first + stretch.length * furthest, 1.0)
            self._furthest = max(self._furthest, over)
            self._report(part.title, self._furthest)

        try:
            with time_limit(may_take):
                follow(0.0)
                outcome = part.compute(before, follow)
        except OutOfTimeError:
            seconds = now() - began
            if seconds > estimated:
                self._pace.learn(part, seconds)
            return self.plan.stopped(part, seconds)
        # As if loaded from the store: a resumed audit must not differ, not even in a tuple.
        plain = json.loads(to_json(outcome.data, indent=None))
        seconds = now() - began
        outcome = replace(outcome, data=plain, seconds=seconds, estimated=estimated)
        if not outcome.is_refused:
            self._pace.learn(part.known(outcome), seconds)
        keep(self.store, key_of(part, self._fingerprint, before), outcome)
        return outcome
