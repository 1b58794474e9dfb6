"""``trailprint.trails``: trail matching from events to risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arguments import check_arguments
from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import check_tactics, match_trails
from trailprint.attacks.trail_facts import (
    LikelyFacts,
    TrailFacts,
    read_trail_facts,
    read_variant,
)
from trailprint.display.discreet import Words
from trailprint.display.plots import Plot
from trailprint.errors import InputError
from trailprint.evaluation.risk import Risk, measure_risk, show_risk
from trailprint.evaluation.tactics import ObservedTactics, observe_tactics
from trailprint.evaluation.truth import Truth, find_truth
from trailprint.events.knowledge import Knowledge, Known, open_knowledge, restrict
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, TruthSource, open_places, open_truth
from trailprint.events.results import Makers, Result, as_table
from trailprint.features.histograms import Histograms, build_histogram_pair
from trailprint.features.trails import Trails, trails_of
from trailprint.linkage import Linkage
from trailprint.progress import Progress, ignore_progress, shows_progress
from trailprint.workflows.location_weights import open_location_weights
from trailprint.workflows.measuring import Stopwatch, announce_compilation
from trailprint.workflows.risk_plots import plot_risk


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrailResult(Result):
    """
    Result of trail matching, with its assumptions.

    ``observed`` and ``risk`` are None without truth. Only ``links()`` shows who was linked.
    """

    released: Trails
    auxiliary: Trails
    n_unshared_locations: tuple[int, int]
    n_duplicate_tuples: tuple[int, int]
    linkage: Linkage
    tactics_possible: Mapping[str, bool]
    truth: Truth
    observed: ObservedTactics | None
    risk: Risk | None
    knows: Known = field(default_factory=Known)
    seconds: Mapping[str, float] = field(default_factory=dict)

    def _shown(self) -> dict[str, object]:
        return {
            "algorithm": Words(read_variant(self.linkage).algorithm),
            "released": self.released.n_users,
            "auxiliary": self.auxiliary.n_users,
            "links": self.linkage.n_links,
            **show_risk(self.risk),
        }

    @property
    def options(self) -> TrailOptions:
        """The options used, with open choices resolved."""
        return read_variant(self.linkage).to_options()

    @property
    def _trail_facts(self) -> TrailFacts:
        return read_trail_facts(self.linkage)

    @property
    def assumptions_hold(self) -> bool | None:
        """Whether the assumed release tactic is the actual one; None if unknown."""
        if self.options.is_likely:
            return None
        if self.observed is not None:
            return self.observed.holds[self._trail_facts.reserved]
        return False if self._trail_facts.contradicted else None

    @property
    def guaranteed(self) -> bool | None:
        """
        Whether no link can be wrong: True if the truth confirms the assumed release tactic.

        False if the data or the truth contradicts it, and for likely counterparts; None if nothing
        contradicts it but there is no truth to confirm it.
        """
        if self.options.is_likely:
            return False
        return False if self._trail_facts.contradicted else self.assumptions_hold

    def links(self) -> pa.Table:
        """Return who is linked to whom: released, auxiliary (sensitive)."""
        return pa.table(
            {
                "released": self.released.users.take(pa.array(self.linkage.released)),
                "auxiliary": self.auxiliary.users.take(pa.array(self.linkage.auxiliary)),
            }
        )

    def _makers(self) -> Makers:
        return {"links": as_table("links", self.links)}

    def _plots(self) -> Mapping[str, Callable[[], Plot]]:
        risk = self.risk
        return {} if risk is None else {"risk": lambda: plot_risk(risk)}

    def to_dict(self) -> dict[str, Any]:
        """Return counts, rates and assumptions as plain values, ready for JSON; no identifiers."""
        risk, facts = self.risk, self._trail_facts
        likely = facts if isinstance(facts, LikelyFacts) else None
        return {
            "algorithm": facts.algorithm,
            "reserved": facts.reserved,
            "released": self.released.n_users,
            "auxiliary": self.auxiliary.n_users,
            "locations": len(self.auxiliary.locations),
            "knows": self.knows.to_dict(),
            "unshared_locations": _both(self.n_unshared_locations),
            "null_trails": _both((self.released.n_null, self.auxiliary.n_null)),
            "reidentified": self.linkage.n_links,
            "truth": self.truth.source,
            "common": self.truth.n_common,
            "correct": risk and risk.n_correct,
            "accuracy": risk and risk.accuracy,
            "accuracy_interval": risk and risk.accuracy_interval and list(risk.accuracy_interval),
            "precision": risk and risk.precision,
            "chance": risk and risk.chance,
            "agreement": likely and likely.agreement,
            "expected_precision": likely and likely.expected_precision,
            "upper_bound": facts.upper_bound,
            "assumptions_hold": self.assumptions_hold,
            "contradicted": facts.contradicted,
            "guaranteed": self.guaranteed,
            "assumptions": {
                "truthful": "assumed (2.1): every entry stems from a visit",
                "unique_tuples": not any(self.n_duplicate_tuples),
                "duplicate_tuples": _both(self.n_duplicate_tuples),
                "traceable": "assumed (2.3): the same entry is the same entity everywhere",
                "tactics_possible": self.tactics_possible,
                "tactics_observed": self.observed and asdict(self.observed),
                "trails_without_counterpart": facts.trails_without_counterpart,
            },
            "seconds": dict(self.seconds),
        }


def _both(values: tuple[int, int]) -> dict[str, int]:
    return {"released": values[0], "auxiliary": values[1]}


@check_arguments()
@shows_progress
def trails(
    released: Source,
    auxiliary: Source,
    options: TrailOptions | None = None,
    *,
    knows: Knowledge | str | None = None,
    location_weights: TruthSource | None = None,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    truth: TruthSource | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> TrailResult:
    """
    Match two tracks by the sets of locations their entries appear at.

    Parameters
    ----------
    released, auxiliary : Events, path or table
        Who is listed at which location: pseudonyms on the released side, names on the auxiliary
        side.
    options : TrailOptions, optional
        Algorithm and release tactic; by default what the data allows.
    knows : Knowledge or str, optional
        How much of the auxiliary side is known about each person, such as ``"top:2"``; by default
        everything.
    location_weights : path or table, optional
        Weights of locations in columns ``location`` and ``weight``: with ``likely``, the evidence
        of a location is multiplied by its weight. Locations not named have weight 1; locations of
        weight 0 are ignored.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions alone go on a grid of 1,000 m.
    truth : path or table, optional
        Pairs of ids in columns ``released`` and ``auxiliary``; by default equal ids are the same
        person. Several people may share a pseudonym.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with a description of the step and the share that is done.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import trailprint as tp
    >>> pseudonyms = pa.table({"user": ["p1", "p1", "p2"], "location": ["ward", "clinic", "ward"]})
    >>> names = pa.table({"user": ["n1", "n1", "n2"], "location": ["ward", "clinic", "ward"]})
    >>> result = tp.trails(pseudonyms, names)
    >>> result.to_dict()["reidentified"]
    2
    """
    announce_compilation()
    options = options or TrailOptions()
    report = progress or ignore_progress
    watch = Stopwatch()
    report("Counting entries", None)
    first, second = open_places([released, auxiliary], reading, places)
    second, known_of_each = restrict(second, open_knowledge(knows))
    histograms = build_histogram_pair(first, second)
    watch.lap("read")
    sides, n_unshared = _share_locations(histograms)
    pairs = open_truth(truth, first.engine)
    known = find_truth(sides[0].users, sides[1].users, pairs, one_to_one=False)
    watch.lap("build")
    report("Matching trails (the first run on a machine compiles for some seconds)", None)
    weights = open_location_weights(location_weights, sides[0].locations, first.engine)
    linkage = match_trails(*sides, options, location_weights=weights, n_threads=n_threads)
    watch.lap("link")
    return TrailResult(
        released=sides[0],
        auxiliary=sides[1],
        n_unshared_locations=n_unshared,
        n_duplicate_tuples=(_repeats(histograms[0]), _repeats(histograms[1])),
        linkage=linkage,
        tactics_possible=check_tactics(*sides, n_threads),
        truth=known,
        observed=None if known.source == "none" else observe_tactics(*sides, known),
        risk=measure_risk(linkage, known),
        knows=known_of_each,
        seconds=watch.seconds(),
    )


def _repeats(histograms: Histograms) -> int:
    """Number of entries that repeat an earlier one at the same location."""
    return int(histograms.matrix.data.sum()) - int(histograms.matrix.nnz)


def _share_locations(
    histograms: tuple[Histograms, Histograms],
) -> tuple[tuple[Trails, Trails], tuple[int, int]]:
    """Keep only the locations that both sides have, and count the others on each side."""
    first, second = (trails_of(side) for side in histograms)
    seen = first.visitors > 0, second.visitors > 0
    shared = seen[0] & seen[1]
    if not shared.any():
        raise InputError(
            "Both sides must have locations in common, but they share none. "
            "Are the locations named alike on both?"
        )
    n_unshared = int((seen[0] & ~shared).sum()), int((seen[1] & ~shared).sum())
    return (_only(first, shared), _only(second, shared)), n_unshared


def _only(side: Trails, shared: np.ndarray) -> Trails:
    """Restrict trails to the shared locations, renumbered."""
    kept = side.at(shared)
    number = np.cumsum(shared) - 1
    return Trails(
        indptr=kept.indptr,
        indices=number[kept.indices].astype(np.int32),
        users=kept.users,
        locations=pc.filter(kept.locations, pa.array(shared)),
    )
