"""Calibration of time estimates: parts are timed on a small sample of the people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.clock import now
from trailprint.audit.planning.making import make_plan
from trailprint.audit.planning.pace import Pace
from trailprint.errors import TrailprintError
from trailprint.kernels.stopping import OutOfTimeError, time_limit

#: Most time for calibration: this share of the estimated total or of the time limit, and at most
#: these seconds.
_MOST_SHARE, _MOST_S = 0.1, 30.0
#: Share of the remaining calibration time that one part may take, so that others are timed, too.
_MOST_OF_LEFT = 0.4
#: Audits that should take fewer seconds than this are not calibrated.
_LEAST_S = 20.0
#: Parts that take less on the whole data are not timed: errors of their estimates do no harm.
_SHORT_S = 3.0
#: People in the sample: this share, with this minimum and maximum.
_SHARE, _FEWEST, _MOST = 0.2, 60, 300
#: A part that takes this many times its estimate is run again: the first run includes loading
#: compiled code, which takes up to two seconds, and compiling it on a new machine.
_LOADING_S, _LOADED, _COMPILING = 2.0, 1.2, 3.0


def calibrate(context: AuditContext, parts: Sequence[Part]) -> Pace:
    """
    Measure the pace of parts on a small sample of the people.

    Nothing is measured if the audit is so short, or the data so small, that there is nothing to
    learn.
    """
    n_people, pace = context.sizes.n_people, Pace()
    n_drawn = min(max(int(_SHARE * n_people), _FEWEST), _MOST)
    if sum(map(pace.seconds, parts)) >= _LEAST_S and n_people >= 2 * n_drawn:
        _Calibration(context, parts, pace).measure(n_drawn)
    return pace


class _Calibration:
    """Runs parts on a sample of people and learns the pace from them."""

    def __init__(self, context: AuditContext, parts: Sequence[Part], pace: Pace) -> None:
        self._context, self._parts, self._pace = context, parts, pace
        self._outcomes: dict[str, Outcome] = {}
        self._began = self._part_began = now()

    def measure(self, n_people: int) -> None:
        """Run each part while there is time."""
        # So short a limit plans protections with one value and sequences with few models.
        hasty = replace(self._context.options, time_limit_s=0.01, target_risk=None)
        for planned in make_plan(self._context.drawn(n_people, hasty)).parts:
            self._foretell()
            part = planned.timed(self._outcomes)
            if not self._is_worth(part) or not all(name in self._outcomes for name in part.needs):
                continue
            if self._left_s() <= 0:
                return
            try:
                seconds = self._time(part)
            except OutOfTimeError:
                self._learn_long(part)
                continue
            except TrailprintError:  # The sample may be too small for it.
                continue
            found = self._outcomes[part.name]
            if not found.is_refused:
                self._pace.learn(part.known(found), seconds, on_piece=True)

    def _foretell(self) -> None:
        """Once all attacks were tried, pass on their outcomes, which other estimates depend on."""
        attacks = [part.name for part in self._parts if part.name.startswith("attack/")]
        if all(name in self._outcomes for name in attacks):
            self._pace.know(self._outcomes)

    def _is_worth(self, part: Part) -> bool:
        """Whether a part takes long on the whole data, or another part needs it."""
        whole = next((one for one in self._parts if one.name == part.name), None)
        if whole is None or whole.is_open_ended:
            return False
        is_needed = any(part.name in one.needs for one in self._parts)
        return is_needed or self._pace.seconds(whole) >= _SHORT_S

    def _learn_long(self, part: Part) -> None:
        """Learn from a part that was stopped: it takes at least the time spent."""
        spent = now() - self._part_began
        if spent > self._pace.seconds(part):
            self._pace.learn(part, spent, on_piece=True)

    def _left_s(self) -> float:
        """Return the seconds left for calibration: a share of the total as estimated so far."""
        whole = sum(self._pace.seconds(self._pace.foresee(part)) for part in self._parts)
        limit = self._context.options.time_limit_s
        most = min(_MOST_SHARE * (whole if limit is None else min(whole, limit)), _MOST_S)
        return most - (now() - self._began)

    def _time(self, part: Part) -> float:
        """Run a part, twice if it was far slower than estimated and time allows; return seconds."""
        expected = self._pace.seconds(part)
        while True:
            began, is_again = now(), part.name in self._outcomes
            self._part_began = began
            with time_limit(max(_MOST_OF_LEFT * self._left_s(), 0.0)):
                self._outcomes[part.name] = part.compute(self._outcomes, lambda share: None)
            seconds = now() - began
            is_usual = seconds < (_COMPILING if seconds > _LOADING_S else _LOADED) * expected
            if is_again or is_usual or _MOST_OF_LEFT * self._left_s() < seconds:
                return seconds
