"""Inputs of ``trailprint protect``: options, data, sweep; and its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from trailprint.arguments import check_fields
from trailprint.attacks.options import MatchOptions, MetricName
from trailprint.cli.groups import Panel
from trailprint.cli.inputs import SideInputs, split_names
from trailprint.cli.option_fields import Written
from trailprint.cli.running import RunOptions
from trailprint.engines.options import EngineOptions
from trailprint.events.engine import Engine
from trailprint.events.events import Events
from trailprint.events.reading.read import read
from trailprint.events.split import Split, split
from trailprint.features.options import HistogramOptions
from trailprint.studies.options import METRICS, SweepOptions

if TYPE_CHECKING:
    from trailprint.protections.protection import Protection
    from trailprint.workflows.plans import WorkPlan

_PROTECT = "Protection"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyOptions:
    """
    Which protections are applied, and where the results are written.

    Attributes
    ----------
    apply : tuple of str
        What to apply; repeat for the next one.
    out : str, optional
        Where the protected data goes.
    release : str, optional
        Publishable data under new ids, with release.json: a folder, or a file in it.
    keys : str, optional
        With ``release``: a new file, readable by you only, that says which id is whose.
    keep_column : tuple of str
        With ``release``: other columns to pass through as they are.
    audit : str, optional
        With ``release``: folder of an audit that tried the same; its risk goes to release.json.
    listing : bool
        List the protections.
    """

    apply: tuple[str, ...] = ()
    out: str | None = None
    release: str | None = None
    keys: str | None = None
    keep_column: tuple[str, ...] = ()
    audit: str | None = None
    listing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOffOptions:
    """
    What is swept, as typed; becomes `SweepOptions`.

    Attributes
    ----------
    sweep : str, optional
        Risk and loss for each value of a parameter, such as k=2,5,10.
    target_risk : float, optional
        With ``sweep``: the least loss for this risk, such as 0.05.
    metrics : tuple of str
        With ``sweep``: the strongest attack counts, of those with these metrics.
    """

    sweep: str | None = None
    target_risk: float | None = None
    metrics: tuple[MetricName, ...] = METRICS

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protecting:
    """What is applied, counted and swept."""

    applying: Annotated[
        ApplyOptions,
        Panel(
            _PROTECT,
            names={"listing": "list"},
            written={
                "apply": Written(read=tuple, metavar="NAME[:key=value,…]", many=True),
                "keep_column": Written(read=split_names, show=",".join, metavar="NAME,…"),
            },
        ),
    ]
    counting: Annotated[HistogramOptions, Panel(_PROTECT, without=("slots",))]
    trading: Annotated[TradeOffOptions, Panel("Trade-off")]


def open_data(
    data: str, protecting: Protecting, sides: SideInputs, engine: Engine, *, two_sides: bool
) -> Events:
    """Read and shape the data; positions are kept if a protection needs them."""
    from trailprint.protections.loss import with_locations
    from trailprint.protections.registry import list_kinds

    kept = protecting.applying.keep_column
    kinds = list_kinds(protecting.applying.apply)
    needs_positions = any("positions" in kind.needs for kind in kinds)
    events = read(data, sides.reading.options(keep_columns=kept), engine=engine)
    is_placed = {"cell_m", "h3"} & sides.shaping.places.values.keys()
    if needs_positions and not is_placed:
        events = with_locations(events)
    return sides.shaping.shape([events], two_sides=two_sides)[0]


def open_sweep(
    data: str, running: RunOptions, protecting: Protecting, sides: SideInputs, engine: Engine
) -> tuple[Split, tuple[Protection, ...], SweepOptions]:
    """Return the two sides, the protections, and the options of the sweep."""
    from trailprint.workflows.chain_reading import read_chain, read_sweep

    trading = protecting.trading
    chain = read_chain(protecting.applying.apply, engine)
    parameter, values = read_sweep(trading.sweep or "", chain)
    options = SweepOptions(
        parameter=parameter,
        values=values,
        target_risk=trading.target_risk,
        attacks=tuple(MatchOptions(metric=name) for name in trading.metrics),
        seed=running.seed,
    )
    usual = {} if sides.names_a_cut else {"at": "median"}
    events = open_data(data, protecting, sides, engine, two_sides=True)
    return split(events, sides.cut(running.seed, **usual)), chain, options


def plan_apply(
    data: str,
    running: RunOptions,
    protecting: Protecting,
    sides: SideInputs,
    on: tuple[Engine, EngineOptions],
) -> WorkPlan:
    """Plan what applying the protections would need."""
    from trailprint.workflows.chain_reading import read_chain
    from trailprint.workflows.protect_plan import plan_protect

    return plan_protect(
        open_data(data, protecting, sides, on[0], two_sides=False),
        read_chain(protecting.applying.apply, on[0]),
        counting=protecting.counting,
        engine=on[1],
        n_threads=running.threads,
    )


def plan_sweep(
    data: str,
    running: RunOptions,
    protecting: Protecting,
    sides: SideInputs,
    on: tuple[Engine, EngineOptions],
) -> WorkPlan:
    """Plan what the sweep would need."""
    from trailprint.workflows.protect_plan import plan_trade_off

    cut, chain, options = open_sweep(data, running, protecting, sides, on[0])
    return plan_trade_off(
        cut.released,
        cut.auxiliary,
        chain,
        options,
        counting=protecting.counting,
        engine=on[1],
        n_threads=running.threads,
    )
