"""The audit: all possible attacks, controls, growth, protections and causes, in one result."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from trailprint.arguments import check_arguments
from trailprint.audit.options import AuditOptions
from trailprint.engines.options import EngineName, EngineOptions
from trailprint.events.options import ReadOptions
from trailprint.events.places.placing import PlaceOptions
from trailprint.events.reading.sources import Source, TruthSource, open_places, open_truth
from trailprint.progress import Progress, shows_progress
from trailprint.store import Store
from trailprint.workflows.engines import runs_on_engine

if TYPE_CHECKING:
    from trailprint.audit.planning.plan import Plan
    from trailprint.audit.result import AuditResult

__all__ = ["AuditOptions", "audit"]


@check_arguments(unseen=("Plan", "AuditResult"))
@shows_progress
@runs_on_engine
def audit(
    released: Source,
    auxiliary: Source | None = None,
    options: AuditOptions | None = None,
    *,
    reading: ReadOptions | None = None,
    places: PlaceOptions | None = None,
    truth: TruthSource | None = None,
    store: Store | None = None,
    prepared: str | os.PathLike[str] | None = None,
    engine: EngineOptions | EngineName | None = None,
    n_threads: int | None = None,
    progress: Progress | None = None,
    on_plan: Callable[[Plan], None] | None = None,
) -> AuditResult:
    """
    Find out how many people could be re-identified, why, and what protecting them would cost.

    Parameters
    ----------
    released : Events, path or table
        The data to be published. Without ``auxiliary`` it is cut in two, and one half plays the
        adversary's data.
    auxiliary : Events, path or table, optional
        Data that an adversary might have.
    options : AuditOptions, optional
        Attacks, protections, limits.
    reading : ReadOptions, optional
        How to read sources that are not yet events.
    places : PlaceOptions, optional
        What counts as one place; positions without locations are put on a grid of 1,000 m.
    truth : path or table, optional
        Pairs of ids in columns ``released`` and ``auxiliary``; by default, equal ids mean the
        same person.
    store : Store, optional
        Keeps finished parts, so that an interrupted audit can be resumed.
    prepared : path, optional
        Folder to keep the prepared events in, readable by you only. The next audit of the same
        files, read and cut in the same way, starts from them. Only for data given as paths.
    engine : EngineOptions or {"local", "spark"}, optional
        What runs the passes over all people. Does not affect results.
    n_threads : int, optional
        Number of threads. Does not affect results.
    progress : callable, optional
        Called with what is being done and the share of the audit that is done.
    on_plan : callable, optional
        Called with the plan before the work starts.

    Returns
    -------
    AuditResult
        Displays itself in notebooks; ``to_dict()`` returns the content of ``result.json``.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate.campus import CampusOptions, simulate_campus
    >>> campus = tp.read(simulate_campus(CampusOptions(n_users=20, n_days=14)))
    >>> options = tp.AuditOptions(attacks="trail", protections="top-locations:n=5")
    >>> found = tp.audit(campus, options=options).to_dict()
    >>> print(found["headline"]["sentence"].split(" could ")[0])
    Fewer than 10 of 20 people (at most 45.0 %)
    """
    from trailprint.audit.prepared import keep_prepared
    from trailprint.audit.run import Asked, run_audit
    from trailprint.workflows.measuring import announce_compilation

    announce_compilation()
    options = options or AuditOptions()
    given = [released] if auxiliary is None else [released, auxiliary]
    how = {"reading": reading, "places": places, "truth": truth}
    paths = _name_paths(released, auxiliary, truth) if reading is None and places is None else {}
    with keep_prepared(prepared, given, how, options) as kept:
        is_there = kept is not None and kept.found is not None
        sides = [] if is_there else open_places(given, reading, places)
        pairs = None if is_there else open_truth(truth, sides[0].engine)
        return run_audit(
            Asked(sides=sides, truth=pairs, options=options, paths=paths),
            store=store,
            prepared=kept,
            n_threads=n_threads,
            progress=progress,
            on_plan=on_plan,
        )


def _name_paths(
    released: Source, auxiliary: Source | None, truth: TruthSource | None
) -> dict[str, str]:
    """
    Return the sources as the command names them; none if one is not a path.

    Only for sources that are read without options: the command would read them differently.
    """
    named = {"data": released, "auxiliary": auxiliary, "truth": truth}
    given = {name: source for name, source in named.items() if source is not None}
    if not all(isinstance(source, str | os.PathLike) for source in given.values()):
        return {}
    return {name: os.fspath(source) for name, source in given.items()}
