"""``trailprint protect``: apply protections; report the loss and the remaining risk."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from trailprint.cli.groups import Given, argument, takes_options
from trailprint.cli.inputs import SideInputs
from trailprint.cli.planning import Planning, print_plan
from trailprint.cli.present import percent, print_json, print_rows, print_table
from trailprint.cli.progress import showing
from trailprint.cli.protecting import (
    ApplyOptions,
    Protecting,
    open_data,
    open_sweep,
    plan_apply,
    plan_sweep,
)
from trailprint.cli.released import print_release
from trailprint.cli.running import EnginePanel, GivenRunning, RunOptions
from trailprint.engines.options import EngineOptions
from trailprint.errors import OptionError
from trailprint.events.engine import Engine
from trailprint.events.fingerprints import fingerprint
from trailprint.events.write import check_outputs, write_events, write_table
from trailprint.studies.options import METRICS

if TYPE_CHECKING:
    from trailprint.protections.protection import Protection
    from trailprint.workflows.protect import ProtectResult

EXAMPLE = "trailprint protect visits.csv --apply microaggregate:k=10 --out protected.parquet"


@takes_options
def run(
    protecting: Protecting,
    given: GivenRunning,
    where: EnginePanel,
    planning: Planning,
    sides: SideInputs,
    data: Annotated[str | None, argument("DATA", "What would be published.")] = None,
) -> None:
    """Apply protections in order: what do they cost, and which risk remains?"""
    from trailprint.workflows.engines import run_on

    running = _choose_seed(given, protecting.applying)
    engine = running.engine()
    if protecting.applying.listing:
        _list(as_json=running.json)
        return
    data = _check(data, protecting, sides)
    is_sweep = protecting.trading.sweep is not None
    if planning.dry_run:
        plan = plan_sweep if is_sweep else plan_apply
        print_plan(plan(data, running, protecting, sides, (engine, where)), as_json=running.json)
        return
    do = _sweep if is_sweep else _apply
    with run_on(where):
        do(data, running, protecting, sides, (engine, where))


def _check(data: str | None, protecting: Protecting, sides: SideInputs) -> str:
    """Raise an error for options that do not go together, before any work."""
    applying, trading = protecting.applying, protecting.trading
    if data is None:
        raise OptionError(
            "DATA is needed, got none. Name a file, such as visits.csv.", option="data"
        )
    if not applying.apply:
        raise OptionError(
            "--apply is needed, got none. Try --apply microaggregate:k=5.", option="apply"
        )
    if trading.sweep is None and trading.target_risk is not None:
        raise OptionError(
            "--target-risk needs --sweep, such as --sweep k=2,5,10,20.", option="target-risk"
        )
    if trading.sweep is None and trading.metrics != METRICS:
        raise OptionError("--metrics goes with --sweep: name both.", option="metrics")
    if trading.sweep is None and sides.splitting:
        raise OptionError(
            "A split goes with --sweep, which needs two sides; leave it out.", option="sweep"
        )
    if trading.sweep is not None and applying.out is not None:
        raise OptionError("--sweep only measures: give --out in a run of its own.", option="sweep")
    _check_release(applying)
    if trading.sweep is not None and applying.release is not None:
        raise OptionError(
            "--sweep only measures: give --release in a run of its own.", option="sweep"
        )
    if applying.release is not None:
        from trailprint.workflows.release import place_release

        place_release(applying.release, applying.keys, sources=[data])
    if applying.out is not None:
        check_outputs([applying.out], sources=[data])
    return data


def _check_release(applying: ApplyOptions) -> None:
    """Raise an error for options that need --release if it is missing."""
    if applying.release is not None:
        return
    if applying.keys is not None:
        raise OptionError(
            "--keys goes with --release, which draws new ids; name both.", option="keys"
        )
    for flag, given in (("keep-column", applying.keep_column), ("audit", applying.audit)):
        if given:
            raise OptionError(f"--{flag} goes with --release: name both.", option=flag)


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


def _apply(
    data: str,
    running: RunOptions,
    protecting: Protecting,
    sides: SideInputs,
    on: tuple[Engine, EngineOptions],
) -> None:
    from trailprint.workflows.chain_reading import read_chain
    from trailprint.workflows.protect import protect
    from trailprint.workflows.release_risk import read_risk

    engine, where = on
    told: dict[str, Any] = {}
    out = protecting.applying.out
    with showing(engine, "Protecting") as progress:
        chain = read_chain(protecting.applying.apply, engine)
        audit = protecting.applying.audit
        if audit is not None:
            read_risk(audit, chain, engine, fingerprint(data).sha256)
        events = open_data(data, protecting, sides, engine, two_sides=False)
        result = protect(
            events,
            chain,
            seed=running.seed,
            counting=protecting.counting,
            engine=where,
            n_threads=running.threads,
            progress=progress,
        )
        if protecting.applying.release is not None:
            told = result.release(
                protecting.applying.release, keys=protecting.applying.keys, audit=audit
            )
        if out is not None:
            _write(result, out, engine)
    found = result.to_dict()
    if told:
        found["release"] = told
    if running.json:
        print_json(found)
        return
    _print_cost(found, out)
    if told:
        applying = protecting.applying
        print_release(told, str(applying.release), applying.keys, data, sides)


def _write(result: ProtectResult, out: str, engine: Engine) -> None:
    """Write histograms if the protections changed these, else events."""
    table = result.histograms()
    if table is not None:
        write_table(table, out, engine)
    elif result.events is not None:
        write_events([(result.events, out)])


def _choose_seed(given: Given[RunOptions], applying: ApplyOptions) -> RunOptions:
    """Draw a secret seed for the noise of a release, unless a seed was given."""
    is_secret = applying.release is not None and "seed" not in given.values
    return given.options(**({"seed": secrets.randbits(62)} if is_secret else {}))


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
    rows += _describe_tasks(found["tasks"])
    rows += [(words, found[name]) for name, words in _title_facts(found).items() if name in found]
    notes = [*found["notes"], *found.get("privacy_statement", [])]
    for column in found.get("release", {}).get("kept_columns", ()):
        notes.append(
            f"{percent(column['people_alone'])} of the people have a value of {column['name']} "
            "that nobody else has: no risk here takes that into account."
        )
    if out is not None:
        notes.append(f"Protected {found['released']} written to {out}.")
    print_table("What the protection costs", rows, notes)
    print_rows("People with whom nobody shares their …", _compare_alone(found), most=10)


def _describe_tasks(tasks: Mapping[str, Any] | None) -> list[tuple[str, object]]:
    """Rows on the utility of the release; a dash for a task that it does not support."""
    if tasks is None:
        return []
    before, after = (percent(tasks[name]) for name in ("next_place_before", "next_place"))
    return [
        ("next place predicted, before and after", f"{before}, {after}"),
        (f"error of visitors by {tasks['occupancy_of']}", percent(tasks["occupancy_error"])),
        ("error of flows between places", percent(tasks["flow_error"])),
    ]


def _compare_alone(found: dict[str, Any]) -> list[dict[str, object]]:
    """Shares of people with a unique trace, set of places or top places, before and after."""
    after = {one["what"]: one for one in found["singling_out"]["after"]}
    return [
        {
            "their": one["what"].replace("-", " "),
            "before": percent(one["unique_share"]),
            "after": percent(after[one["what"]]["unique_share"]) if after else "nobody is left",
        }
        for one in found["singling_out"]["before"]
    ]


def _title_facts(found: Mapping[str, Any]) -> dict[str, str]:
    """Titles of the facts that the applied protections report."""
    from trailprint.protections.registry import PROTECTIONS

    titles: dict[str, str] = {}
    for step in found["applied"]:
        titles |= PROTECTIONS[step["name"]].fact_titles
    return titles


def _sweep(
    data: str,
    running: RunOptions,
    protecting: Protecting,
    sides: SideInputs,
    on: tuple[Engine, EngineOptions],
) -> None:
    from trailprint.workflows.protect import trade_off

    engine, where = on
    with showing(engine) as progress:
        cut, chain, options = open_sweep(data, running, protecting, sides, engine)
        result = trade_off(
            cut.released,
            cut.auxiliary,
            chain,
            options,
            counting=protecting.counting,
            engine=where,
            n_threads=running.threads,
            progress=progress,
        )
    found = {**result.to_dict(), "split": cut.description}
    if running.json:
        print_json(found)
    else:
        _print_sweep(found, chain)


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
    print_table("", [], [*_describe_unable(found["sweep"]), *found["notes"]])


def _describe_unable(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Describe which attacks could not be tried, and why."""
    from trailprint.audit.wording import lower_first
    from trailprint.report.wording import join

    unable = [(one["why"], one["family"]) for point in points for one in point["not_judged"]]
    families = {why: [name for own, name in unable if own == why] for why, _ in unable}
    return [
        f"Not judged by {join(dict.fromkeys(names))}: {lower_first(why)}"
        for why, names in families.items()
    ]


def _advise(chain: Sequence[Protection], parameter: str) -> str:
    """Suggest what to try if every value was too weak."""
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
        "smallest group": point["smallest_group"],
        "chance": percent(point["chance"]),
        "attack": point["attack"].removeprefix("joint "),
        **_name_tasks(point["tasks"]),
    }


def _name_tasks(tasks: Mapping[str, Any] | None) -> dict[str, object]:
    """Columns for the utility of a release."""
    if tasks is None:
        return {}
    return {
        "next place": percent(tasks["next_place"]),
        "visitors off": percent(tasks["occupancy_error"]),
        "flows off": percent(tasks["flow_error"]),
    }
