"""``trailprint reproduce``: tables and figures of the papers, their numbers beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trailprint.cli.groups import Panel, argument, takes_options
from trailprint.cli.inputs import Reading
from trailprint.cli.option_fields import Written
from trailprint.cli.present import print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import Running, RunOptions
from trailprint.display.fact_tables import show
from trailprint.display.numbers import format_seconds
from trailprint.errors import OptionError
from trailprint.events.options import ReadOptions

if TYPE_CHECKING:
    from trailprint.papers.comparison import Comparison
    from trailprint.papers.experiment import Reproduction

EXAMPLE = "trailprint reproduce 2005 2013-table-1 --out papers/"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceOptions:
    """
    What to reproduce, from which data, and where it is written.

    Attributes
    ----------
    list_all : bool
        Show what can be reproduced and stop.
    data : str, optional
        Folder or file of your own copies of the papers' data.
    full : bool
        The papers' sizes, however long it takes.
    name_locations : bool
        Draw the papers' maps: they show where places are.
    settings : tuple of str
        Change a setting that --list shows; may be given several times.
    out : str, optional
        Output folder for page, tables and JSON.
    """

    list_all: bool = False
    data: str | None = None
    full: bool = False
    name_locations: bool = False
    settings: tuple[str, ...] = ()
    out: str | None = None


@takes_options
def run(
    chosen: Annotated[
        ReproduceOptions,
        Panel(
            "Experiments",
            names={"list_all": "list", "settings": "set"},
            written={
                "settings": Written(read=tuple, show=", ".join, metavar="NAME=VALUE", many=True),
            },
        ),
    ],
    running: Running,
    reading: Reading,
    names: Annotated[
        list[str] | None,
        argument("NAME…", "Experiments, a paper's year, or all."),
    ] = None,
) -> None:
    """Run experiments of the papers, on simulated people or on your own copies of the data."""
    from trailprint.papers.registry import choose, experiments

    if chosen.list_all:
        _list(choose(names) if names else list(experiments().values()), running)
        return
    if not names:
        raise OptionError(
            "At least one experiment must be named, got none. See trailprint reproduce --list.",
            option="names",
        )
    wanted = choose(names)
    results = _reproduce(wanted, chosen, running, _own_reading(reading, chosen))
    if running.json:
        found = [result.to_dict() for result in results]
        print_json({"experiments": found, "out": chosen.out})
    else:
        _print(results, chosen.out)


def _own_reading(reading: Reading, chosen: ReproduceOptions) -> ReadOptions:
    """Options for reading the user's own copies; the papers set the window themselves."""
    if {"window", "present_throughout"} & reading.given.values.keys():
        raise OptionError(
            "--window and --present-throughout must be left out: the papers say which they are.",
            option="window",
        )
    if chosen.data is None and reading:
        raise OptionError(
            "Options on reading go with --data, got them without it. Name your own copies.",
            option="data",
        )
    return reading.options()


def _reproduce(
    wanted: list[Any], chosen: ReproduceOptions, running: RunOptions, reading: ReadOptions
) -> list[Any]:
    """Run experiments; write each table when it is ready, and the page of all so far."""
    from trailprint.papers.run import parse_settings
    from trailprint.reproduce import reproduce

    with showing(what="Starting") as progress:
        return reproduce(
            [each.name for each in wanted],
            data=chosen.data,
            reading=reading,
            settings=parse_settings(chosen.settings, wanted),
            full=chosen.full,
            name_locations=chosen.name_locations,
            out=chosen.out,
            seed=running.seed,
            n_threads=running.threads,
            memory=running.memory,
            progress=progress,
        )


def _list(known: list[Any], running: RunOptions) -> None:
    from trailprint.papers.experiment import SOURCES

    if running.json:
        rows = [
            {
                "name": each.name,
                "paper": each.paper,
                "title": each.title,
                "data": list(each.sources),
                "settings": dict(each.settings),
            }
            for each in known
        ]
        print_json({"experiments": rows, "data": dict(SOURCES)})
        return
    shown: list[tuple[str, object]] = [(each.name, each.title) for each in known]
    print_table(f"{len(known)} experiments", shown, is_prose=True)
    settings = dict.fromkeys(pair for each in known for pair in each.settings.items())
    if settings:
        print_table("Settings for --set", list(settings), is_prose=True)
    notes = ["Your own copies go into one folder under these names, with any ending."]
    used = {source for each in known for source in each.sources}
    data = [(name, text) for name, text in SOURCES.items() if name in used]
    print_table("Data for --data", data, notes, is_prose=True)


def _print(results: list[Any], out: str | None) -> None:
    for result in results:
        title = f"{result.experiment.name}: {result.experiment.title} ({result.population})"
        rows = [_compared(each) for each in result.outcome.comparisons]
        if rows:
            print_rows(title, rows, most=len(rows))
        print_table("" if rows else title, _about(result), is_prose=True)
    where = "Add --out FOLDER for a page with charts and tables." if out is None else _where(out)
    n_refused = sum(result.refused is not None for result in results)
    counted: list[tuple[str, object]] = [("experiments", len(results) - n_refused)]
    if n_refused:
        counted.append(("not run, data does not suit", n_refused))
    print_table("Done", counted, [where])


def _compared(comparison: Comparison) -> dict[str, object]:
    """One row; shows the difference only where a comparison is meaningful."""
    return {
        "quantity": comparison.quantity,
        "paper": comparison.paper_text(lambda value: show(_short(value))),
        "ours": _short(comparison.ours),
        "difference": _short(comparison.difference) if comparison.speaks else None,
        "unit": comparison.unit,
        "standing": comparison.standing,
    }


def _about(result: Reproduction) -> list[tuple[str, object]]:
    """Rows on how to read the result, reasons for each standing, notes, and time."""
    read: list[tuple[str, object]] = [("in words", result.outcome.reading)]
    silent = [each for each in result.outcome.comparisons if not each.speaks]
    reasons = dict.fromkeys((each.standing, each.because) for each in silent)
    notes = [("note", note) for note in result.outcome.notes]
    return [*read, *reasons, *notes, ("time", format_seconds(result.seconds))]


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _where(out: str) -> str:
    return (
        f"Written to {Path(out)}/: papers.html, papers.json, and tables and charts by experiment."
    )
