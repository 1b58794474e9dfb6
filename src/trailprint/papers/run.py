"""Run experiments one after another, on the user's own data if there is any."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trailprint.errors import InputError, OptionError, SourceError, reason_of
from trailprint.papers.comparison import Comparison
from trailprint.papers.experiment import (
    SOURCES,
    Context,
    Experiment,
    ExperimentOutcome,
    Population,
    Reproduction,
)
from trailprint.progress import Progress


def find_data(folder: Path, wanted: Iterable[Experiment]) -> dict[str, Path]:
    """
    Find the user's own copies of the papers' datasets.

    ``folder`` holds files or folders named as in ``SOURCES``, with any extension. If all
    experiments use one and the same dataset, it may be that dataset itself.
    """
    needed = sorted({source for each in wanted for source in each.sources})
    if not os.path.exists(folder):
        raise SourceError(
            f"--data must name a folder or file that exists, got {str(folder)!r}.", option="data"
        )
    if not needed:
        raise OptionError(
            "--data was given, but these experiments need none. Leave it out.", option="data"
        )
    try:
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise SourceError(
            f"--data must name a folder that can be read, got {str(folder)!r}: {reason_of(error)}.",
            option="data",
        ) from None
    found = {entry.name.split(".")[0]: entry for entry in reversed(entries)}
    copies = {source: found[source] for source in needed if source in found}
    if copies or len(needed) > 1 or any(source in found for source in SOURCES):
        return _check_found(copies, needed, folder)
    return {needed[0]: folder}


def parse_settings(texts: Iterable[str], wanted: Iterable[Experiment]) -> dict[str, str]:
    """Parse ``NAME=VALUE`` texts; every name must be a setting of one of the experiments."""
    known = sorted({name for each in wanted for name in each.settings})
    settings = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator:
            raise OptionError(
                f"--set must look like NAME=VALUE, got {text!r} instead.", option="set"
            )
        if name.strip() not in known:
            allowed = f"one of {', '.join(known)}" if known else "left out: there are no settings"
            raise OptionError(
                f"--set must be {allowed} for these experiments, got {name!r}.", option="set"
            )
        settings[name.strip()] = value.strip()
    return settings


def check_before(wanted: Iterable[Experiment], context: Context) -> None:
    """Reject invalid limits and settings before anything is run."""
    context.engine()
    for check in dict.fromkeys(each.check for each in wanted):
        if check is not None:
            check(context)


def _check_found(copies: dict[str, Path], needed: Sequence[str], folder: Path) -> dict[str, Path]:
    if not copies:
        names = ", ".join(needed)
        raise SourceError(
            f"--data must hold a file or folder named like one of {names} (with any ending) for "
            f"these experiments, but {str(folder)!r} does not. See 'trailprint reproduce --list'.",
            option="data",
        )
    return copies


def run_experiments(
    wanted: Sequence[Experiment],
    context: Context,
    finished: Callable[[Reproduction], None] | None = None,
) -> list[Reproduction]:
    """
    Run experiments in the given order.

    Parameters
    ----------
    wanted : sequence of Experiment
        Experiments to run.
    context : Context
        Shared by all of them; its progress is called with the share of the whole run.
    finished : callable, optional
        Called with each result as soon as it is there, so that nothing is lost if one fails.

    If the user's own data do not suit an experiment, it is refused and the others go on; if all
    are refused, the first error is raised.
    """
    results: list[Reproduction] = []
    complaints: list[InputError] = []
    for number, experiment in enumerate(wanted):
        own = replace(context, progress=_part(context.progress, experiment, number, len(wanted)))
        try:
            result = run_experiment(experiment, own)
        except InputError as complaint:
            if _population(experiment, context.data) == "simulated":
                raise
            complaints.append(complaint)
            result = _refuse(experiment, own, complaint)
        results.append(result)
        if finished is not None:
            finished(result)
    if complaints and len(complaints) == len(wanted):
        raise complaints[0]
    return results


def run_experiment(experiment: Experiment, context: Context) -> Reproduction:
    """Run one experiment and record its population and running time."""
    context.report("Starting", 0.0)
    began = time.perf_counter()
    outcome = experiment.run(context)
    met = context.notes_on(experiment.sources)
    compared = [_as_it_stands(each, experiment, context.data) for each in outcome.comparisons]
    return Reproduction(
        experiment=experiment,
        outcome=replace(outcome, comparisons=compared, notes=(*outcome.notes, *met)),
        population=_population(experiment, context.data),
        full=context.full,
        seed=context.seed,
        seconds=round(time.perf_counter() - began, 3),
    )


def _refuse(experiment: Experiment, context: Context, complaint: InputError) -> Reproduction:
    """Return the result of an experiment that the user's own data do not suit."""
    reason = complaint.for_command_line()
    return Reproduction(
        experiment=experiment,
        outcome=ExperimentOutcome(rows=(), comparisons=(), reading=f"Not run: {reason}"),
        population=_population(experiment, context.data),
        full=context.full,
        seed=context.seed,
        seconds=0.0,
        refused=reason,
    )


def _as_it_stands(
    comparison: Comparison, experiment: Experiment, data: Mapping[str, Path]
) -> Comparison:
    """Mark whether the user's own data cover a figure's dataset, or all of the experiment's."""
    sources = experiment.sources if comparison.source is None else (comparison.source,)
    return comparison.on_own_data(bool(sources) and all(source in data for source in sources))


def _population(experiment: Experiment, data: Mapping[str, Path]) -> Population:
    owned = [source in data for source in experiment.sources]
    if not any(owned):
        return "simulated"
    return "your data" if all(owned) else "partly your data, partly simulated"


def _part(
    progress: Progress | None, experiment: Experiment, number: int, n_experiments: int
) -> Progress | None:
    """Scale the progress of one experiment to that of the whole run."""
    if progress is None:
        return None
    whole = progress

    def report(what: str, done: float | None) -> None:
        whole(f"{experiment.name}: {what}", (number + (done or 0.0)) / n_experiments)

    return report
