"""``trailprint correlate``: do order and timing of visits identify one known person?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from trailprint.cli.flags import (
    ReadFlags,
    RunFlags,
    ScoreFlags,
    ShapeFlags,
    SplitFlags,
    open_events,
    open_sides,
)
from trailprint.cli.groups import argument, option, takes
from trailprint.cli.present import percent, print_json, print_table
from trailprint.cli.progress import announce_compilation, showing
from trailprint.display.numbers import format_seconds
from trailprint.errors import OptionError
from trailprint.events.events import Events

EXAMPLE = "trailprint correlate campus.parquet --folds 10 --work models/"

_CORRELATE = "Correlation"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelateFlags:
    """How sequences are compared, and by which protocol."""

    model: Annotated[
        str,
        option(
            "--model",
            help="crf (default), distance, markov, mobility-markov, histogram.",
            panel=_CORRELATE,
        ),
    ] = "crf"
    days: Annotated[
        int | None,
        option("--days", help="Number of days somebody knows, from the first.", panel=_CORRELATE),
    ] = None
    joint: Annotated[
        bool,
        option("--joint", help="Each released user is taken at most once.", panel=_CORRELATE),
    ] = False
    all_pairs: Annotated[
        bool,
        option("--all-pairs", help="Run every model over everybody, as a check.", panel=_CORRELATE),
    ] = False
    duration_edges: Annotated[
        str | None,
        option(
            "--duration-edges", help="Where durations are parted: seconds, 300,…", panel=_CORRELATE
        ),
    ] = None
    min_duration: Annotated[
        float | None,
        option("--min-duration", help="Minimum length of a visit in seconds.", panel=_CORRELATE),
    ] = None
    folds: Annotated[
        int | None,
        option(
            "--folds",
            help="Number of bins, each left out in turn.",
            panel=_CORRELATE,
        ),
    ] = None
    rounds: Annotated[
        int | None,
        option("--rounds", help="With --folds: number of rounds.", panel=_CORRELATE),
    ] = None
    work: Annotated[
        str | None,
        option("--work", help="Keep models in this folder; go on from there.", panel=_CORRELATE),
    ] = None


@takes(RunFlags, CorrelateFlags, ScoreFlags, SplitFlags, ReadFlags, ShapeFlags)
def run(
    released: Annotated[str, argument("RELEASED", "What would be published.")],
    running: RunFlags,
    correlating: CorrelateFlags,
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    scoring: ScoreFlags,
    auxiliary: Annotated[
        str | None,
        argument("AUXILIARY", "What somebody might know; without it, --folds or a split."),
    ] = None,
) -> None:
    """Correlate a person's few days of visits with a log: who in it is that?"""
    from trailprint.workflows.correlate import correlate, correlate_folds

    scoring.check(released, auxiliary)
    options, protocol = _options(correlating, running.seed)
    if protocol is not None and (auxiliary or _is_cut(splitting) or scoring.truth or scoring.links):
        raise OptionError(
            "--folds takes one dataset on its own: no AUXILIARY, split, --truth or --links."
        )
    announce_compilation()
    engine = running.engine()
    with showing(engine) as progress:
        if protocol is not None:
            events = _lasting(open_events(released, reading, shaping, engine), correlating)
            found = correlate_folds(
                events,
                options,
                protocol,
                work=correlating.work,
                n_threads=running.threads,
                progress=progress,
            ).to_dict()
        else:
            sides = open_sides((released, auxiliary), splitting, reading, shaping, running, engine)
            result = correlate(
                _lasting(sides[0], correlating),
                _lasting(sides[1], correlating),
                options,
                truth=scoring.read_truth(engine),
                work=correlating.work,
                n_threads=running.threads,
                progress=progress,
            )
            scoring.write_links(result.links(), engine)
            found = result.to_dict()
    if running.json:
        print_json(found)
    else:
        _print(found, scoring.links)


def _is_cut(splitting: SplitFlags) -> bool:
    """Whether anything was said of a split, be it only who is kept on its sides."""
    return splitting != SplitFlags()


def _options(correlating: CorrelateFlags, seed: int) -> tuple[Any, Any]:
    from trailprint.attacks.options import CorrelateOptions
    from trailprint.features.options import DURATION_EDGES_S
    from trailprint.studies.options import FoldOptions

    if correlating.rounds is not None and correlating.folds is None:
        raise OptionError("--rounds goes with --folds.")
    edges: tuple[float, ...] = DURATION_EDGES_S
    if correlating.duration_edges is not None:
        if correlating.model != "crf":
            raise OptionError("--duration-edges goes with --model crf: no other has classes.")
        edges = _numbers(correlating.duration_edges)
    options = CorrelateOptions(
        model=correlating.model,  # type: ignore[arg-type]
        duration_edges_s=edges,
        days=correlating.days,
        joint=correlating.joint,
        all_pairs=correlating.all_pairs,
        seed=seed,
    )
    if correlating.folds is None:
        return options, None
    return options, FoldOptions(n_folds=correlating.folds, n_rounds=correlating.rounds)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"--duration-edges must be seconds such as 300,1800,7200, got {text!r} instead."
        ) from None


def _lasting(events: Events, correlating: CorrelateFlags) -> Events:
    from trailprint.events.filters import lasting

    if correlating.min_duration is None:
        return events
    return lasting(events, correlating.min_duration)


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
    notes = []
    if found["truth"] == "none":
        notes.append("No user id is on both sides and no --truth was given: nothing to score.")
    if found["periods_overlap"]:
        notes.append("The two periods overlap: the sides are not independent, the rate misleads.")
    if found["histogram_top1"] is not None and found["histogram_top1"] >= found["top"]["1"]:
        notes.append("Histograms alone do at least as well: the sequence model adds nothing here.")
    if links is not None:
        notes.append(f"Links written to {links}, readable by you only.")
    return notes
