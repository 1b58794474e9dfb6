"""How long parts take on a small piece of the data, beside what formulas say of that piece."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.pace import compare
from trailprint.audit.planning.plan import make_plan
from trailprint.errors import TrailprintError
from trailprint.kernels.stopping import OutOfTimeError, time_limit

#: Of the estimated whole, measuring a piece may take this share, and no more than these seconds.
_MOST_SHARE, _MOST_S = 0.1, 30.0
#: What should take less than this is not worth measuring.
_LEAST_S = 20.0
#: People of a piece: this share, but no fewer and no more than these.
_SHARE, _FEWEST, _MOST = 0.2, 60, 300
#: What took less is done again: the first time, programs have to be loaded.
_LOADING_S = 2.0


def calibrate(context: AuditContext, parts: Sequence[Part]) -> dict[str, float]:
    """
    By name of a part, how many times its estimate it took on a small piece of the data.

    Empty where everything is so short, or the data so small, that there is nothing to learn.
    """
    n_people, expected = context.sizes.n_people, sum(part.seconds for part in parts)
    n_drawn = min(max(int(_SHARE * n_people), _FEWEST), _MOST)
    if expected < _LEAST_S or n_people < 2 * n_drawn:
        return {}
    end = time.perf_counter() + min(_MOST_SHARE * expected, _MOST_S)
    wanted = [part.name for part in parts if not _says_little(part)]
    return _measure(context, n_drawn, wanted, end)


def _says_little(part: Part) -> bool:
    """Controls take as long as their attacks; what has no end takes as long as it may."""
    return part.is_open_ended or part.name.startswith("control/")


def _measure(
    context: AuditContext, n_people: int, wanted: Sequence[str], end: float
) -> dict[str, float]:
    """Do the parts on a draw of people until the time is up."""
    # With so little time, protections are planned with one value and sequences with few models.
    hasty = replace(context.options, time_limit_s=0.01, target_risk=None)
    piece = context.drawn(n_people, hasty)
    found: dict[str, float] = {}
    outcomes: dict[str, Outcome] = {}
    # What is quick comes first: there are many such parts, and each stands for itself.
    for planned in sorted(make_plan(piece).parts, key=lambda part: part.seconds):
        part = planned.timed(outcomes)
        if part.name not in wanted:
            continue
        try:
            seconds = _time(part, outcomes, end)
        except OutOfTimeError:
            break
        except TrailprintError:  # So few people may not do for it.
            continue
        found[part.name] = compare(seconds, part.seconds)
    return found


def _time(part: Part, outcomes: dict[str, Outcome], end: float) -> float:
    """Do a part, twice if it is quick; the seconds of the last time."""
    while True:
        began, is_again = time.perf_counter(), part.name in outcomes
        with time_limit(max(end - began, 0.0)):
            outcomes[part.name] = part.compute(outcomes, lambda share: None)
        seconds = time.perf_counter() - began
        if is_again or seconds > _LOADING_S:
            return seconds
