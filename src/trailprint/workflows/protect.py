"""``trailprint.protect``: apply protections, and measure their loss and effect on risk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from trailprint.arguments import check_arguments
from trailprint.display.discreet import Words
from trailprint.display.numbers import format_percent
from trailprint.display.plots import Plot, draw_bars, draw_line
from trailprint.display.tables import ResultTable
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.events.engine import default_engine
from trailprint.events.events import Events
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.events.results import Makers, Result, as_table
from trailprint.features.histograms import Histograms
from trailprint.features.options import HistogramOptions
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.protections.chain import Protected, apply_protections
from trailprint.protections.loss import with_locations
from trailprint.protections.protection import Protection
from trailprint.protections.tasks import Tasks
from trailprint.studies.frontier import Frontier, sweep
from trailprint.studies.options import SweepOptions
from trailprint.studies.protection_trial import Point
from trailprint.studies.shared_traces import (
    SHARING_COLUMNS,
    SinglingOut,
    compare_sharing,
    plain_sharing,
)
from trailprint.workflows.chain_reading import describe_chain, read_chain
from trailprint.workflows.engines import runs_on_engine, runs_passes_on_engine
from trailprint.workflows.judging import list_judges
from trailprint.workflows.measuring import announce_compilation
from trailprint.workflows.protect_plan import announce_protect, announce_trade_off


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProtectResult(Result):
    """Protected data that can be released, and its information loss."""

    protections: tuple[Protection, ...]
    protected: Protected
    singling_out: SinglingOut

    def _shown(self) -> dict[str, object]:
        return {
            "applied": Words(" then ".join(step.name for step in self.protections)),
            "information_loss": Words(format_percent(self.protected.loss.information_loss)),
            "users_kept": Words(format_percent(self.protected.loss.users_kept)),
        }

    @property
    def events(self) -> Events | None:
        """The protected events; None if histograms are released instead."""
        return self.protected.events if self.protected.histograms is None else None

    def histograms(self) -> pa.Table | None:
        """Return the protected histograms as user, location, share; None if events are released."""
        found = self.protected.histograms
        return None if found is None else tabulate(found)

    def _makers(self) -> Makers:
        return {
            "loss": lambda: ResultTable.from_rows("loss", [asdict(self.protected.loss)]),
            "tasks": lambda: ResultTable.from_objects("tasks", self._tasks(), Tasks),
            "singling_out": lambda: ResultTable.from_rows(
                "singling_out", self.singling_out.rows(), SHARING_COLUMNS
            ),
            "released": as_table("released", self._released),
        }

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        loss = self.protected.loss
        rows = [
            {"name": "information kept", "share": 1 - loss.information_loss},
            {"name": "people kept", "share": loss.users_kept},
            {"name": "events kept", "share": loss.events_kept},
        ]
        return {"loss": lambda: draw_bars(rows, "name", "share")}

    def _tasks(self) -> list[Tasks]:
        tasks = self.protected.tasks
        return [] if tasks is None else [tasks]

    def _released(self) -> pa.Table:
        """The data to be released: events or histograms."""
        events, found = self.events, self.histograms()
        return events.engine.arrow(events.query) if events is not None else found

    @check_arguments(skip=("self",))
    def release(
        self,
        out: str | os.PathLike[str],
        *,
        keys: str | os.PathLike[str] | None = None,
        audit: str | os.PathLike[str] | None = None,
    ) -> dict[str, Any]:
        """
        Write the release under new random ids, and return the content of its ``release.json``.

        ``out`` is a folder or a file in it. ``keys`` is a new file, to be kept secret, that maps
        new ids to original ones. ``audit`` is the folder of an audit that tried the same
        protections; the risk it measured is included in ``release.json``. If a protection is
        random, call `protect` with a seed that cannot be guessed.
        """
        from trailprint.workflows.release import place_release, write_release
        from trailprint.workflows.release_risk import read_risk

        events = self.protected.events
        engine = default_engine() if events is None else events.engine
        risk = None if audit is None else read_risk(audit, self.protections, engine)
        return write_release(self, place_release(out, keys), engine, risk)

    def to_dict(self) -> dict[str, Any]:
        """Return the protections and their loss as plain values; no identifiers."""
        return {
            "applied": describe_chain(self.protections),
            **asdict(self.protected.loss),
            **self.protected.facts,
            "released": "events" if self.events is not None else "histograms",
            "tasks": None if self.protected.tasks is None else asdict(self.protected.tasks),
            "singling_out": self.singling_out.to_dict(),
            "notes": notes(self.protections),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TradeOffResult(Result):
    """Risk and loss along one parameter."""

    protections: tuple[Protection, ...]
    options: SweepOptions
    frontier: Frontier

    def _shown(self) -> dict[str, object]:
        return {
            "applied": Words(" then ".join(step.name for step in self.protections)),
            "parameter": Words(self.options.parameter),
            "points": len(self.frontier.points),
        }

    def _makers(self) -> Makers:
        return {"sweep": lambda: ResultTable.from_rows("sweep", self._rows())}

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        line = ("information_loss", "user_accuracy")
        return {"sweep": lambda: draw_line(self._rows(), *line, label="value")}

    def _rows(self) -> list[dict[str, Any]]:
        """One row for each point: the value, the loss and the remaining risk."""
        name = self.options.parameter
        return [
            {
                "value": str(point.parameters.get(name, "")),
                **asdict(point.loss),
                "user_accuracy": point.strongest.user_accuracy,
                "cluster_accuracy": point.strongest.cluster_accuracy,
                "chance": point.strongest.chance,
                **({} if point.tasks is None else asdict(point.tasks)),
            }
            for point in self.frontier.points
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the points as plain values; no identifiers."""
        target = self.frontier.target
        return {
            "applied": describe_chain(self.protections),
            "parameter": self.options.parameter,
            "people": self.frontier.n_people,
            "sweep": [_point(point) for point in self.frontier.points],
            "left_out": [asdict(value) for value in self.frontier.left_out],
            "target_risk": self.options.target_risk,
            "target": None if target is None else _point(target),
            "searched": [_point(point) for point in self.frontier.searched],
            "notes": notes(self.protections),
        }


@check_arguments(skip=("protections",))
@shows_progress
@runs_passes_on_engine
def protect(
    events: Source,
    protections: Protection | str | Sequence[Protection | str],
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    seed: int = 0,
    counting: HistogramOptions | None = None,
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> ProtectResult:
    """
    Apply protections to a dataset, in order.

    Parameters
    ----------
    events : Events, path or table
        The data to be released.
    protections : Protection, str or a sequence of them
        Protections as text such as ``"microaggregate:k=10"``, several joined by `` then ``, or as
        objects, which `trailprint.protections.registry.parse_protection` makes of the text of one.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    seed : int
        Seed of all random choices. Keep it secret: anyone who knows it can remove the noise.
    counting : HistogramOptions, optional
        What histograms count.
    engine : EngineOptions or {"local", "spark"}, optional
        Engine that runs the passes over all people. Does not affect results.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate.campus import CampusOptions, simulate_campus
    >>> campus = tp.read(simulate_campus(CampusOptions(n_users=20, n_days=14)))
    >>> result = tp.protect(campus, "top-locations:n=10")
    >>> tp.inspect(result.events).locations
    10
    >>> round(result.to_dict()["events_kept"], 2)
    0.8
    """
    announce_compilation()
    (progress or ignore_progress)("Reading", None)
    (events,) = open_places([events], reading, places)
    chain = read_chain(protections, events.engine)
    announce_protect(events, chain, counting, (engine, n_threads))
    protected = apply_protections(
        events, chain, seed=seed, counting=counting, n_threads=n_threads, progress=progress
    )
    (progress or ignore_progress)("Comparing whole traces", None)
    return ProtectResult(
        protections=chain,
        protected=protected,
        singling_out=compare_sharing(events, protected.events, protected.histograms),
    )


@check_arguments(skip=("protections",))
@shows_progress
@runs_on_engine
def trade_off(
    released: Source,
    auxiliary: Source,
    protections: Protection | str | Sequence[Protection | str],
    options: SweepOptions,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    counting: HistogramOptions | None = None,
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> TradeOffResult:
    """
    Sweep one parameter of a chain of protections; see `SweepOptions`.

    Each value is judged by every attack family that the data allows; the strongest counts.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        The data to be published, and what an adversary might know.
    protections : Protection, str or a sequence of them
        Protections as objects or as text such as ``"microaggregate:k=10"``.
    options : SweepOptions
        The parameter, its values, and how they are judged.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    counting : HistogramOptions, optional
        What histograms count.
    engine : EngineOptions or {"local", "spark"}, optional
        Engine that runs the passes over all people. Does not affect results.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate import CampusOptions, simulate_campus
    >>> campus = simulate_campus(CampusOptions(n_users=20, n_days=14))
    >>> sides = tp.split(campus, tp.SplitOptions(at="median"))
    >>> from trailprint.options import SweepOptions
    >>> from trailprint.workflows import trade_off
    >>> options = SweepOptions(parameter="k", values=(2, 5))
    >>> found = trade_off(sides.released, sides.auxiliary, "microaggregate", options)
    >>> found.table("sweep").to_arrow()["value"].to_pylist()
    ['2', '5']
    """
    announce_compilation()
    released, auxiliary = open_places([released, auxiliary], reading, places)
    chain = read_chain(protections, released.engine)
    announce_trade_off((released, auxiliary), chain, options, counting, (engine, n_threads))
    frontier = sweep(
        released,
        auxiliary,
        chain,
        options,
        counting=counting,
        judges=list_judges(
            with_locations(released),
            with_locations(auxiliary),
            seed=options.seed,
            n_threads=n_threads,
        ),
        n_threads=n_threads,
        progress=progress,
    )
    return TradeOffResult(protections=chain, options=options, frontier=frontier)


def tabulate(histograms: Histograms) -> pa.Table:
    """Return histograms as rows of user, location and share."""
    matrix = histograms.probabilities()
    user = np.repeat(np.arange(histograms.n_users), np.diff(matrix.indptr))
    return pa.table(
        {
            "user": histograms.users.take(pa.array(user)),
            "location": histograms.locations.take(pa.array(matrix.indices)),
            "share": pa.array(matrix.data),
        }
    )


def notes(protections: Sequence[Protection]) -> list[str]:
    """Return notes on these protections for the reader, as sentences."""
    found = []
    if any(step.is_public for step in protections):
        found.append(
            "Public maps (coarsening, lists of locations, weekdays) are known to an adversary: "
            "where risk is measured they change both sides."
        )
    if any(step.is_random for step in protections):
        found.append(
            "What was drawn follows from the seed: choose one nobody can guess, and keep it "
            "to yourself."
        )
    return found


def _point(point: Point) -> dict[str, Any]:
    strongest = asdict(point.strongest)
    return {
        "parameters": dict(point.parameters),
        **asdict(point.loss),
        **{name: strongest[name] for name in strongest},
        "attacks": [
            {
                "attack": done.attack,
                "family": done.family,
                "people": done.people,
                "user_accuracy": done.user_accuracy,
                "cluster_accuracy": done.cluster_accuracy,
            }
            for done in point.attacks
        ],
        "not_judged": [asdict(refused) for refused in point.not_judged],
        "smallest_group": point.groups.smallest,
        "tasks": None if point.tasks is None else asdict(point.tasks),
        "singling_out": [plain_sharing(one) for one in point.singling_out],
        **{name: value for name, value in point.facts.items() if name != "privacy_statement"},
    }
