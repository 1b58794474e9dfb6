"""The result's figures as tables of plain rows, ready for CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from trailprint.audit.results.attacks import Interval
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import SharedPart, UnicityPoint, WorstPoint
from trailprint.audit.results.protections import TaskFacts
from trailprint.plain import to_plain
from trailprint.studies.growth.findings import (
    KnowledgeGrowth,
    ResolutionGrowth,
    TimeGrowth,
    UsersGrowth,
)

_Studied = UsersGrowth | TimeGrowth | ResolutionGrowth | KnowledgeGrowth
Row = dict[str, Any]


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
        apart = ("judged", "not_judged", "groups", "singling_out", "tasks")
        yield {name: value for name, value in row.items() if name not in apart} | {
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
