"""Points of risk and loss, measured by an audit or after it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from trailprint.app.audits import read_json
from trailprint.app.folders import JOB
from trailprint.app.jobs import Job
from trailprint.audit.attacks.registry import find_family
from trailprint.audit.results.findings import Headline
from trailprint.audit.results.protections import ProtectionPoint
from trailprint.errors import TrailprintError
from trailprint.plain import ShapeError, from_plain
from trailprint.protections.registry import PROTECTIONS, parse_protection, write_protection
from trailprint.report.audit_files import RESULT
from trailprint.report.blocks import Figure, Key, Table
from trailprint.report.charts import draw_scatter
from trailprint.report.charts.axes import Axis
from trailprint.report.page_layout import render_blocks
from trailprint.report.wording import highest, percent, rate_interval
from trailprint.workflows.release_risk import read_measured

T = TypeVar("T")

_PLAIN = "No protection"
_MEASURED, _RELEASES = "measured", "releases"


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPoint:
    """
    A protection that was evaluated with every attack of the audit.

    Attributes
    ----------
    chain : str
        The protection as written for ``--apply``; empty if it cannot be applied here.
    label : str
        Name to show.
    loss, risk : float
        Information loss, and the share of people still linked; an upper bound of the share where
        only that may be published.
    interval : tuple of float, optional
        95 % interval of the risk.
    is_most : bool
        Whether the risk is only an upper bound.
    attack : str
        The attack that links the most people.
    judges : tuple of str
        Every attack that was tried on it.
    is_later : bool
        Whether it was measured after the audit instead of by it.
    is_unprotected : bool
        Whether this is the data as it is.
    """

    chain: str
    label: str
    loss: float
    risk: float
    interval: tuple[float, float] | None = None
    is_most: bool = False
    attack: str = ""
    judges: tuple[str, ...] = ()
    is_later: bool = False
    is_unprotected: bool = False


def measure_job(audit: Path, words: list[str]) -> Job:
    """The job of a measurement for an audit; equal commands share a job."""
    return _kept(audit, _MEASURED, words)


def release_job(audit: Path, words: list[str]) -> Job:
    """The job that writes a release."""
    return _kept(audit, _RELEASES, words)


def _kept(audit: Path, kind: str, words: list[str]) -> Job:
    digest = hashlib.sha256(json.dumps(words).encode()).hexdigest()[:24]
    return Job(audit / JOB / kind / digest)


def list_jobs(audit: Path, kind: str) -> list[Job]:
    """Measurements or releases of an audit, oldest first."""
    places = [path for path in (audit / JOB / kind).glob("*") if path.is_dir()]
    return sorted(map(Job, places), key=lambda job: job.started or 0.0)


def list_points(audit: Path) -> list[RiskPoint]:
    """All points measured for an audit, sorted by loss."""
    result = read_json(audit / RESULT)
    own = part_of(part_of(result, "protections"), "points")
    found = {point.label: point for point in _read(read_measured(audit), is_later=True)}
    found |= {point.label: point for point in _read(own if isinstance(own, list) else ())}
    if not any(point.is_unprotected for point in found.values()):
        found |= _read_plain(result.get("headline"))
    return sorted(found.values(), key=lambda point: (point.loss, point.label))


def _read_plain(headline: object) -> dict[str, RiskPoint]:
    """The point of the unprotected data, from the audit's headline."""
    told = _fit(Headline, headline)
    risk = None if told is None else told.at_most if told.share is None else told.share
    if told is None or risk is None:
        return {}
    point = RiskPoint(
        chain="",
        label=_PLAIN,
        loss=0.0,
        risk=risk,
        interval=told.interval,
        is_most=told.share is None,
        attack=told.attack_title or "",
        is_unprotected=True,
    )
    return {_PLAIN: point}


def part_of(plain: object, name: str) -> Any:
    """A part of a result file, which is not trusted; an empty mapping if it is missing."""
    return (plain.get(name) if isinstance(plain, Mapping) else None) or {}


def _fit(kind: type[T], plain: object) -> T | None:
    """A part of a result file as its type; None if it is of another form."""
    try:
        return from_plain(kind, plain)
    except ShapeError:
        return None


def _read(points: Iterable[object], *, is_later: bool = False) -> Iterable[RiskPoint]:
    """Points of a result; skips invalid ones and those not evaluated with every attack."""
    for plain in points:
        point = _fit(ProtectionPoint, plain)
        risk = None if point is None else highest(point)
        if point is None or risk is None or point.loss is None or not point.judged_by_all:
            continue
        yield RiskPoint(
            chain=normalise(point.written),
            label=point.label,
            loss=point.loss,
            risk=risk,
            interval=point.interval,
            is_most=point.accuracy is None,
            attack=name_attack(point.attack or ""),
            judges=tuple(name_attack(one.attack) for one in point.judged),
            is_later=is_later,
            is_unprotected=point.is_unprotected,
        )


def normalise(chain: str) -> str:
    """The canonical form of a chain of protections; empty if it cannot be applied."""
    steps = [step.strip() for step in chain.split(" then ")]
    if any(_names_file(step) for step in steps):
        return chain
    try:
        return " then ".join(write_protection(parse_protection(step)) for step in steps)
    except TrailprintError:
        return ""


def _names_file(step: str) -> bool:
    """Whether a protection takes a file as a parameter; the file itself is not read."""
    kind = PROTECTIONS.get(step.partition(":")[0].strip())
    own = kind.__dataclass_fields__.values() if kind is not None else ()
    return any("file" in item.metadata for item in own)


def name_attack(name: str) -> str:
    """Title of an attack; the name itself if the attack is no longer known."""
    try:
        return find_family(name).title
    except (KeyError, TrailprintError):
        return name


def draw_points(points: Sequence[RiskPoint]) -> Figure:
    """A chart of the points as in the report, with its table."""
    best = find_best(points)
    return Figure(
        title="Risk that is left against what is lost",
        summary=f"{len(points)} protections that were measured. Numbers refer to the table.",
        drawing=draw_scatter(
            [
                {
                    "x": point.loss,
                    "y": point.risk,
                    "low": None if point.interval is None else point.interval[0],
                    "high": None if point.interval is None else point.interval[1],
                    "label": str(number),
                    "on_line": point in best,
                }
                for number, point in enumerate(points, 1)
            ],
            Axis("Loss", unit="percent"),
            Axis("People still linked", unit="percent"),
        ),
        reading="Down is safer, left is cheaper. Points on the line are best: nothing "
        "else that was measured both costs less and leaves less.",
        table=_tabulate(points),
        legend=[Key("a", "Not beaten by another", "dot"), Key("f", "Beaten by another", "hollow")],
    )


@lru_cache(maxsize=32)
def show_chart(points: tuple[RiskPoint, ...]) -> str:
    """The chart as HTML, cached by its points."""
    return str(render_blocks([draw_points(points)])) if points else ""


def find_best(points: Sequence[RiskPoint]) -> list[RiskPoint]:
    """Pareto-optimal points: no other point has at most the same loss and the same risk."""
    return [
        one
        for one in points
        if not any(
            other.loss <= one.loss and other.risk <= one.risk
            for other in points
            if (other.loss, other.risk) != (one.loss, one.risk)
        )
    ]


def _tabulate(points: Sequence[RiskPoint]) -> Table:
    rows = [
        (
            f"{number}. {point.label}",
            ", ".join(point.judges) or "All attacks of the audit",
            point.attack,
            percent(point.loss),
            describe_risk(point),
            rate_interval(point.interval, point.risk if point.is_most else None),
        )
        for number, point in enumerate(points, 1)
    ]
    return Table(
        columns=(
            *("Protection", "Judged by", "Strongest attack"),
            *("Loss", "Still linked", "95 % interval"),
        ),
        rows=rows,
        text_columns=3,
    )


def describe_risk(point: RiskPoint) -> str:
    """The remaining risk in words."""
    return f"at most {percent(point.risk)}" if point.is_most else percent(point.risk)
