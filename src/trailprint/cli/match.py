"""``trailprint match``: do habits identify people across two datasets?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from trailprint.attacks.options import MatchOptions, RejectionOptions
from trailprint.cli.groups import Given, Panel, argument, takes_options
from trailprint.cli.inputs import Scoring, SideInputs
from trailprint.cli.knowledge import Knowing, note_knowledge
from trailprint.cli.option_fields import Written
from trailprint.cli.planning import Planning, describe_needs
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import EnginePanel, Running, RunOptions
from trailprint.display.fact_tables import show
from trailprint.display.numbers import format_seconds
from trailprint.engines.options import EngineOptions
from trailprint.errors import OptionError
from trailprint.evaluation.risk import check_precision
from trailprint.events.events import Events
from trailprint.events.knowledge import Knowledge
from trailprint.events.write import check_outputs, write_table
from trailprint.features.options import HistogramOptions
from trailprint.workflows.options import CUT_AGAIN, ViewOptions

EXAMPLE = "trailprint match released.parquet auxiliary.parquet --margins"

_MATCH = "Matching"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginOptions:
    """
    Precision to find a margin for; `MatchResult.margin_for` in Python.

    Attributes
    ----------
    precision : float, optional
        Report the margin that reaches this precision.
    """

    precision: float | None = None

    def __post_init__(self) -> None:
        if self.precision is not None:
            check_precision(self.precision)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretOptions:
    """
    What the adversary cannot interpret on the released side.

    Attributes
    ----------
    renamed_locations : bool
        The released side's locations have secret names: find out first which is which.
    """

    renamed_locations: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleOptions:
    """
    Results for each person; `MatchResult.per_user` in Python.

    Attributes
    ----------
    per_user : str, optional
        File to write who was found, how surely, and with --views by which view.
    """

    per_user: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """How people are compared and matched."""

    options: Annotated[MatchOptions, Panel(_MATCH, without=("seed",), names={"reach_m": "reach"})]
    histograms: Annotated[HistogramOptions, Panel(_MATCH)]
    views: Annotated[
        Given[ViewOptions],
        Panel(
            _MATCH,
            without=("cut", "contributions"),
            names={"names": "views", "weights": "view-weights"},
            written={"weights": Written(metavar="NAME")},
        ),
    ]
    margins: Annotated[MarginOptions, Panel(_MATCH)]
    secret: Annotated[SecretOptions, Panel(_MATCH)]
    rejection: Annotated[Given[RejectionOptions], Panel(_MATCH)]

    def match_options(self, seed: int) -> MatchOptions:
        """The options, with margins if a precision needs them."""
        margins = self.options.margins or self.margins.precision is not None
        return replace(self.options, margins=margins, seed=seed)

    def view_options(self, sides: SideInputs) -> ViewOptions | None:
        """Options of the views, split for learning as the data was split; None without --views."""
        if not self.views:
            return None
        if "names" not in self.views.values:
            raise OptionError(
                "--view-weights and --same-period go with --views. Try --views all.",
                option="view-weights",
            )
        method = sides.cut(seed=0).method if sides.names_a_cut else ""
        return self.views.options(cut=CUT_AGAIN.get(method, "median"))


@takes_options
def run(
    released: Annotated[str, argument("RELEASED", "What would be published.")],
    matching: Matching,
    knowing: Knowing,
    running: Running,
    scoring: Scoring,
    people: Annotated[PeopleOptions, Panel("Truth and links")],
    sides: SideInputs,
    where: EnginePanel,
    planning: Planning,
    auxiliary: Annotated[
        str | None,
        argument("AUXILIARY", "What an adversary might know; without it, RELEASED is split."),
    ] = None,
) -> None:
    """Match two datasets by their users' habits: how many could be re-identified?"""
    from trailprint.workflows.match import match

    outputs = [path for path in (scoring.links, people.per_user) if path is not None]
    check_outputs(outputs, sources=[released, auxiliary, scoring.truth])
    options, views = matching.match_options(running.seed), matching.view_options(sides)
    knowledge = knowing.options(running.seed)
    engine = running.engine()
    if planning.dry_run:
        datasets = sides.open(released, auxiliary, engine, seed=running.seed)
        _plan(datasets, matching, views, knowledge, running, where)
        return
    with showing(engine) as progress:
        result = match(
            *sides.open(released, auxiliary, engine, seed=running.seed),
            options,
            histograms=matching.histograms,
            views=views,
            rejection=matching.rejection.options() if matching.rejection else None,
            knows=knowledge,
            renamed_locations=matching.secret.renamed_locations,
            truth=scoring.read_truth(engine),
            engine=where,
            n_threads=running.threads,
            progress=progress,
        )
        scoring.write_links(result.links(), engine)
        if people.per_user is not None:
            table = result.per_user()
            write_table(table, people.per_user, engine, private=True, for_people=True)
    found = result.to_dict()
    if matching.margins.precision is not None:
        point = result.margin_for(matching.margins.precision)
        found["margin_for_precision"] = None if point is None else asdict(point)
    if running.json:
        print_json(found)
    else:
        _print(found, scoring.links, people.per_user)


def _plan(
    datasets: Sequence[Events],
    matching: Matching,
    views: ViewOptions | None,
    knows: Knowledge | None,
    running: RunOptions,
    where: EngineOptions,
) -> None:
    """Print what the matching would need."""
    from trailprint.workflows.match_plan import plan_match

    plan = plan_match(
        datasets[0],
        datasets[1],
        matching.match_options(running.seed),
        histograms=matching.histograms,
        views=views,
        knows=knows,
        engine=where,
        n_threads=running.threads,
    )
    _print_plan(plan.to_dict(), as_json=running.json)


def _print_plan(plan: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(plan)
        return
    rows: list[tuple[str, object]] = [
        ("released users", plan["released_users"]),
        ("auxiliary users", plan["auxiliary_users"]),
        ("locations", plan["locations"]),
        ("pairs who share a location, about", round(plan["pairs"])),
        ("passes over all pairs, about", plan["passes"]),
    ]
    if plan["parts"] > 1:
        rows.append(("parts of each pass", plan["parts"]))
    rows += describe_needs(plan)
    print_table("What the matching would need", rows, ["Nothing was matched."])


def _print(found: dict[str, Any], links: str | None, per_user: str | None) -> None:
    interval = found["accuracy_interval"]
    rows: list[tuple[str, object]] = [
        ("released users", found["released_users"]),
        ("auxiliary users", found["auxiliary_users"]),
        ("users on both sides", found["common_users"]),
        ("locations", found["locations"]),
        ("metric, method", f"{found['metric']}, {found['method']}"),
        ("links made", found["matched"]),
    ]
    if found["truth"] != "none":
        rows += [
            ("right", found["correct"]),
            ("re-identified, of users on both sides", percent(found["accuracy"])),
            ("  95 % interval", " to ".join(percent(x) for x in interval) if interval else "—"),
            ("  by chance", percent(found["chance"])),
            ("right, of links made", percent(found["precision"])),
        ]
    rows += [("total weight", found["total_weight"]), ("optimality gap", _show_gap(found))]
    if "decision" in found:
        idle = " (a test that cannot reject)" if found["threshold_is_vacuous"] else ""
        rows.append(("decision", found["decision"] + idle))
    rows.append(("time", format_seconds(found["seconds"]["total"])))
    title = "Combined matching" if "views" in found else "Histogram matching"
    written = {"Links": links, "What was found of each person": per_user}
    print_table(title, rows, [*_notes(found), *_note_files(written)])
    if "views" in found:
        _print_views(found)


def _print_views(found: dict[str, Any]) -> None:
    """Print the weight of each view and the rates with it alone and without it."""
    rows = [
        {
            "view": view["title"],
            "weight": percent(view["weight"]),
            "found_alone": percent(view["accuracy_alone"]),
            "found_without_it": percent(view["accuracy_without"]),
        }
        for view in found["views"]
    ]
    print_rows(f"Views, weights {found['weights_from']}", rows, most=len(rows))


def _show_gap(found: dict[str, Any]) -> object:
    """The optimality gap; a gap that is only rounding error counts as none."""
    return "none: proven optimal" if found.get("exact") else found["optimality_gap"]


def _notes(found: dict[str, Any]) -> list[str]:
    notes = note_knowledge(found["knows"])
    if "renamed_locations" in found:
        named = found["renamed_locations"]
        notes.append(
            f"Names of locations were hidden; {named['named']:,} of {named['locations']:,} were "
            "recovered from how they are used; some may be wrong."
        )
    if found["truth"] == "none":
        notes.append("No user id is on both sides and no --truth was given: nothing to score.")
    notes += _note_periods(found)
    if found.get("weights_note"):
        notes.append(found["weights_note"])
    if left_out := found.get("views_left_out"):
        notes.append(f"Views that this data does not support: {', '.join(left_out)}.")
    if found.get("threshold_is_vacuous"):
        notes.append("The rejection threshold is not positive: the test can never reject.")
    without = found["released_without_data"] + found["auxiliary_without_data"]
    if without:
        notes.append(f"{without:,} users have no events that count and were left unmatched.")
    if "margin_for_precision" in found:
        point = found["margin_for_precision"]
        notes.append(
            "No margin reaches the wanted precision."
            if point is None
            else f"Keeping margins of {show(point['margin'])} or more keeps {point['links']:,} of "
            f"the links, {percent(point['precision'])} of them right."
        )
    return notes


def _note_periods(found: dict[str, Any]) -> list[str]:
    """Say what periods that overlap, or should and do not, mean for the rate."""
    if not found.get("same_period"):
        told = "The two periods overlap: the sides are not independent, the rate misleads."
        return [told] if found["periods_overlap"] else []
    notes = [
        "The sides are taken for different sources about the same days: if they hold the same "
        "events, the rate misleads."
    ]
    if found["periods_overlap"] is False:
        notes.append(
            "But their periods do not overlap: views of calendar time find nobody. Leave out "
            "--same-period."
        )
    return notes


def _note_files(written: Mapping[str, str | None]) -> list[str]:
    return [
        f"{what} written to {path}, readable by you only."
        for what, path in written.items()
        if path is not None
    ]
