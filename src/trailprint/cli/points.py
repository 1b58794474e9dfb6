"""``trailprint points``: what do a few known places and times reveal about one person?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

from trailprint.attacks.points.options import PointsOptions
from trailprint.cli.groups import Panel, argument, takes_options
from trailprint.cli.inputs import Reading, Shaping, open_events
from trailprint.cli.option_fields import Written
from trailprint.cli.planning import Planning, print_plan
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import EnginePanel, Running
from trailprint.display.numbers import format_number, format_seconds
from trailprint.events.write import check_outputs, write_table

EXAMPLE = "trailprint points visits.csv --points 1-10 --time-resolution 1h --worst-case 2"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """
    What else is measured, and where risks are written.

    Attributes
    ----------
    no_grid : bool
        Leave out coarser places and times.
    apply : tuple of str
        Count shared traces after this protection too; repeat for the next one.
    per_user : str, optional
        Write each person's risk here.
    """

    no_grid: bool = False
    apply: tuple[str, ...] = ()
    per_user: str | None = None


@takes_options
def run(
    data: Annotated[str, argument("DATA", "What would be published.")],
    options: Annotated[
        PointsOptions,
        Panel(
            "What is known",
            without=("seed", "grid"),
            written={
                "points": Written(metavar="NUMBERS"),
                "populations": Written(show=lambda sizes: "", metavar="PEOPLE,…"),
            },
        ),
    ],
    answering: Annotated[
        AnswerOptions,
        Panel(
            "Answers",
            written={
                "apply": Written(read=tuple, show=" ".join, metavar="NAME[:key=value,…]", many=True)
            },
        ),
    ],
    running: Running,
    where: EnginePanel,
    planning: Planning,
    reading: Reading,
    shaping: Shaping,
) -> None:
    """Say what a few known places and times reveal: unicity, worst case, singling out."""
    from trailprint.workflows.points import points
    from trailprint.workflows.points_plan import plan_points

    if answering.per_user is not None:
        check_outputs([answering.per_user], sources=[data])
    engine = running.engine()
    known = replace(options, seed=running.seed, grid=not answering.no_grid)
    how: dict[str, Any] = {
        "protections": answering.apply,
        "engine": where,
        "n_threads": running.threads,
    }
    is_when = options.knowledge == "time"
    opened = partial(open_events, data, reading, shaping, engine, one_place=is_when)
    if planning.dry_run:
        plan = plan_points(opened(), known, **how)
        print_plan(plan, as_json=running.json)
        return
    with showing(engine) as progress:
        result = points(opened(), known, progress=progress, **how)
        if answering.per_user is not None:
            table = result.per_user()
            write_table(table, answering.per_user, engine, private=True, for_people=True)
    found = result.to_dict()
    if running.json:
        print_json(found)
    else:
        _print(found, answering.per_user)


def _print(found: dict[str, Any], per_user: str | None) -> None:
    rows: list[tuple[str, object]] = [
        ("people", found["people"]),
        ("places", found["places"]),
        ("known", found["knowledge"]),
    ]
    if found["time_resolution"] is not None:
        rows.append(("time resolution", found["time_resolution"]))
    rows.append(("time", format_seconds(found["seconds"]["total"])))
    notes = [*found["assumptions"]]
    if per_user is not None:
        notes.append(f"Risks written to {per_user}, readable by you only.")
    print_table("What a few known points reveal", rows, notes)
    if found["unicity"]:
        print_rows("Points drawn at random", [_drawn(r) for r in found["unicity"]], most=100)
    if found["worst_case"]:
        print_rows("The most revealing points", [_worst(r) for r in found["worst_case"]], most=20)
    print_rows("How many people share …", [_shared(r) for r in _all_sharing(found)], most=100)
    if found["grid"]:
        print_rows(_grid_title(found), _grid(found["grid"]), most=100)
    if found["extrapolation"]:
        _print_larger(found["extrapolation"])


def _drawn(row: dict[str, Any]) -> dict[str, object]:
    return {
        "points": row["points"],
        "unique": percent(row["share"]),
        "interval": _interval(row),
        "candidates, mean": row["candidates_mean"],
        "median": row["candidates_median"],
        **_fewer(row),
    }


def _worst(row: dict[str, Any]) -> dict[str, object]:
    return {
        "points": row["k"],
        "singled out": percent(row["share_at_one"]),
        "interval": _interval(row),
        "mean risk": percent(row["mean_risk"]),
        "candidates, median": row["candidates_median"],
        **_fewer(row),
    }


def _all_sharing(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows on shared traces: in the release as it is, then after each protection."""
    own = [{"release": "as it is", **row} for row in found["singling_out"]]
    return own + [
        {"release": one["protection"], **row}
        for one in found["protections"]
        for row in one["singling_out"]
    ]


def _shared(row: dict[str, Any]) -> dict[str, object]:
    return {
        "release": row["release"],
        "their": row["what"].replace("-", " "),
        "nobody else": percent(row["unique_share"]),
        "people, median": row["sharing_median"],
        **_fewer(row),
    }


def _fewer(row: dict[str, Any]) -> dict[str, object]:
    shares = row["fewer_than"].items()
    return {f"fewer than {few}": percent(share) for few, share in shares if few != "2"}


def _interval(row: dict[str, Any]) -> str:
    return " to ".join(percent(end) for end in row["interval"])


def _grid_title(found: dict[str, Any]) -> str:
    return f"Unique with {found['grid'][0]['points']} points, released coarser"


def _grid(cells: list[dict[str, Any]]) -> list[dict[str, object]]:
    """Make a row for each size of places, with a column for each time resolution."""
    from trailprint.workflows.points_result import show_resolution

    rows: dict[str, dict[str, object]] = {}
    for cell in cells:
        row = rows.setdefault(cell["place"], {"places": cell["place"]})
        row[show_resolution(cell["time_s"])] = percent(cell["share"])
    return list(rows.values())


def _print_larger(larger: dict[str, Any]) -> None:
    rows = [
        {
            "points": row["points"],
            "population": row["population"],
            "unique, estimate": percent(row["share"]),
            "at least": percent(row["at_least"]),
        }
        for row in larger["populations"]
    ]
    print_rows("In a larger population", rows, most=12)
    checks = [
        f"Checked: fitted to {format_number(check['fitted_to'])} people, the model predicts "
        f"{percent(check['predicted'])} with {check['points']} points; measured "
        f"{percent(check['measured'])}."
        for check in larger["checks"]
        if check["points"] in (1, 4)
    ]
    print_table("", [], [larger["model"], larger["warning"], *checks])
