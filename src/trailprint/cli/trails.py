"""``trailprint trails``: does the set of visited places alone identify people?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from trailprint.attacks.options import TrailOptions
from trailprint.cli.groups import Panel, argument, takes_options
from trailprint.cli.inputs import Scoring, SideInputs
from trailprint.cli.knowledge import Knowing, note_knowledge
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import Running, RunOptions
from trailprint.display.numbers import format_seconds
from trailprint.errors import OptionError
from trailprint.events.households import to_households
from trailprint.progress import Progress
from trailprint.studies.options import SensitivityOptions

EXAMPLE = "trailprint trails ip-lists/ customer-lists/ --auxiliary-columns name,address"

_SHOWN = {
    "location": "location",
    "order": "order",
    "withheld": "withheld",
    "locations": "locations",
    "population": "population",
    "released": "released",
    "auxiliary": "auxiliary",
    "reidentified": "links made",
    "rate": "rate",
    "change": "change",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOptions:
    """
    Who counts as one entity.

    Attributes
    ----------
    released_columns : str, optional
        Columns that make one pseudonym.
    auxiliary_columns : str, optional
        Columns that make one identity.
    households : str, optional
        A file with columns user, household: who shares a pseudonym.
    """

    released_columns: str | None = None
    auxiliary_columns: str | None = None
    households: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightOptions:
    """
    Weights of locations.

    Attributes
    ----------
    location_weights : str, optional
        With --algorithm likely: a file with columns location, weight. The evidence of a location
        is multiplied by its weight.
    """

    location_weights: str | None = None


@takes_options
def run(
    released: Annotated[str, argument("RELEASED", "Who, as pseudonyms, was where.")],
    options: Annotated[TrailOptions, Panel("Trails")],
    entities: Annotated[EntityOptions, Panel("Trails")],
    weighing: Annotated[WeightOptions, Panel("Trails")],
    varying: Annotated[SensitivityOptions, Panel("Sensitivity")],
    knowing: Knowing,
    running: Running,
    scoring: Scoring,
    sides: SideInputs,
    auxiliary: Annotated[
        str | None,
        argument("AUXILIARY", "Who, by name, was where; without it, RELEASED is split."),
    ] = None,
) -> None:
    """Match lists of pseudonyms and lists of names by the places they appear at."""
    from trailprint.workflows.trails import trails

    if entities.households is not None and scoring.truth is not None:
        raise OptionError("--households says who is who: leave --truth out.", option="households")
    if entities.households is not None and options.algorithm == "auto":
        options = replace(options, algorithm="multiple")
    scoring.check(released, auxiliary)
    knowledge = knowing.options(running.seed)
    engine = running.engine()
    with showing(engine) as progress:
        pseudonyms, names = sides.open(
            released,
            auxiliary,
            engine,
            seed=running.seed,
            identities=(entities.released_columns, entities.auxiliary_columns),
        )
        pairs = scoring.read_truth(engine)
        if entities.households is not None:
            pseudonyms, pairs = to_households(pseudonyms, entities.households)
        result = trails(
            pseudonyms,
            names,
            options,
            knows=knowledge,
            location_weights=weighing.location_weights,
            truth=pairs,
            n_threads=running.threads,
            progress=progress,
        )
        study = _study(result, varying, running, progress)
    scoring.write_links(result.links(), engine)
    found = {**result.to_dict(), **study}
    if running.json:
        print_json(found)
    else:
        _print(found, scoring.links)


def _study(
    result: Any, varying: SensitivityOptions, running: RunOptions, progress: Progress
) -> dict[str, Any]:
    """The rows of the sensitivity study, if one was asked for."""
    from trailprint.workflows.sensitivity import study_sensitivity

    if varying.sensitivity is None:
        return {}
    how: dict[str, Any] = {"seed": running.seed, "n_threads": running.threads}
    return study_sensitivity(result, varying, progress=progress, **how).to_dict()


def _print(found: dict[str, Any], links: str | None) -> None:
    interval = found["accuracy_interval"]
    nulls = found["null_trails"]
    rows: list[tuple[str, object]] = [
        ("pseudonyms", found["released"]),
        ("names", found["auxiliary"]),
        ("locations on both sides", found["locations"]),
        ("null trails", nulls["released"] + nulls["auxiliary"]),
        ("algorithm, reserved side", f"{found['algorithm']}, {found['reserved']}"),
        ("at most possible", found["upper_bound"]),
        ("links made", found["reidentified"]),
    ]
    if found["agreement"] is not None:
        rows += [
            ("  expected to be right", percent(found["expected_precision"])),
            ("agreement of a person's two trails", f"{found['agreement']:.2f}"),
        ]
    if found["truth"] != "none":
        rows += [
            ("  right", found["correct"]),
            ("re-identified, of those on both sides", percent(found["accuracy"])),
            ("  95 % interval", " to ".join(percent(x) for x in interval) if interval else "—"),
            ("  by chance", percent(found["chance"])),
        ]
    rows.append(("time", format_seconds(found["seconds"]["total"])))
    print_table("Trail matching", rows, _notes(found, links))
    if found.get("sensitivity"):
        shown = [
            {words: row[name] for name, words in _SHOWN.items() if name in row}
            for row in found["sensitivity"]
        ]
        print_rows("Sensitivity", shown, most=25)
    if "zipf" in found:
        fit = found["zipf"]
        rows = [("Zipf exponent", fit["exponent"]), ("correlation", fit["correlation"])]
        print_table("Popularity of locations", rows)


def _judge_tactic(found: dict[str, Any]) -> str:
    """Describe whether the assumed release tactic holds, and so whether links are guaranteed."""
    if found["algorithm"] == "likely":
        return (
            "No guarantee: either side may lack what the other has, and the likeliest counterpart "
            "can be a wrong one. --precision 0.9 keeps the surer links."
        )
    if found["contradicted"]:
        return (
            "No guarantee: the data contradicts the release tactic assumed (neither side may be "
            "reserved to the other), so links can be wrong. --algorithm likely does without one."
        )
    if found["guaranteed"] is None:
        return (
            "No guarantee: the data does not contradict the release tactic assumed, but only a "
            "truth (--truth) could confirm it."
        )
    if found["guaranteed"]:
        return "The truth confirms the release tactic assumed: under it no link can be wrong."
    return "No guarantee: the truth shows that the release tactic assumed is not at work here."


def _notes(found: dict[str, Any], links: str | None) -> list[str]:
    notes = [_judge_tactic(found), *note_knowledge(found["knows"])]
    if not found["assumptions"]["unique_tuples"]:
        notes.append("Some entries are listed more than once at a location: counted once.")
    if any(found["unshared_locations"].values()):
        n_unshared = sum(found["unshared_locations"].values())
        notes.append(f"{n_unshared:,} locations are on one side only and were left out.")
    if found["truth"] == "none":
        notes.append("No id is on both sides and no --truth was given: nothing to score.")
    notes.append(
        "Assumed (Malin 2005, sections 2.1 and 2.3): entries are truthful and mean the same entity "
        "everywhere."
    )
    if links is not None:
        notes.append(f"Links written to {links}, readable by you only.")
    return notes
