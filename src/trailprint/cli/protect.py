"""``trailprint protect``: apply protections, say what they cost and what they buy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from trailprint.cli.flags import ReadFlags, RunFlags, ShapeFlags, SplitFlags
from trailprint.cli.groups import argument, option, takes
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.errors import OptionError
from trailprint.events.engine import Engine
from trailprint.events.events import Events
from trailprint.events.read import read
from trailprint.events.split import split
from trailprint.events.write import check_outputs, write_events, write_table

if TYPE_CHECKING:
    from trailprint.protections.protection import Protection

EXAMPLE = "trailprint protect visits.csv --apply microaggregate:k=10 --out protected.parquet"

_PROTECT, _SWEEP = "Protection", "Trade-off"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectFlags:
    """What is applied, and what becomes of it."""

    apply: Annotated[
        list[str] | None,
        option(
            "--apply",
            help="What to apply; again for the next one.",
            panel=_PROTECT,
            metavar="NAME[:key=value,…]",
        ),
    ] = None
    out: Annotated[
        str | None, option("--out", help="Where the protected data goes.", panel=_PROTECT)
    ] = None
    listing: Annotated[
        bool, option("--list", help="Say which protections there are.", panel=_PROTECT)
    ] = False
    weight: Annotated[
        str,
        option("--weight", help="visits (default), duration or day-balanced.", panel=_PROTECT),
    ] = "visits"
    sweep: Annotated[
        str | None,
        option("--sweep", help="Risk and loss for key=value,value,…", panel=_SWEEP),
    ] = None
    target_risk: Annotated[
        float | None,
        option(
            "--target-risk", help="… and the least loss for this risk, such as 0.05.", panel=_SWEEP
        ),
    ] = None
    metrics: Annotated[
        str,
        option("--metrics", help="Attack with jensen-shannon,l1,cosine (default).", panel=_SWEEP),
    ] = "jensen-shannon,l1,cosine"


@takes(RunFlags, ProtectFlags, SplitFlags, ReadFlags, ShapeFlags)
def run(
    running: RunFlags,
    protecting: ProtectFlags,
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    data: Annotated[
        str | None,
        argument("DATA", "What would be published."),
    ] = None,
) -> None:
    """Apply protections in order: what do they cost, and which risk remains?"""
    if protecting.listing:
        _list(as_json=running.json)
        return
    data = _check(data, protecting, splitting)
    engine = running.engine()
    if protecting.sweep is not None:
        _sweep(data, running, protecting, splitting, reading, shaping, engine)
    else:
        _apply(data, running, protecting, reading, shaping, engine)


def _check(data: str | None, protecting: ProtectFlags, splitting: SplitFlags) -> str:
    """Refuse what does not go together before any work is done."""
    if data is None:
        raise OptionError("DATA is needed, got none. See trailprint protect --list for choices.")
    if not protecting.apply:
        raise OptionError("--apply is needed, got none. Try --apply microaggregate:k=5.")
    if protecting.sweep is None and protecting.target_risk is not None:
        raise OptionError("--target-risk needs --sweep, such as --sweep k=2,5,10,20.")
    if protecting.sweep is None and splitting.is_given:
        raise OptionError("A split goes with --sweep, which needs two sides; leave it out.")
    if protecting.sweep is not None and protecting.out is not None:
        raise OptionError("--sweep only measures: give --out in a run of its own.")
    if protecting.out is not None:
        check_outputs([protecting.out], sources=[data])
    return data


def _list(*, as_json: bool) -> None:
    from trailprint.protections.registry import describe_protections

    found = describe_protections()
    if as_json:
        print_json(found)
        return
    rows = []
    for name, about in found.items():
        given = about["parameters"].items()
        shown = ",".join(f"{key}={'…' if v is None else _plain(v)}" for key, v in given)
        rows.append((name, f"{about['summary']} ({shown})"))
    print_table("Protections, with their defaults", rows, is_prose=True)


def _plain(value: object) -> str:
    """A default as it is typed."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _open(
    data: str,
    protecting: ProtectFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    engine: Engine,
    *,
    two_sides: bool,
) -> Events:
    """Read and shape; positions that are to be coarsened stay positions until then."""
    from trailprint.protections.loss import with_locations

    events = read(data, reading.options(), engine=engine)
    first = (protecting.apply or [""])[0]
    if first.startswith("coarsen-grid") and shaping.cell is None and shaping.h3 is None:
        events = with_locations(events)
    return shaping.shape([events], two_sides=two_sides)[0]


def _apply(
    data: str,
    running: RunFlags,
    protecting: ProtectFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    engine: Engine,
) -> None:
    from trailprint.features.options import HistogramOptions
    from trailprint.workflows.protect import protect, read_chain

    counting = HistogramOptions(weight=protecting.weight)  # type: ignore[arg-type]
    with showing(engine, "Protecting"):
        chain = read_chain(protecting.apply or (), engine)
        events = _open(data, protecting, reading, shaping, engine, two_sides=False)
        result = protect(
            events, chain, seed=running.seed, counting=counting, n_threads=running.threads
        )
        if protecting.out is not None:
            table = result.histograms()
            if table is not None:
                write_table(table, protecting.out, engine)
            elif result.events is not None:
                write_events([(result.events, protecting.out)])
    found = result.to_dict()
    if running.json:
        print_json(found)
    else:
        _print_cost(found, protecting.out)


def _print_cost(found: dict[str, Any], out: str | None) -> None:
    rows: list[tuple[str, object]] = [
        ("applied", " then ".join(step["name"] for step in found["applied"])),
        ("information loss", percent(found["information_loss"])),
        ("events kept", percent(found["events_kept"])),
        ("users kept", percent(found["users_kept"])),
        ("  left out", found["users_left_out"]),
        ("locations kept", percent(found["locations_kept"])),
        ("error of popularity", percent(found["popularity_error"])),
    ]
    rows += [(words, found[name]) for name, words in _title_facts(found).items() if name in found]
    notes = [*found["notes"], *found.get("privacy_statement", [])]
    if out is not None:
        notes.append(f"Protected {found['released']} written to {out}.")
    print_table("What the protection costs", rows, notes)


def _title_facts(found: Mapping[str, Any]) -> dict[str, str]:
    """What protections that were applied call what they say of themselves."""
    from trailprint.protections.registry import PROTECTIONS

    titles: dict[str, str] = {}
    for step in found["applied"]:
        titles |= PROTECTIONS[step["name"]].fact_titles
    return titles


def _sweep(
    data: str,
    running: RunFlags,
    protecting: ProtectFlags,
    splitting: SplitFlags,
    reading: ReadFlags,
    shaping: ShapeFlags,
    engine: Engine,
) -> None:
    from trailprint.attacks.options import MatchOptions
    from trailprint.features.options import HistogramOptions
    from trailprint.studies.options import SweepOptions
    from trailprint.workflows.protect import read_chain, read_sweep, trade_off

    chain = read_chain(protecting.apply or (), engine)
    parameter, values = read_sweep(protecting.sweep or "", chain)
    metrics = [name.strip() for name in protecting.metrics.split(",") if name.strip()]
    options = SweepOptions(
        parameter=parameter,
        values=values,
        target_risk=protecting.target_risk,
        attacks=tuple(MatchOptions(metric=name) for name in metrics),  # type: ignore[arg-type]
        seed=running.seed,
    )
    counting = HistogramOptions(weight=protecting.weight)  # type: ignore[arg-type]
    cut = splitting if splitting.is_given else _at_median(splitting)
    with showing(engine) as progress:
        events = _open(data, protecting, reading, shaping, engine, two_sides=True)
        sides = split(events, cut.options(min_events=shaping.min_events, seed=running.seed))
        result = trade_off(
            sides.released,
            sides.auxiliary,
            chain,
            options,
            counting=counting,
            n_threads=running.threads,
            progress=progress,
        )
    found = {**result.to_dict(), "split": sides.description}
    if running.json:
        print_json(found)
    else:
        _print_sweep(found, chain)


def _at_median(splitting: SplitFlags) -> SplitFlags:
    """By default the data is cut at its median event."""
    return replace(splitting, at="median")


def _print_sweep(found: dict[str, Any], chain: Sequence[Protection]) -> None:
    title = f"Split: {found['split']}. Rates are shares of {found['people']:,} people."
    lines = [_line(found["parameter"], point) for point in found["sweep"]]
    print_rows(title, lines, most=len(lines))
    parameter = found["parameter"]
    refused = [f"{parameter}={v['parameters'][parameter]}: {v['why']}" for v in found["left_out"]]
    if refused:
        print_table("Left out", [], refused)
    if found["target_risk"] is not None:
        wanted = f"At most {percent(found['target_risk'])} re-identified"
        if found["target"] is None:
            advice = _advise(chain, parameter)
            print_table(f"{wanted}: none of the values tried suffices. {advice}", [])
        else:
            least = [_line(found["parameter"], found["target"])]
            print_rows(f"{wanted}, with the least loss", least, most=1)
    print_table("", [], found["notes"])


def _advise(chain: Sequence[Protection], parameter: str) -> str:
    """Where to look on, after every value was too weak."""
    from trailprint.studies.frontier import find_swept

    sense = chain[find_swept(chain, parameter)].monotone.get(parameter)
    which = {1: "larger", -1: "smaller", None: "other"}[sense]
    return f"Try {which} values of {parameter}, or another protection as well."


def _line(parameter: str, point: dict[str, Any]) -> dict[str, object]:
    low, high = point["accuracy_interval"]
    return {
        parameter: point["parameters"][parameter],
        "loss": percent(point["information_loss"]),
        "re-identified": percent(point["user_accuracy"]),
        "from": percent(low),
        "to": percent(high),
        "group found": percent(point["cluster_accuracy"]),
        "chance": percent(point["chance"]),
        "attack": point["attack"].removeprefix("joint "),
    }
