"""``trailprint trails``: does the mere set of places identify people?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from trailprint.cli.flags import (
    ReadFlags,
    RunFlags,
    ScoreFlags,
    ShapeFlags,
    SplitFlags,
    open_sides,
)
from trailprint.cli.groups import argument, option, takes
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import announce_compilation, showing
from trailprint.display.numbers import format_seconds
from trailprint.errors import OptionError
from trailprint.events.households import to_households

EXAMPLE = "trailprint trails ip-lists/ customer-lists/ --identified-columns name,address"

_TRAILS, _STUDY = "Trails", "Sensitivity"
_SHOWN = {
    "location": "location",
    "order": "order",
    "withheld": "withheld",
    "locations": "locations",
    "population": "population",
    "deidentified": "deidentified",
    "identified": "identified",
    "reidentified": "links made",
    "rate": "rate",
    "change": "change",
}
_STUDIES = ("locations", "popularity", "withholding")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailFlags:
    """How trails are matched, and what is varied."""

    algorithm: Annotated[
        str,
        option(
            "--algorithm",
            help="complete, incomplete, multiple (REIDIT-C, -I, -M) or auto.",
            panel=_TRAILS,
        ),
    ] = "auto"
    reserved: Annotated[
        str,
        option(
            "--reserved",
            help="The side that may lack entries: identified, deidentified, none or auto.",
            panel=_TRAILS,
        ),
    ] = "auto"
    deidentified_columns: Annotated[
        str | None,
        option("--deidentified-columns", help="Columns that make one pseudonym.", panel=_TRAILS),
    ] = None
    identified_columns: Annotated[
        str | None,
        option("--identified-columns", help="Columns that make one identity.", panel=_TRAILS),
    ] = None
    households: Annotated[
        str | None,
        option(
            "--households", help="Columns user, household: who shares a pseudonym.", panel=_TRAILS
        ),
    ] = None
    sensitivity: Annotated[
        str | None,
        option("--sensitivity", help="Vary locations, popularity or withholding.", panel=_STUDY),
    ] = None
    withhold: Annotated[
        str,
        option("--withhold", help="Probabilities (default 0.1,0.5,0.9).", panel=_STUDY),
    ] = "0.1,0.5,0.9"
    runs: Annotated[
        int, option("--runs", help="Random runs for withholding (default 100).", panel=_STUDY)
    ] = 100
    name_locations: Annotated[
        bool,
        option("--name-locations", help="Show locations by name, not by rank.", panel=_STUDY),
    ] = False


@takes(RunFlags, TrailFlags, ScoreFlags, SplitFlags, ReadFlags, ShapeFlags)
def run(
    deidentified: Annotated[
        str,
        argument("DEIDENTIFIED", "Who, as pseudonyms, was where."),
    ],
    running: RunFlags,
    matching: TrailFlags,
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    scoring: ScoreFlags,
    identified: Annotated[
        str | None,
        argument("IDENTIFIED", "Who, by name, was where; without it, DEIDENTIFIED is split."),
    ] = None,
) -> None:
    """Match lists of pseudonyms and lists of names by the places they appear at."""
    from trailprint.attacks.options import TrailOptions
    from trailprint.workflows.trails import trails

    _check(matching, scoring.truth)
    scoring.check(deidentified, identified)
    algorithm = matching.algorithm
    if matching.households is not None and algorithm == "auto":
        algorithm = "multiple"
    options = TrailOptions(
        algorithm=algorithm,  # type: ignore[arg-type]
        reserved=matching.reserved,  # type: ignore[arg-type]
    )
    announce_compilation()
    engine = running.engine()
    with showing(engine) as progress:
        names = (matching.deidentified_columns, matching.identified_columns)
        sides = open_sides(
            (deidentified, identified),
            splitting,
            reading,
            shaping,
            running,
            engine,
            identities=names,
        )
        pairs = scoring.read_truth(engine)
        if matching.households is not None:
            grouped, pairs = to_households(sides[0], matching.households)
            sides = (grouped, sides[1])
        result = trails(*sides, options, truth=pairs, n_threads=running.threads, progress=progress)
        study = _study(result, matching, running, progress)
    scoring.write_links(result.links(), engine)
    found = {**result.to_dict(), **study}
    if running.json:
        print_json(found)
    else:
        _print(found, scoring.links)


def _check(matching: TrailFlags, truth: str | None) -> None:
    if matching.sensitivity is not None and matching.sensitivity not in _STUDIES:
        raise OptionError(
            f"--sensitivity must be one of {', '.join(_STUDIES)}, got {matching.sensitivity!r}."
        )
    if matching.households is not None and truth is not None:
        raise OptionError("--households says who is who: leave --truth out.")


def _study(result: Any, matching: TrailFlags, running: RunFlags, progress: Any) -> dict[str, Any]:
    """The tables asked for, as rows ready for JSON."""
    if matching.sensitivity is None:
        return {}
    progress(f"Varying {matching.sensitivity}", None)
    if matching.sensitivity == "locations":
        return {"sensitivity": _without_each(result, matching, running)}
    if matching.sensitivity == "popularity":
        return _by_popularity(result, running)
    return {"sensitivity": _withholding(result, matching, running)}


def _without_each(result: Any, matching: TrailFlags, running: RunFlags) -> list[dict[str, Any]]:
    from trailprint.studies.trail_sensitivity import leave_one_out, rank_locations

    table = leave_one_out(
        result.deidentified,
        result.identified,
        result.options,
        result.truth,
        n_threads=running.threads,
    )
    ranked = rank_locations(result.deidentified, "most-visited")
    rows: list[dict[str, Any]] = table.take(ranked).to_pylist()
    names = result.deidentified.locations
    for rank, row in enumerate(rows, 1):
        name = names[row["location"]].as_py() if matching.name_locations else f"#{rank}"
        row["location"] = name
    return rows


def _by_popularity(result: Any, running: RunFlags) -> dict[str, Any]:
    from trailprint.studies.popularity import fit_zipf
    from trailprint.studies.trail_sensitivity import add_locations

    rows = [
        row
        for order in ("least-visited", "most-visited")
        for row in add_locations(
            result.deidentified,
            result.identified,
            result.options,
            result.truth,
            order=order,
            n_threads=running.threads,
        ).to_pylist()
    ]
    return {"sensitivity": rows, "zipf": asdict(fit_zipf(result.deidentified))}


def _withholding(result: Any, matching: TrailFlags, running: RunFlags) -> list[dict[str, Any]]:
    from trailprint.studies.trail_sensitivity import withhold

    try:
        probabilities = [float(part) for part in matching.withhold.split(",")]
    except ValueError:
        raise OptionError(
            f"--withhold must be probabilities such as 0.1,0.5, got {matching.withhold!r} instead."
        ) from None
    return [
        row
        for probability in probabilities
        for row in withhold(
            result.deidentified,
            probability,
            n_runs=matching.runs,
            seed=running.seed,
            n_threads=running.threads,
        ).to_pylist()
    ]


def _print(found: dict[str, Any], links: str | None) -> None:
    interval = found["accuracy_interval"]
    nulls = found["null_trails"]
    rows: list[tuple[str, object]] = [
        ("pseudonyms", found["deidentified"]),
        ("names", found["identified"]),
        ("locations on both sides", found["locations"]),
        ("null trails", nulls["deidentified"] + nulls["identified"]),
        ("algorithm, reserved side", f"{found['algorithm']}, {found['reserved']}"),
        ("at most possible", found["upper_bound"]),
        ("links made", found["reidentified"]),
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
    """What is known of the release tactic assumed, and so of the links."""
    if found["contradicted"]:
        return (
            "No guarantee: the data contradicts the release tactic assumed (neither side may be "
            "reserved to the other), so links can be wrong."
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
    notes = [_judge_tactic(found)]
    if not found["assumptions"]["unique_tuples"]:
        notes.append("Some entries are listed more than once at a location: counted once.")
    if any(found["unshared_locations"].values()):
        n_unshared = sum(found["unshared_locations"].values())
        notes.append(f"{n_unshared:,} locations are on one side only and were left out.")
    if found["truth"] == "none":
        notes.append("No id is on both sides and no --truth was given: nothing to score.")
    notes.append("Assumed: entries are truthful (2.1) and mean the same entity everywhere (2.3).")
    if links is not None:
        notes.append(f"Links written to {links}, readable by you only.")
    return notes
