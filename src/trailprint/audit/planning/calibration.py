"""How long parts take on a small piece of the data: what all estimates start from."""

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

#: Of the estimated whole, or of the time limit, measuring a piece may take this share, and no more
#: than these seconds.
_MOST_SHARE, _MOST_S = 0.1, 30.0
#: Of the time left for measuring one part may take this share: a long one must not hide others.
_MOST_OF_LEFT = 0.4
#: What should take less than this is not worth measuring.
_LEAST_S = 20.0
#: What takes less on all of the data may be as far off as it likes, and is not measured.
_SHORT_S = 3.0
#: People of a piece: this share, but no fewer and no more than these.
_SHARE, _FEWEST, _MOST = 0.2, 60, 300
#: What took this many times what it should is done again: the first time, programs have to be
#: loaded, which takes up to two seconds, and on a new machine compiled.
_LOADING_S, _LOADED, _COMPILING = 2.0, 1.2, 3.0


def calibrate(context: AuditContext, parts: Sequence[Part]) -> Pace:
    """
    How fast parts go, from a small piece of the data.

    Nothing is measured where everything is so short, or the data so small, that there is nothing
    to learn.
    """
    n_people, pace = context.sizes.n_people, Pace()
    n_drawn = min(max(int(_SHARE * n_people), _FEWEST), _MOST)
    if sum(map(pace.seconds, parts)) >= _LEAST_S and n_people >= 2 * n_drawn:
        _Calibration(context, parts, pace).measure(n_drawn)
    return pace


class _Calibration:
    """Parts done on a draw of people, and what is learnt from them."""

    def __init__(self, context: AuditContext, parts: Sequence[Part], pace: Pace) -> None:
        self._context, self._parts, self._pace = context, parts, pace
        self._outcomes: dict[str, Outcome] = {}
        self._began = self._part_began = now()

    def measure(self, n_people: int) -> None:
        """Do each part as long as there is time."""
        # With so little time, protections are planned with one value and sequences with few models.
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
            except TrailprintError:  # So few people may not do for it.
                continue
            found = self._outcomes[part.name]
            if not found.is_refused:
                self._pace.learn(part.known(found), seconds, on_piece=True)

    def _foretell(self) -> None:
        """Once all attacks were tried, what follows from them is known as well."""
        attacks = [part.name for part in self._parts if part.name.startswith("attack/")]
        if all(name in self._outcomes for name in attacks):
            self._pace.know(self._outcomes)

    def _is_worth(self, part: Part) -> bool:
        """Whether a part takes long on all of the data, or what takes long cannot do without."""
        whole = next((one for one in self._parts if one.name == part.name), None)
        if whole is None or whole.is_open_ended:
            return False
        is_needed = any(part.name in one.needs for one in self._parts)
        return is_needed or self._pace.seconds(whole) >= _SHORT_S

    def _learn_long(self, part: Part) -> None:
        """A part took longer than it might: how long is not known, but at least this."""
        spent = now() - self._part_began
        if spent > self._pace.seconds(part):
            self._pace.learn(part, spent, on_piece=True)

    def _left_s(self) -> float:
        """What measuring may still take: a share of the whole, as far as that is known by now."""
        whole = sum(self._pace.seconds(self._pace.foresee(part)) for part in self._parts)
        limit = self._context.options.time_limit_s
        most = min(_MOST_SHARE * (whole if limit is None else min(whole, limit)), _MOST_S)
        return most - (now() - self._began)

    def _time(self, part: Part) -> float:
        """Do a part, twice if it is quick or far too slow and there is time; the last seconds."""
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
