"""``trailprint correlate``: do order and timing of visits identify one known person?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from trailprint.attacks.options import CorrelateOptions
from trailprint.cli.groups import Given, Panel, argument, takes_options
from trailprint.cli.inputs import ScoreOptions, Scoring, SideInputs, open_events
from trailprint.cli.knowledge import Knowing, note_knowledge
from trailprint.cli.planning import Planning, print_plan
from trailprint.cli.present import percent, print_json, print_table
from trailprint.cli.progress import showing
from trailprint.cli.running import EnginePanel, Running
from trailprint.display.numbers import format_seconds
from trailprint.errors import OptionError
from trailprint.events.events import Events
from trailprint.events.knowledge import Knowledge
from trailprint.studies.options import FoldOptions

if TYPE_CHECKING:
    from trailprint.events.results import Result

EXAMPLE = "trailprint correlate campus.parquet --folds 10 --work models/"

_CORRELATE = "Correlation"


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitOptions:
    """
    Which visits count, and where models are stored.

    Attributes
    ----------
    min_duration : float, optional
        Minimum length of a visit in seconds.
    work : str, optional
        Keep models in this folder; go on from there.
    """

    min_duration: float | None = None
    work: str | None = None

    def long_enough(self, events: Events) -> Events:
        """Keep only visits of at least the minimum length."""
        from trailprint.events.filters import lasting

        return events if self.min_duration is None else lasting(events, self.min_duration)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlating:
    """How sequences are compared, and by which protocol."""

    options: Annotated[CorrelateOptions, Panel(_CORRELATE, without=("training", "seed"))]
    visits: Annotated[VisitOptions, Panel(_CORRELATE)]
    folds: Annotated[Given[FoldOptions], Panel(_CORRELATE)]

    def protocol(self) -> FoldOptions | None:
        """The cross-validation options; None without --folds."""
        if self.folds and "n_folds" not in self.folds.values:
            raise OptionError("--rounds goes with --folds.", option="rounds")
        return self.folds.options() if self.folds else None


@takes_options
def run(
    released: Annotated[str, argument("RELEASED", "What would be published.")],
    correlating: Correlating,
    knowing: Knowing,
    running: Running,
    scoring: Scoring,
    sides: SideInputs,
    where: EnginePanel,
    planning: Planning,
    auxiliary: Annotated[
        str | None,
        argument("AUXILIARY", "What an adversary might know; without it, --folds or a split."),
    ] = None,
) -> None:
    """Match a few days of a person's visits to a log: which record is theirs?"""
    from trailprint.workflows.correlate import correlate
    from trailprint.workflows.correlate_plan import plan_correlate, plan_correlate_folds
    from trailprint.workflows.folds import correlate_folds

    scoring.check(released, auxiliary)
    options = replace(correlating.options, seed=running.seed)
    visits, protocol = correlating.visits, correlating.protocol()
    knowledge = knowing.options(running.seed)
    if protocol is not None:
        _check_folds(auxiliary, sides, scoring, knowledge)
    engine = running.engine()
    how: dict[str, Any] = {"engine": where, "n_threads": running.threads}
    do_folds, do = (
        (plan_correlate_folds, plan_correlate) if planning.dry_run else (correlate_folds, correlate)
    )
    with showing(engine) as progress:
        if not planning.dry_run:
            how |= {"work": visits.work, "progress": progress}
        if protocol is not None:
            events = visits.long_enough(open_events(released, sides.reading, sides.shaping, engine))
            result: Any = do_folds(events, options, protocol, **how)
        else:
            both = sides.open(released, auxiliary, engine, seed=running.seed)
            if not planning.dry_run:
                how["truth"] = scoring.read_truth(engine)
            first, second = (visits.long_enough(side) for side in both)
            result = do(first, second, options, knows=knowledge, **how)
            if not planning.dry_run:
                scoring.write_links(result.links(), engine)
    _show(result, scoring.links, as_json=running.json)


def _show(result: Result, links: str | None, *, as_json: bool) -> None:
    """Print a plan or a result."""
    from trailprint.workflows.plans import WorkPlan

    if isinstance(result, WorkPlan):
        print_plan(result, as_json=as_json)
    elif as_json:
        print_json(result.to_dict())
    else:
        _print(result.to_dict(), links)


def _check_folds(
    auxiliary: str | None, sides: SideInputs, scoring: ScoreOptions, knowledge: Knowledge
) -> None:
    """Raise an error for options that cannot be combined with --folds."""
    if auxiliary or sides.splitting or scoring.truth or scoring.links:
        raise OptionError(
            "--folds takes one dataset on its own: no AUXILIARY, split, --truth or --links.",
            option="folds",
        )
    if knowledge.kind != "everything":
        raise OptionError(
            "--knows must be everything with --folds, where the part of the span left out and "
            f"--days say how much is known, got {str(knowledge)!r} instead. Try --at median.",
            option="knows",
        )


def _print(found: dict[str, Any], links: str | None) -> None:
    rows: list[tuple[str, object]] = [
        ("model", found["model"] + (", joint" if found["joint"] else "")),
        ("released users", found["released_users"]),
        ("auxiliary users", found["auxiliary_users"]),
    ]
    if found["folds"] is not None:
        rows.append(("rounds, of folds", f"{len(found['rounds'])} of {found['folds']}"))
    if found["truth"] != "none":
        rows += _rates(found)
    if found["model"] == "crf":
        rows += [
            ("models trained", found["models_trained"]),
            ("model runs", found["taggings"]),
            ("  of all pairs", percent(found["taggings"] / (found["taggings_all_pairs"] or 1))),
        ]
    seconds = found["seconds"]
    rows += [
        ("time for training", format_seconds(seconds["train"])),
        ("time for scoring", format_seconds(seconds["score"])),
        ("time in all", format_seconds(seconds["total"])),
    ]
    print_table("Sequence correlation", rows, _notes(found, links))


def _rates(found: dict[str, Any]) -> list[tuple[str, object]]:
    top, interval = found["top"], found["top1_interval"]
    rows: list[tuple[str, object]] = [
        ("pinned down to one", percent(top["1"])),
        ("  95 % interval", " to ".join(percent(x) for x in interval) if interval else "—"),
        ("  by chance", percent(found["chance"])),
    ]
    if found["histogram_top1"] is not None:
        rows.append(("  by histograms alone", percent(found["histogram_top1"])))
    rows += [(f"to {size} or fewer", percent(top[size])) for size in ("2", "5", "20")]
    rows += [
        ("median size of candidate set", found["mscis_median"]),
        ("right, taking the best candidate", percent(found["accuracy"])),
    ]
    return rows


def _notes(found: dict[str, Any], links: str | None) -> list[str]:
    notes = note_knowledge(found["knows"])
    if found["truth"] == "none":
        notes.append("No user id is on both sides and no --truth was given: nothing to score.")
    if found["periods_overlap"]:
        notes.append("The two periods overlap: the sides are not independent, the rate misleads.")
    if found["histogram_top1"] is not None and found["histogram_top1"] >= found["top"]["1"]:
        notes.append("Histograms alone do at least as well: the sequence model adds nothing here.")
    if links is not None:
        notes.append(f"Links written to {links}, readable by you only.")
    return notes
