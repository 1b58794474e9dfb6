"""
Reproduce the papers' tables and figures, and compare their numbers with ours.

Examples
--------
>>> from trailprint.reproduce import Reproduction, reproduce
>>> (found,) = reproduce("2005-figure-11")
>>> isinstance(found, Reproduction), found.experiment.name
(True, '2005-figure-11')
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trailprint.arguments import check_arguments
from trailprint.events.options import ReadOptions
from trailprint.papers.experiment import Context, Experiment, Reproduction
from trailprint.papers.registry import choose, experiments
from trailprint.papers.run import check_before, find_data, parse_settings, run_experiments
from trailprint.progress import Progress, shows_progress
from trailprint.system.addresses import readable_path
from trailprint.workflows.measuring import announce_compilation

__all__ = ["Reproduction", "list_experiments", "reproduce"]

Place = str | os.PathLike[str]


def list_experiments() -> list[Experiment]:
    """
    Return all experiments, in the order of the papers.

    Examples
    --------
    >>> from trailprint.reproduce import list_experiments
    >>> sorted({one.paper for one in list_experiments()})[0]
    'Malin 2005'
    """
    return list(experiments().values())


@check_arguments()
@shows_progress
def reproduce(
    names: str | Sequence[str],
    *,
    data: Place | None = None,
    reading: ReadOptions | None = None,
    settings: Mapping[str, str] | None = None,
    full: bool = False,
    name_locations: bool = False,
    out: Place | None = None,
    seed: int = 0,
    n_threads: int | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> list[Reproduction]:
    """
    Run experiments of the papers, on simulated people or on your own copies of the data.

    Parameters
    ----------
    names : str or sequence of str
        Names of `list_experiments`, a paper's year, or ``all``.
    data : path, optional
        A folder with your own copies of the papers' data; missing data is simulated.
    reading : ReadOptions, optional
        How your copies are read.
    settings : mapping, optional
        Changes to the experiments' settings.
    full : bool
        Use the papers' sizes, which may take long.
    name_locations : bool
        Draw maps of the places; without it, no output shows a position.
    out : path, optional
        A folder for page, tables and JSON; each table is written as soon as it is ready.
    seed, n_threads, memory
        Seed of every random choice; limits that do not affect results.
    progress : callable, optional
        Called with what is being done and the share of all work that is done.

    Examples
    --------
    >>> from trailprint.reproduce import reproduce
    >>> (found,) = reproduce("2005-figure-11")
    >>> found.population
    'simulated'
    """
    wanted = choose([names] if isinstance(names, str) else names)
    found = {} if data is None else find_data(Path(readable_path(str(data))), wanted)
    changed = parse_settings([f"{key}={value}" for key, value in (settings or {}).items()], wanted)
    context = Context(
        seed=seed,
        full=full,
        name_locations=name_locations,
        data=found,
        reading=reading or ReadOptions(),
        settings=changed,
        n_threads=n_threads,
        memory=memory,
        progress=progress,
    )
    check_before(wanted, context)
    finished = None if out is None else _folder(out)
    announce_compilation()
    return run_experiments(wanted, context, finished)


def _folder(out: Place) -> Callable[[Reproduction], None]:
    from trailprint.report.papers_files import ResultFolder

    return ResultFolder(out).add
