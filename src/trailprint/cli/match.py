"""``trailprint match``: do habits identify people across two datasets?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from trailprint.cli.flags import (
    ReadFlags,
    RunFlags,
    ScoreFlags,
    ShapeFlags,
    SplitFlags,
    open_sides,
)
from trailprint.cli.groups import argument, option, takes
from trailprint.cli.present import percent, print_json, print_rows, print_table, show
from trailprint.cli.progress import announce_compilation, showing
from trailprint.display.numbers import format_seconds
from trailprint.errors import OptionError

EXAMPLE = "trailprint match released.parquet auxiliary.parquet --margins"

_MATCH = "Matching"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFlags:
    """How histograms are compared and matched."""

    metric: Annotated[
        str,
        option(
            "--metric", help="jensen-shannon (default), l1, cosine, dot, likelihood.", panel=_MATCH
        ),
    ] = "jensen-shannon"
    method: Annotated[
        str,
        option("--method", help="joint: all at once (default); one-by-one.", panel=_MATCH),
    ] = "joint"
    direction: Annotated[
        str,
        option("--direction", help="One-by-one: look up released or auxiliary.", panel=_MATCH),
    ] = "released"
    size: Annotated[int | None, option("--size", help="Number of links to make.", panel=_MATCH)] = (
        None
    )
    gap: Annotated[
        float,
        option("--gap", help="Stop within this share of the best (0: exact).", panel=_MATCH),
    ] = 0.0
    weight: Annotated[
        str,
        option("--weight", help="visits (default), duration or day-balanced.", panel=_MATCH),
    ] = "visits"
    slots: Annotated[
        str,
        option("--slots", help="A histogram for each weekday, weekend or four-hour.", panel=_MATCH),
    ] = "none"
    views: Annotated[
        str | None,
        option(
            "--views",
            help="Look from several sides at once: all, or names such as visits,days,moves.",
            panel=_MATCH,
        ),
    ] = None
    view_weights: Annotated[
        str,
        option(
            "--view-weights",
            help="With --views: learnt from the auxiliary side (default), equal, or NAME=WEIGHT,…",
            panel=_MATCH,
        ),
    ] = "learnt"
    same_period: Annotated[
        bool,
        option(
            "--same-period",
            help="With --views: the sides are different sources about the same days.",
            panel=_MATCH,
        ),
    ] = False
    margins: Annotated[
        bool,
        option("--margins", help="How much worse the matching is without each link.", panel=_MATCH),
    ] = False
    precision: Annotated[
        float | None,
        option("--precision", help="The margin that reaches this precision.", panel=_MATCH),
    ] = None
    reject_lambda: Annotated[
        float | None,
        option(
            "--reject-lambda", help="Answer match or no match: error exponent, bits.", panel=_MATCH
        ),
    ] = None
    string_length: Annotated[
        int | None,
        option(
            "--string-length", help="With it: how many observations a histogram has.", panel=_MATCH
        ),
    ] = None


@takes(RunFlags, MatchFlags, ScoreFlags, SplitFlags, ReadFlags, ShapeFlags)
def run(
    released: Annotated[str, argument("RELEASED", "What would be published.")],
    running: RunFlags,
    matching: MatchFlags,
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    scoring: ScoreFlags,
    auxiliary: Annotated[
        str | None,
        argument("AUXILIARY", "What somebody might know; without it, RELEASED is split."),
    ] = None,
) -> None:
    """Match two datasets by their users' habits: how many could be re-identified?"""
    from trailprint.workflows.match import match

    scoring.check(released, auxiliary)
    options, histograms, rejection = _options(matching, running.seed)
    announce_compilation()
    engine = running.engine()
    with showing(engine) as progress:
        sides = open_sides((released, auxiliary), splitting, reading, shaping, running, engine)
        result = match(
            *sides,
            options,
            histograms=histograms,
            views=_views(matching, splitting),
            rejection=rejection,
            truth=scoring.read_truth(engine),
            n_threads=running.threads,
            progress=progress,
        )
    scoring.write_links(result.links(), engine)
    found = result.to_dict()
    if matching.precision is not None:
        point = result.margin_for(matching.precision)
        found["margin_for_precision"] = None if point is None else asdict(point)
    if running.json:
        print_json(found)
    else:
        _print(found, scoring.links)


def _options(matching: MatchFlags, seed: int) -> tuple[Any, Any, Any]:
    from trailprint.attacks.matching import MatchOptions
    from trailprint.attacks.rejection import RejectionOptions
    from trailprint.features.histograms import HistogramOptions

    if matching.precision is not None and not 0 < matching.precision <= 1:
        raise OptionError(f"--precision must be above 0 and at most 1, got {matching.precision}.")
    if (matching.reject_lambda is None) != (matching.string_length is None):
        raise OptionError("--reject-lambda and --string-length must be given together.")
    rejection = None
    if matching.reject_lambda is not None and matching.string_length is not None:
        rejection = RejectionOptions(
            reject_lambda=matching.reject_lambda, string_length=matching.string_length
        )
    options = MatchOptions(
        metric=matching.metric,
        method=matching.method,  # type: ignore[arg-type]
        direction=matching.direction,  # type: ignore[arg-type]
        size=matching.size,
        gap=matching.gap,
        margins=matching.margins or matching.precision is not None,
        seed=seed,
    )
    histograms = HistogramOptions(
        weight=matching.weight,  # type: ignore[arg-type]
        slots=matching.slots,  # type: ignore[arg-type]
    )
    return options, histograms, rejection


def _views(matching: MatchFlags, splitting: SplitFlags) -> Any:
    """Options of several views, cut for learning as the data was cut; None without --views."""
    from trailprint.workflows.views import ViewOptions

    if matching.views is None:
        if matching.same_period or matching.view_weights != "learnt":
            raise OptionError("--view-weights and --same-period go with --views. Try --views all.")
        return None
    names = [name.strip() for name in matching.views.split(",") if name.strip()]
    return ViewOptions(
        names=None if names == ["all"] else names,
        weights=_weights(matching.view_weights),
        cut="halves-of-weeks" if splitting.halves_of_weeks else "median",
        same_period=matching.same_period,
    )


def _weights(text: str) -> Any:
    """``learnt``, ``equal``, or weights by name."""
    if "=" not in text:
        return text
    weights = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            raise OptionError(
                f"--view-weights must be NAME=WEIGHT,…, got {part!r} instead. Try visits=2,days=1."
            ) from None
    return weights


def _print(found: dict[str, Any], links: str | None) -> None:
    interval = found["accuracy_interval"]
    rows: list[tuple[str, object]] = [
        ("released users", found["released_users"]),
        ("auxiliary users", found["auxiliary_users"]),
        ("users on both sides", found["common_users"]),
        ("locations", found["locations"]),
        ("metric, method", f"{found['metric']}, {found['method']}"),
        ("links made", found["matched"]),
    ]
    if found["truth"] != "none":
        rows += [
            ("right", found["correct"]),
            ("re-identified, of users on both sides", percent(found["accuracy"])),
            ("  95 % interval", " to ".join(percent(x) for x in interval) if interval else "—"),
            ("  by chance", percent(found["chance"])),
            ("right, of links made", percent(found["precision"])),
        ]
    rows += [("total weight", found["total_weight"]), ("optimality gap", _show_gap(found))]
    if "decision" in found:
        idle = " (a test that cannot reject)" if found["threshold_is_vacuous"] else ""
        rows.append(("decision", found["decision"] + idle))
    rows.append(("time", format_seconds(found["seconds"]["total"])))
    title = "Combined matching" if "views" in found else "Histogram matching"
    print_table(title, rows, _notes(found, links))
    if "views" in found:
        _print_views(found)


def _print_views(found: dict[str, Any]) -> None:
    """What each view counts, finds alone, and what is found without it."""
    rows = [
        {
            "view": view["title"],
            "weight": percent(view["weight"]),
            "found_alone": percent(view["accuracy_alone"]),
            "found_without_it": percent(view["accuracy_without"]),
        }
        for view in found["views"]
    ]
    print_rows(f"Views, weights {found['weights_from']}", rows, most=len(rows))


def _show_gap(found: dict[str, Any]) -> object:
    """How far the matching may be from the best; rounding is not worth a number."""
    return "none: proven optimal" if found.get("exact") else found["optimality_gap"]


def _notes(found: dict[str, Any], links: str | None) -> list[str]:
    notes = []
    if found["truth"] == "none":
        notes.append("No user id is on both sides and no --truth was given: nothing to score.")
    if found["periods_overlap"]:
        notes.append("The two periods overlap: the sides are not independent, the rate misleads.")
    if found.get("weights_note"):
        notes.append(found["weights_note"])
    if found.get("views_left_out"):
        notes.append(f"Views this data cannot give: {', '.join(found['views_left_out'])}.")
    if found.get("threshold_is_vacuous"):
        notes.append("The rejection threshold is not positive: the test can never reject.")
    without = found["released_without_data"] + found["auxiliary_without_data"]
    if without:
        notes.append(f"{without:,} users have no events that count and were left unmatched.")
    if "margin_for_precision" in found:
        point = found["margin_for_precision"]
        notes.append(
            "No margin reaches the wanted precision."
            if point is None
            else f"Keeping margins of {show(point['margin'])} or more keeps {point['links']:,} of "
            f"the links, {percent(point['precision'])} of them right."
        )
    if links is not None:
        notes.append(f"Links written to {links}, readable by you only.")
    return notes
