"""Experiments: tables and figures of papers, reproduced and compared with our numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from trailprint.display.discreet import Discreet, Words
from trailprint.display.fact_tables import write_facts
from trailprint.display.tables import ResultTable
from trailprint.events.engine import Engine
from trailprint.events.events import Events, Tally
from trailprint.events.options import ReadOptions
from trailprint.events.reading.read import read
from trailprint.events.results import Makers, Result
from trailprint.papers.comparison import Comparison
from trailprint.progress import Progress

Row = Mapping[str, Any]
_COMPARED = (
    *("quantity", "paper", "paper_to", "paper_says", "paper_is_derived"),
    *("ours", "unit", "difference", "standing", "because"),
)
"""Columns of the comparisons, as `Comparison.to_dict` names them."""
Kept = TypeVar("Kept")

#: Where the people come from; results on simulated people are always marked as such.
Population = Literal["simulated", "your data", "partly your data, partly simulated"]

#: The papers' datasets, by the names that users' own copies must have.
SOURCES: Mapping[str, str] = {
    "associations-2011": "association log: user, location (building.floor.ap), start, end",
    "associations-2013": "start-only association log: user, location, start",
    "call-records": "call records: user, location (antenna), start",
    "clickstreams-2005": "visits and purchases (user, location), households (user, household)",
    "geolife": "GeoLife trajectories in the folders of the original download",
    "web-history": "web history: user, location (favicon or site), start",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """
    Input of an experiment.

    Attributes
    ----------
    seed : int
        Seed of every random choice; the same seed gives the same numbers.
    full : bool
        Use the paper's sizes instead of reduced ones.
    data : mapping of str to Path
        The user's own copies, by the names of ``SOURCES``; missing datasets are simulated.
    reading : ReadOptions
        How the copies are to be read.
    n_threads, memory : int, str, optional
        Limits of the engine; do not affect results.
    progress : callable, optional
        Called with the current step and the share of the experiment that is done.
    name_locations : bool
        Whether maps may show where places are.
    settings : mapping of str to str
        The experiments' ``settings`` that the user changed, as typed.
    """

    seed: int = 0
    full: bool = False
    data: Mapping[str, Path] = field(default_factory=dict)
    reading: ReadOptions = field(default_factory=ReadOptions)
    settings: Mapping[str, str] = field(default_factory=dict)
    n_threads: int | None = None
    memory: str | None = None
    progress: Progress | None = None
    name_locations: bool = False
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def own(self, source: str) -> Path | None:
        """Return the user's own copy of a dataset; None if it is to be simulated."""
        return self.data.get(source)

    def read(self, source: str, path: Path | None = None, **changes: Any) -> Events:
        """Read the user's own copy, or a file of it; rows that could not be used are noted."""
        path = path or self.data[source]
        events = read(str(path), replace(self.reading, **changes), engine=self.engine())
        note = _describe_unused(path.name, events.tally)
        self._notes(source).update({note: None} if note else {})
        return events

    def notes_on(self, sources: Iterable[str]) -> list[str]:
        """Return notes on rows that were not used when reading these of the user's own datasets."""
        return [note for source in sources for note in self._notes(source)]

    def _notes(self, source: str) -> dict[str, None]:
        return self.share(f"notes on {source}", dict[str, None])

    def engine(self) -> Engine:
        """Return the DuckDB engine of this run, with its limits."""
        return self.share("engine", lambda: Engine(memory=self.memory, threads=self.n_threads))

    def report(self, what: str, done: float | None = None) -> None:
        """Report the progress of the experiment."""
        if self.progress is not None:
            self.progress(what, done)

    def has(self, name: str) -> bool:
        """Whether an object is already shared under this name."""
        return name in self._kept

    def share(self, name: str, make: Callable[[], Kept]) -> Kept:
        """Return an object shared by experiments, such as a population; made on first use."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: Kept = self._kept[name]
        return kept


def _describe_unused(name: str, tally: Tally) -> str | None:
    reasons = {**tally.bad, **tally.left_out}
    if not any(reasons.values()):
        return None
    listed = ", ".join(f"{reason}: {n:,}" for reason, n in reasons.items() if n)
    return f"{name}: {sum(reasons.values()):,} of {tally.rows:,} rows were not used ({listed})."


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """
    A chart of the rows; ``x``, ``y``, ``series``, ``low``, ``high`` name their columns.

    Attributes
    ----------
    kind : {"line", "bar", "point", "map"}
        Lines join points in the order of ``x``, a number; bars take any ``x``, one bar for each
        row; points are not joined; a map has longitudes as ``x`` and latitudes as ``y``. At most
        six series.
    low, high : str, optional
        An interval around ``y``.
    log_x, log_y : bool
        Logarithmic axes.
    y_is_share : bool
        ``y`` is a share, shown in percent.
    where : mapping, optional
        Only the rows with these values are drawn.
    paper : str, optional
        Column of the paper's own values, drawn as ticks on bars.
    shade : str, optional
        Maps: column of shares; the larger, the darker.
    cell_m : float, optional
        Maps: side of the squares that stand for places, in metres.
    """

    kind: Literal["line", "bar", "point", "map"]
    x: str
    y: str
    x_title: str
    y_title: str
    title: str = ""
    series: str | None = None
    low: str | None = None
    high: str | None = None
    log_x: bool = False
    log_y: bool = False
    y_is_share: bool = False
    where: Mapping[str, Any] = field(default_factory=dict)
    paper: str | None = None
    shade: str | None = None
    cell_m: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentOutcome(Discreet):
    """
    Result of an experiment.

    Attributes
    ----------
    rows : sequence of mappings
        A tidy table of plain values: every row has the same keys; shares are from zero to one.
    comparisons : sequence of Comparison
        The paper's numbers next to ours.
    reading : str
        Main finding, in one sentence.
    charts : sequence of Chart
        Charts of the rows.
    notes : sequence of str
        Differences from the paper's protocol, and choices that it leaves open.
    """

    rows: Sequence[Row]
    comparisons: Sequence[Comparison]
    reading: str
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(Discreet):
    """
    A table or figure of a paper.

    Attributes
    ----------
    name : str
        Such as ``2005-figure-11``: the year, then where in the paper.
    paper : str
        Such as ``Malin 2005``.
    title : str
        What is measured, in a few plain words.
    run : callable
        Runs the experiment; prints nothing.
    sources : tuple of str
        Which of ``SOURCES`` it runs on, the user's own or simulated.
    settings : mapping of str to str
        Settings that may be changed, by name: meaning and default.
    check : callable, optional
        Rejects invalid settings before anything is run.
    """

    name: str
    paper: str
    title: str
    run: Callable[[Context], ExperimentOutcome]
    sources: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Context], object] | None = None

    def _shown(self) -> dict[str, object]:
        return {"name": Words(self.name), "title": Words(self.title)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction(Result):
    """
    An experiment that has been run: its outcome, population and running time.

    ``refused`` says why the user's own data do not suit it; the outcome is then empty.
    """

    _NO_PLOT = "charts of papers are drawn by reproduce with out"

    experiment: Experiment
    outcome: ExperimentOutcome
    population: Population
    full: bool
    seed: int
    seconds: float
    refused: str | None = None

    def _shown(self) -> dict[str, object]:
        return {
            "name": Words(self.experiment.name),
            "population": Words(self.population),
            "rows": len(self.outcome.rows),
            "comparisons": len(self.outcome.comparisons),
            "refused": self.refused is not None,
        }

    def _makers(self) -> Makers:
        outcome = self.outcome
        return {
            "rows": lambda: ResultTable.from_rows("rows", outcome.rows),
            "comparisons": lambda: ResultTable.from_rows(
                "comparisons", self._compared(), _COMPARED
            ),
        }

    def _compared(self) -> list[dict[str, Any]]:
        return [comparison.to_dict() for comparison in self.outcome.comparisons]

    def _repr_html_(self) -> str:
        told = (self.outcome.reading, *self.outcome.notes)
        facts = [("experiment", self.experiment.title), ("population", self.population)]
        return f"<div>{write_facts(facts, told)}{self.table('comparisons')._repr_html_()}</div>"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        outcome = self.outcome
        return {
            "name": self.experiment.name,
            "paper": self.experiment.paper,
            "title": self.experiment.title,
            "population": self.population,
            "full": self.full,
            "seed": self.seed,
            "seconds": self.seconds,
            "refused": self.refused,
            "reading": outcome.reading,
            "notes": list(outcome.notes),
            "comparisons": self._compared(),
            "rows": [dict(row) for row in outcome.rows],
            "charts": [asdict(chart) for chart in outcome.charts],
        }
