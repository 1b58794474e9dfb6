"""``plan_match``: what a matching will need, before it is begun."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from trailprint.arguments import check_arguments
from trailprint.attacks.options import MatchOptions
from trailprint.attacks.planning import survey_histograms
from trailprint.display.numbers import to_finite
from trailprint.engines.options import EngineName, EngineOptions, choose_engine
from trailprint.events.knowledge import Knowledge, open_knowledge, restrict
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, open_places
from trailprint.features.histograms import build_histogram_pair
from trailprint.features.options import HistogramOptions
from trailprint.kernels.threads import available_threads
from trailprint.workflows.results import Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatchPlan(Result):
    """
    What a matching will need, estimated from a few people.

    Attributes
    ----------
    released_users, auxiliary_users, locations : int
        What was counted.
    pairs : float
        Pairs of people who share a location.
    passes : float
        How often all pairs are looked at, about.
    driver_memory_mb, worker_memory_mb : float
        Memory for arrays, of this process and of one executor on Spark; libraries, and what
        reading needs, come on top.
    core_seconds : float
        What the passes take one core.
    cores : int, optional
        Cores that share them; None on Spark, which is not asked.
    seconds : float, optional
        What they take all cores; None where these are not known.
    """

    engine: EngineName
    released_users: int
    auxiliary_users: int
    locations: int
    pairs: float
    passes: float
    driver_memory_mb: float
    worker_memory_mb: float
    core_seconds: float
    cores: int | None
    seconds: float | None

    def _shown(self) -> dict[str, object]:
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        plain: dict[str, Any] = to_finite(asdict(self))
        return plain


@check_arguments()
def plan_match(
    released: Source,
    auxiliary: Source,
    options: MatchOptions | None = None,
    *,
    histograms: HistogramOptions | None = None,
    knows: Knowledge | str | None = None,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    engine: EngineOptions | EngineName = "local",
    n_threads: int | None = None,
) -> MatchPlan:
    """
    Estimate what `trailprint.match` with the same arguments needs; nothing is matched.

    Events are read and counted. A few people are then compared with all others, on one core.
    """
    options = options or MatchOptions()
    first, second = open_places([released, auxiliary], reading, places)
    second, _ = restrict(second, open_knowledge(knows, options.seed))
    pair = build_histogram_pair(first, second, histograms)
    survey = survey_histograms(*pair, options)
    name = choose_engine(engine).engine
    cores = None if name == "spark" else n_threads or available_threads()
    return MatchPlan(
        engine=name,
        released_users=pair[0].n_users,
        auxiliary_users=pair[1].n_users,
        locations=pair[0].n_locations,
        pairs=round(survey.n_pairs),
        passes=survey.n_passes,
        driver_memory_mb=survey.driver_bytes / 1e6,
        worker_memory_mb=survey.worker_bytes / 1e6,
        core_seconds=survey.core_seconds,
        cores=cores,
        seconds=None if cores is None else survey.core_seconds / cores,
    )
