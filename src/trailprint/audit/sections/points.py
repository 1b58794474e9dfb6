"""What a few points reveal, assembled from its parts, with a summary sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from trailprint.audit.attacks.points import PointsFamily, grid_of, unicity_of, worst_of
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome
from trailprint.audit.results.growth import StudyLeftOut
from trailprint.audit.results.points import PointsFinding, UnicityPoint, WorstPoint
from trailprint.audit.wording import share_or_most

_PREFIX = "points/"
_NUMBERS = ("No", "One", "Two", "Three", "Four")


def find_points(
    context: AuditContext, outcomes: Mapping[str, Outcome], reasons: Mapping[str, str]
) -> PointsFinding:
    """Return everything that may be published; if nothing was measured, why."""
    parts = {
        name.removeprefix(_PREFIX): outcome
        for name, outcome in outcomes.items()
        if name.startswith(_PREFIX)
    }
    if "unicity" not in parts:
        why = reasons.get("unicity", "It was not requested (--attacks).")
        return _describe(ran=False, why_not=why)
    drawn = unicity_of(parts["unicity"])
    worst = tuple(
        one for name, part in sorted(parts.items()) if _is_worst(name) for one in worst_of(part)
    )
    found = replace(
        _describe(ran=True, why_not=None),
        people=drawn.people,
        places=drawn.places,
        knowledge=drawn.knowledge,
        time_resolution=drawn.time_resolution,
        cell_m=drawn.cell_m,
        draws=drawn.draws,
        quoted=drawn.quoted,
        unicity=drawn.unicity,
        grid=grid_of(parts["grid"]) if "grid" in parts else (),
        worst_case=worst,
        singling_out=drawn.singling_out,
        left_out=tuple(StudyLeftOut(study=name, why=why) for name, why in reasons.items()),
        notes=_list_notes(context),
    )
    return replace(found, sentence=describe_points(found))


def list_point_risks(outcomes: Mapping[str, Outcome]) -> dict[str, pa.Array]:
    """Return each person's own risk of being singled out, in the order of the audit's people."""
    columns = {}
    if "points/unicity" in outcomes:
        columns["unique_draws"] = pa.array(outcomes["points/unicity"].arrays["unique"])
    if "points/worst-2" in outcomes:
        fewest = outcomes["points/worst-2"].arrays["candidates"]
        columns["fewest_candidates"] = pa.array(fewest.astype(np.int64))
    return columns


def _is_worst(name: str) -> bool:
    return name.startswith("worst-")


def _describe(*, ran: bool, why_not: str | None) -> PointsFinding:
    family = PointsFamily()
    return PointsFinding(
        name=family.name,
        title=family.title,
        question=family.question,
        assumptions=family.assumptions,
        ran=ran,
        why_not=why_not,
    )


def _list_notes(context: AuditContext) -> tuple[str, ...]:
    """Notes on what the figures depend on besides the data."""
    sides, notes = context.sides, []
    if sides.kind is not None:
        notes.append(
            "Measured in the part of the data that stands for the release; in the whole of it "
            "traces are longer, and trailprint points measures that."
        )
    if sides.sampled_of is not None:
        notes.append(
            f"Others were sought among the {sides.n_people:,} people drawn, not among all "
            f"{sides.sampled_of:,}: in the whole release more people agree with a few points, so "
            "that these shares are too high for it."
        )
    return tuple(notes)


def describe_points(found: PointsFinding) -> str:
    """Return the result in a sentence or two."""
    drawn, worst = found.quoted_point, found.worst
    told = [] if drawn is None else [_describe_drawn(drawn, found)]
    if worst is not None:
        told.append(_describe_worst(worst))
    return " ".join(told)


def _describe_drawn(drawn: UnicityPoint, found: PointsFinding) -> str:
    noun = "point" if drawn.points == 1 else "points"
    share = share_or_most(drawn.share, drawn.at_most)
    return (
        f"{_NUMBERS[drawn.points]} known {noun} of a person's own released trace "
        f"({name_point(found)}), drawn at random, single out {share} of the {found.people:,} "
        "people in the release."
    )


def _describe_worst(worst: WorstPoint) -> str:
    noun = "point" if worst.k == 1 else "points"
    share = share_or_most(worst.share, worst.at_most)
    return f"The {_NUMBERS[worst.k].lower()} most revealing {noun} single out {share} of them."


def name_point(found: PointsFinding) -> str:
    """Return a description of one point."""
    where = "a place" if found.cell_m is None else f"a cell of {found.cell_m:,.0f} m"
    return where if found.time_resolution is None else f"{where} within an hour"
