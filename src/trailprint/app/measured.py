"""Points of risk and loss: those an audit measured, and those asked for one by one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trailprint.app.audits import read_json
from trailprint.app.folders import JOB
from trailprint.app.jobs import Job
from trailprint.report.audit_files import RESULT
from trailprint.report.blocks import Figure, Key, Table
from trailprint.report.charts import draw_scatter
from trailprint.report.charts.axes import Axis
from trailprint.report.wording import percent, rate_interval

_MEASURED, _RELEASES = "measured", "releases"


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskPoint:
    """
    A protection that was measured.

    Attributes
    ----------
    chain : str
        How it is written down, as for ``--apply``; empty for none.
    label : str
        What people call it.
    loss, risk : float
        What is lost, and the share of people still linked: the most it can be, where only that
        may be told.
    interval : tuple of float, optional
        Of the risk, 95 %.
    is_most : bool
        Whether the risk is only the most it can be.
    by_audit : bool
        Measured by the audit, with all its attacks; else by histogram matching alone.
    """

    chain: str
    label: str
    loss: float
    risk: float
    interval: tuple[float, float] | None = None
    is_most: bool = False
    by_audit: bool = False


def measure_job(audit: Path, words: list[str]) -> Job:
    """Where a measurement of an audit is kept: the same words, the same place."""
    return _kept(audit, _MEASURED, words)


def release_job(audit: Path, words: list[str]) -> Job:
    """Where the writing of a release is kept."""
    return _kept(audit, _RELEASES, words)


def _kept(audit: Path, kind: str, words: list[str]) -> Job:
    digest = hashlib.sha256(json.dumps(words).encode()).hexdigest()[:24]
    return Job(audit / JOB / kind / digest)


def list_jobs(audit: Path, kind: str) -> list[Job]:
    """Measurements or releases of an audit, oldest first."""
    places = [path for path in (audit / JOB / kind).glob("*") if path.is_dir()]
    return sorted(map(Job, places), key=lambda job: job.started or 0.0)


def list_points(audit: Path) -> list[RiskPoint]:
    """Everything that was measured for an audit, from the least loss to the most."""
    found = {point.chain: point for point in _asked(audit)}
    found |= {point.chain: point for point in _by_audit(read_json(audit / RESULT))}
    return sorted(found.values(), key=lambda point: point.loss)


def _by_audit(result: Mapping[str, Any]) -> Iterable[RiskPoint]:
    points = (result.get("protections") or {}).get("points") or []
    for point in points:
        risk = point.get("at_most") if point.get("accuracy") is None else point["accuracy"]
        if point.get("loss") is None or risk is None or not point.get("judged_by_all", True):
            continue
        yield RiskPoint(
            chain=_write(point["name"], point["parameters"]) or point.get("written", ""),
            label=str(point["label"]),
            loss=float(point["loss"]),
            risk=float(risk),
            interval=_pair(point.get("interval")),
            is_most=point.get("accuracy") is None,
            by_audit=True,
        )


def _asked(audit: Path) -> Iterable[RiskPoint]:
    for job in list_jobs(audit, _MEASURED):
        found = job.result() or {}
        name = " then ".join(step["name"] for step in found.get("applied", []))
        for point in found.get("sweep", []):
            swept = found["parameter"]
            yield RiskPoint(
                chain=_write(name, point["parameters"]),
                label=f"{name}, {swept} = {point['parameters'][swept]}",
                loss=float(point["information_loss"]),
                risk=float(point["user_accuracy"]),
                interval=_pair(point.get("accuracy_interval")),
            )


def _write(name: str, parameters: Mapping[str, Any]) -> str:
    """A protection as ``--apply`` takes it; empty where it cannot be written in one word."""
    plain = {
        key: value for key, value in parameters.items() if isinstance(value, int | float | str)
    }
    if name == "none" or len(plain) < len(parameters) or " then " in name:
        return ""
    given = ",".join(f"{key}={value}" for key, value in plain.items())
    return f"{name}:{given}" if given else name


def _pair(found: object) -> tuple[float, float] | None:
    is_pair = isinstance(found, list) and len(found) == 2
    return (float(found[0]), float(found[1])) if is_pair else None  # type: ignore[index]


def draw_points(points: list[RiskPoint]) -> Figure:
    """The points as a chart of the report, with its table."""
    best = _best(points)
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
        reading="Down is safer, left is cheaper. Points on the line are the best bargains: nothing "
        "else that was measured both costs less and leaves less.",
        table=_tabulate(points),
        legend=[Key("a", "Best bargain", "dot"), Key("f", "Beaten by another", "hollow")],
    )


def _best(points: list[RiskPoint]) -> list[RiskPoint]:
    return [
        one
        for one in points
        if not any(
            other.loss <= one.loss and other.risk <= one.risk and other != one
            for other in points
            if (other.loss, other.risk) != (one.loss, one.risk)
        )
    ]


def _tabulate(points: list[RiskPoint]) -> Table:
    rows = [
        (
            f"{number}. {point.label}",
            "All attacks of the audit" if point.by_audit else "Histogram matching",
            percent(point.loss),
            tell_risk(point),
            rate_interval(point.interval, point.risk if point.is_most else None),
        )
        for number, point in enumerate(points, 1)
    ]
    return Table(
        columns=("Protection", "Measured by", "Loss", "Still linked", "95 % interval"),
        rows=rows,
        text_columns=2,
    )


def tell_risk(point: RiskPoint) -> str:
    """The risk that is left, in words."""
    return f"at most {percent(point.risk)}" if point.is_most else percent(point.risk)
