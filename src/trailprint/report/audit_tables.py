"""The result's figures as tables of plain rows, ready for CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from trailprint.audit.results.attacks import (
    Agreement,
    CoverageFinding,
    Interval,
    LinkedByFinding,
    RankPoint,
    ViewFinding,
)
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import GridCell, SharedPart, UnicityPoint, WorstPoint
from trailprint.audit.results.protections import JudgedBy, ProtectionPoint, TaskFacts
from trailprint.evaluation.per_user import RiskBin
from trailprint.plain import is_omittable, to_plain
from trailprint.studies.findings import ControlFinding, LocationFinding, MapPlace
from trailprint.studies.growth.findings import (
    AmountPoint,
    ExtrapolatedPoint,
    KnowledgeGrowth,
    KnowledgePoint,
    ResolutionGrowth,
    ResolutionPoint,
    TimeGrowth,
    TimePoint,
    UsersGrowth,
    UsersPoint,
)

_Studied = UsersGrowth | TimeGrowth | ResolutionGrowth | KnowledgeGrowth
Row = dict[str, Any]
#: Parts of a protection that have tables or columns of their own.
_APART = ("judged", "not_judged", "groups", "singling_out", "tasks")


def _interval(ends: Interval | None) -> Row:
    low, high = ends or (None, None)
    return {"low": low, "high": high}


def _with_ends(found: Any, ends: Interval | None) -> Row:
    """A row with the interval as two columns at the end."""
    plain: Row = to_plain(found)
    return {key: value for key, value in plain.items() if key != "interval"} | _interval(ends)


def _plain(found: Iterable[Any]) -> Iterator[Row]:
    yield from (to_plain(row) for row in found)


def _attacks(found: Findings) -> Iterator[Row]:
    for attack in found.attacks:
        other = attack.baseline
        yield {
            "name": attack.name,
            "ran": attack.ran,
            "people": attack.people,
            "matched": attack.matched,
            "correct": attack.correct,
            "accuracy": attack.accuracy,
            "chance": attack.chance,
            "precision": attack.precision,
            **_interval(attack.interval),
            "baseline": None if other is None else other.title,
            "baseline_accuracy": None if other is None else other.accuracy,
            "why_not": attack.why_not,
        }


def _coverage(found: Findings) -> Iterator[Row]:
    for attack in found.attacks:
        for point in attack.coverage:
            yield {"attack": attack.name, **to_plain(point)}


def _ranks(found: Findings) -> Iterator[Row]:
    for attack in found.attacks:
        for point in () if attack.ranks is None else attack.ranks.curve:
            yield {"attack": attack.name, **to_plain(point)}


def _views(found: Findings) -> Iterator[Row]:
    for attack in found.attacks:
        for view in () if attack.views is None else attack.views.views:
            yield {"attack": attack.name, "at_most": None, **to_plain(view)}


def _worst_case(found: Findings) -> Iterator[Row]:
    return _plain(() if found.worst_case is None else found.worst_case.by_attacks)


def _agreement(found: Findings) -> Iterator[Row]:
    return _plain(found.agreement)


def _controls(found: Findings) -> Iterator[Row]:
    return (_with_ends(control, control.interval) for control in found.controls)


def _study(study: _Studied | None) -> Iterator[Row]:
    """The points of a study, with the number of people if it was run on only some of them."""
    for row in _plain(() if study is None else study.points):
        yield row if study is None or study.people is None else {**row, "drawn": study.people}


def _users(found: Findings) -> Iterator[Row]:
    return _study(found.growth.users)


def _extrapolation(found: Findings) -> Iterator[Row]:
    fit = None if found.growth.users is None else found.growth.users.fit
    return _plain(() if fit is None else fit.extrapolation)


def _time(found: Findings) -> Iterator[Row]:
    return _study(found.growth.time)


def _resolution(found: Findings) -> Iterator[Row]:
    return _study(found.growth.resolution)


def _knowledge(found: Findings) -> Iterator[Row]:
    return _study(found.growth.knowledge)


def _amount_known(found: Findings) -> Iterator[Row]:
    grown = found.growth.amount_known
    return ({"at_most": None, **row} for row in _plain(() if grown is None else grown.points))


def _unicity(found: Findings) -> Iterator[Row]:
    return map(_with_few, () if found.points is None else found.points.unicity)


def _points_worst_case(found: Findings) -> Iterator[Row]:
    return map(_with_few, () if found.points is None else found.points.worst_case)


def _points_grid(found: Findings) -> Iterator[Row]:
    return _plain(() if found.points is None else found.points.grid)


def _singling_out(found: Findings) -> Iterator[Row]:
    return map(_with_few, () if found.points is None else found.points.singling_out)


def _with_few(found: UnicityPoint | WorstPoint | SharedPart) -> Row:
    """A row with the interval and the shares with few candidates as columns."""
    row = {"at_most": None, **_with_ends(found, found.interval)}
    shares = row.pop("fewer_than")
    return row | {f"fewer_than_{few}": shares.get(few) for few in ("2", "5", "10", "20")}


def _protections(found: Findings) -> Iterator[Row]:
    for point in () if found.protections is None else found.protections.points:
        written = ",".join(f"{key}={value}" for key, value in point.parameters.items())
        groups = point.groups
        row = _with_ends(point, point.interval) | {"parameters": written}
        yield {name: value for name, value in row.items() if name not in _APART} | {
            "smallest_group": None if groups is None else groups.smallest,
            "share_under_k": None if groups is None else groups.share_under_k,
            **_spread_tasks(point.tasks),
        }


def _spread_tasks(tasks: TaskFacts | None) -> Row:
    """Utility of a release as columns; None if it was not measured."""
    return {item.name: getattr(tasks, item.name, None) for item in fields(TaskFacts)}


def _judged(found: Findings) -> Iterator[Row]:
    """Result of each attack against each release, or the reason why it cannot be tried."""
    for point in () if found.protections is None else found.protections.points:
        own: Row = {"protection": point.written or point.name}
        for one in point.judged:
            yield own | {"at_most": None, **_with_ends(one, one.interval), "why_not": None}
        for refused in point.not_judged:
            yield own | {"attack": refused.attack, "why_not": refused.why}


def _protections_singling_out(found: Findings) -> Iterator[Row]:
    for point in () if found.protections is None else found.protections.points:
        for part in point.singling_out or ():
            yield {"protection": point.label, **_with_few(part)}


def _locations(found: Findings) -> Iterator[Row]:
    return _plain(() if found.why is None else found.why.locations)


def _places_on_map(found: Findings) -> Iterator[Row]:
    shown = None if found.why is None else found.why.map
    for place in () if shown is None else shown.places:
        yield {"contribution": None, **to_plain(place)}


def _risk(found: Findings) -> Iterator[Row]:
    return _plain(() if found.per_user is None else found.per_user.bins)


TABLES: Mapping[str, Callable[[Findings], Iterator[Row]]] = {
    "attacks": _attacks,
    "coverage": _coverage,
    "ranks": _ranks,
    "views": _views,
    "worst_case": _worst_case,
    "agreement": _agreement,
    "controls": _controls,
    "growth_users": _users,
    "growth_users_extrapolation": _extrapolation,
    "growth_time": _time,
    "growth_resolution": _resolution,
    "growth_knowledge": _knowledge,
    "growth_amount_known": _amount_known,
    "points_unicity": _unicity,
    "points_worst_case": _points_worst_case,
    "points_grid": _points_grid,
    "points_singling_out": _singling_out,
    "protections": _protections,
    "protections_by_attack": _judged,
    "protections_singling_out": _protections_singling_out,
    "locations": _locations,
    "locations_on_map": _places_on_map,
    "risk": _risk,
}
"""Functions that make the rows of each table, by file name."""


def _fields_of(kind: type[Any]) -> tuple[str, ...]:
    """Columns of rows of a type, without those that only some rows have."""
    named = (item.name for item in fields(kind) if not is_omittable(item))
    return tuple(name for name in named if name not in ("interval", "fewer_than"))


_ENDS = ("low", "high")
_FEW = tuple(f"fewer_than_{few}" for few in ("2", "5", "10", "20"))
_SHARED = ("at_most", *_fields_of(SharedPart), *_ENDS, *_FEW)

COLUMNS: Mapping[str, Sequence[str]] = {
    "coverage": ("attack", *_fields_of(CoverageFinding)),
    "ranks": ("attack", *_fields_of(RankPoint)),
    "views": ("attack", "at_most", *_fields_of(ViewFinding)),
    "worst_case": _fields_of(LinkedByFinding),
    "agreement": _fields_of(Agreement),
    "controls": (*_fields_of(ControlFinding), *_ENDS),
    "growth_users": _fields_of(UsersPoint),
    "growth_users_extrapolation": _fields_of(ExtrapolatedPoint),
    "growth_time": _fields_of(TimePoint),
    "growth_resolution": _fields_of(ResolutionPoint),
    "growth_knowledge": _fields_of(KnowledgePoint),
    "growth_amount_known": ("at_most", *_fields_of(AmountPoint)),
    "points_unicity": ("at_most", *_fields_of(UnicityPoint), *_ENDS, *_FEW),
    "points_worst_case": ("at_most", *_fields_of(WorstPoint), *_ENDS, *_FEW),
    "points_grid": _fields_of(GridCell),
    "points_singling_out": _SHARED,
    "protections": (
        *(name for name in _fields_of(ProtectionPoint) if name not in _APART),
        *(*_ENDS, "smallest_group", "share_under_k", *_fields_of(TaskFacts)),
    ),
    "protections_by_attack": (
        *("protection", "at_most"),
        *(*_fields_of(JudgedBy), *_ENDS, "why_not"),
    ),
    "protections_singling_out": ("protection", *_SHARED),
    "locations": _fields_of(LocationFinding),
    "locations_on_map": ("contribution", *_fields_of(MapPlace)),
    "risk": _fields_of(RiskBin),
}
"""Columns of tables without rows; with rows, a table may have more."""
