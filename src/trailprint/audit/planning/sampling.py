"""
Run parts that do not fit the time limit on fewer people, and mark them as such.

With fewer people to confuse, more of them are linked: on average, such a rate is no lower than it
would be for all people. It is never compared with a rate of all people without saying so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.kept import STUDIES, attack_of, protections_of, study_of
from trailprint.audit.results.protections import MeasuredProtection
from trailprint.plain import to_plain

Compute = Callable[[AuditContext, Mapping[str, Outcome], PartProgress], Outcome]

SAMPLES = (2_000, 1_000, 500, 200, 100, 50)
"""Numbers of people to try, largest first."""

_LINKS = ("released", "auxiliary", "confidence")


def note_sample(n_people: int) -> str:
    """Return the note for a rate measured on fewer people."""
    return (
        f"Tried on {n_people:,} people drawn at random, for lack of time: with fewer people to "
        "confuse, its share is higher than it would be for all."
    )


def compute_on_fewer(
    context: AuditContext,
    name: str,
    compute: Compute,
    n_people: int,
    before: Mapping[str, Outcome],
    progress: PartProgress,
) -> Outcome:
    """Run a part on a sample of people; return its outcome, marked, in rows of all people."""
    piece, (kind, _, own) = context.drawn(n_people), name.partition("/")
    if kind == "control":
        attack = f"attack/{own}"
        before = {**before, attack: _gather(before[attack], context, piece)}
    outcome = compute(piece, before, progress)
    return _MARK[kind](own, outcome, context, piece)


def _mark_attack(
    name: str, outcome: Outcome, context: AuditContext, piece: AuditContext
) -> Outcome:
    kept = attack_of(outcome)
    entry = replace(kept.entry, notes=(*kept.entry.notes, note_sample(piece.sizes.n_people)))
    marked = replace(outcome, data=to_plain(replace(kept, entry=entry)))
    return _move(marked, piece, context)


def _mark_protections(
    name: str, outcome: Outcome, context: AuditContext, piece: AuditContext
) -> Outcome:
    kept, n_people = protections_of(outcome), piece.sizes.n_people
    marked = replace(kept, points=tuple(_mark_point(point, n_people) for point in kept.points))
    return replace(outcome, data=to_plain(marked))


def _mark_point(point: MeasuredProtection, n_people: int) -> MeasuredProtection:
    return replace(point, label=f"{point.label}, among {n_people:,} people", people=n_people)


def _mark_study(name: str, outcome: Outcome, context: AuditContext, piece: AuditContext) -> Outcome:
    kept, n_people = study_of(outcome, STUDIES[name]), piece.sizes.n_people
    if kept.study is None:
        return outcome
    reading = f"{kept.study.reading} {note_sample(n_people)}"
    marked = replace(kept.study, reading=reading, people=n_people)
    return replace(outcome, data=to_plain(replace(kept, study=marked)))


def _mark_nothing(
    name: str, outcome: Outcome, context: AuditContext, piece: AuditContext
) -> Outcome:
    return outcome


_MARK = {
    "attack": _mark_attack,
    "control": _mark_nothing,
    "protect": _mark_protections,
    "growth": _mark_study,
}


MARKED_KINDS = frozenset(_MARK)
"""Kinds of parts that are meaningful on fewer people."""


def _gather(outcome: Outcome, context: AuditContext, piece: AuditContext) -> Outcome:
    """Convert an attack's outcome to the rows of a sample of people."""
    return _move(outcome, context, piece)


def _move(outcome: Outcome, source: AuditContext, target: AuditContext) -> Outcome:
    """Convert arrays over people and rows of one context to those of another."""
    arrays = outcome.arrays
    rows = [
        _look_up(source.histograms[side].users, target.histograms[side].users) for side in (0, 1)
    ]
    links = [rows[0][arrays["released"]], rows[1][arrays["auxiliary"]]]
    is_there = (links[0] >= 0) & (links[1] >= 0)
    people = _look_up(target.people, source.people)
    moved = {
        "released": links[0][is_there],
        "auxiliary": links[1][is_there],
        "confidence": arrays["confidence"][is_there],
        **{name: _take(array, people) for name, array in arrays.items() if name not in _LINKS},
    }
    return replace(outcome, arrays=moved)


def _take(values: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Return values at indices; for a negative index, the value that means unknown."""
    missing = {"b": False, "f": np.nan}.get(values.dtype.kind, -1)
    taken = np.full(len(places), missing, dtype=values.dtype)
    taken[places >= 0] = values[places[places >= 0]]
    return taken


def _look_up(ids: pa.Array, among: pa.Array) -> NDArray[np.int64]:
    """Return the index of each id in ``among``; -1 if it is not there."""
    places = pc.fill_null(pc.index_in(ids, value_set=among), -1)
    found: NDArray[np.int64] = places.to_numpy(zero_copy_only=False).astype(np.int64)
    return found
