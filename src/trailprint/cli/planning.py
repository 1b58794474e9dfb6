"""``--dry-run``: print what a command would need, without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from trailprint.cli.groups import Panel
from trailprint.cli.present import print_json, print_rows, print_table

if TYPE_CHECKING:
    from trailprint.workflows.plans import WorkPlan

_NAMES = {
    "correlate": "correlation",
    "points": "measurement",
    "protect": "protection",
    "sweep": "sweep",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """
    Whether to plan only; ``plan_…`` of `trailprint.workflows` in Python.

    Attributes
    ----------
    dry_run : bool
        Only say what would be needed: people, pairs, passes, memory, time.
    """

    dry_run: bool = False


Planning = Annotated[PlanOptions, Panel("Running")]


def print_plan(plan: WorkPlan, *, as_json: bool) -> None:
    """Print what the work would need."""
    found = plan.to_dict()
    if as_json:
        print_json(found)
        return
    rows = [*_count(found), ("passes over everybody", found["passes"]), *describe_needs(found)]
    title = f"What the {_NAMES[found['work']]} would need"
    print_table(title, rows, ["Nothing was done. Reading the data comes on top."])
    print_rows("Seconds of one core", [_show_step(step) for step in found["steps"]], most=20)


def _count(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Count people, locations and pairs."""
    if found["auxiliary_users"] is None:
        people: list[tuple[str, object]] = [("people", found["released_users"])]
    else:
        people = [
            ("released users", found["released_users"]),
            ("auxiliary users", found["auxiliary_users"]),
        ]
    places = [] if found["locations"] is None else [("locations", found["locations"])]
    return [*people, *places, ("pairs, about", round(found["pairs"]))]


def describe_needs(plan: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Rows for the memory and time of a plan."""
    from trailprint.workflows.plans import show_cores, show_estimate, show_megabytes

    rows: list[tuple[str, object]] = [
        ("memory for arrays", show_megabytes(plan["driver_memory_mb"])),
    ]
    if plan["engine"] == "spark":
        rows.append(("memory on each executor", show_megabytes(plan["worker_memory_mb"])))
    if plan["seconds"] is None:
        rows.append(("time on one core, about", show_estimate(plan["core_seconds"])))
    else:
        cores = show_cores(plan["cores"])
        rows.append((f"time on {cores}, about", show_estimate(plan["seconds"])))
    return rows


def _show_step(step: Mapping[str, Any]) -> dict[str, object]:
    from trailprint.workflows.plans import show_estimate

    return {
        "step": step["name"],
        "passes": step["passes"],
        "time on one core": show_estimate(step["core_seconds"]),
    }
