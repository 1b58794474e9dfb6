"""The protections an audit tries: those asked for, or a small set that fits the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.kept import KeptProtections
from trailprint.audit.results.plain import to_plain
from trailprint.audit.results.protections import MeasuredProtection, ProtectionLeftOut
from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine
from trailprint.protections.coarsen import CoarsenGrid, CoarsenNames
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.protection import Protection
from trailprint.protections.suppress import CommonLocations, TopLocations
from trailprint.studies.frontier import Frontier, Point, SweepOptions, find_swept, sweep
from trailprint.workflows.protect import read_chain

_GROUP_SIZES = (2, 5, 10, 20)
_MIN_USERS = (2, 5, 20)
_SHARES_OF_LOCATIONS = (0.5, 0.2, 0.05)
_CELLS_M = (500.0, 1000.0, 2000.0, 5000.0, 10000.0)
_NOTHING = TopLocations(n=2**31 - 1)
"""A protection that keeps everything: what the others are compared with."""

_LABELS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "microaggregate": lambda p: f"Averages of groups of {p['k']}",
    "common-locations": lambda p: f"Without locations of fewer than {p['min_users']} people",
    "top-locations": lambda p: _only(p["n"]),
    "coarsen-grid": lambda p: f"Cells of {_metres(p['cell_m'])}",
    "coarsen-names": lambda p: f"Names of {p['levels']} part{'s' * (p['levels'] > 1)}",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """One chain of protections, and the values of one parameter to be tried."""

    title: str
    chain: tuple[Protection, ...]
    parameter: str
    values: tuple[Any, ...]
    is_asked: bool = False

    @property
    def n_points(self) -> int:
        """How many matchings have to be done, for each weight."""
        return len(self.values)


def list_families(context: AuditContext) -> list[Family]:
    """Nothing at all first; then what was asked for, or what the data allows."""
    nothing = Family(title="none", chain=(_NOTHING,), parameter="n", values=(_NOTHING.n,))
    engine = context.events[0].engine
    asked = [_read(text, engine) for text in dict.fromkeys(context.options.protections)]
    return [nothing, *(asked or _suitable(context))]


def check_protections(protections: Sequence[str], engine: Engine) -> None:
    """Complain about protections that cannot be read, before any work is done."""
    for text in protections:
        _read(text, engine)


def _read(text: str, engine: Engine) -> Family:
    """A chain as it was asked for, ``a:… then b:…``; one of its parameters is "swept"."""
    chain = read_chain(text, engine)
    for step in chain:
        for item in fields(step):
            value = getattr(step, item.name)
            if isinstance(value, (int, float, str)) and _is_single(chain, item.name):
                return Family(
                    title=text, chain=chain, parameter=item.name, values=(value,), is_asked=True
                )
    return Family(
        title=text, chain=(_NOTHING, *chain), parameter="n", values=(_NOTHING.n,), is_asked=True
    )


def _is_single(chain: Sequence[Protection], parameter: str) -> bool:
    try:
        find_swept(chain, parameter)
    except OptionError:
        return False
    return True


def _suitable(context: AuditContext) -> list[Family]:
    n_users, n_locations = context.sizes.n_released, context.sizes.n_locations
    tops = sorted({max(1, round(share * n_locations)) for share in _SHARES_OF_LOCATIONS})
    families = [
        _family(Microaggregate(), "k", [k for k in _GROUP_SIZES if 2 * k <= n_users]),
        _family(CommonLocations(), "min_users", [n for n in _MIN_USERS if n <= n_users]),
        _family(TopLocations(), "n", [n for n in reversed(tops) if n < n_locations]),
    ]
    if "lat" in context.events[0].columns and "lat" in context.events[1].columns:
        families.append(_family(CoarsenGrid(), "cell_m", _coarser_cells(context)))
    else:
        n_levels = _count_levels(context)
        families.append(_family(CoarsenNames(), "levels", list(range(n_levels - 1, 0, -1))))
    return [family for family in families if family.values]


def _family(protection: Protection, parameter: str, values: Sequence[Any]) -> Family:
    return Family(
        title=protection.name, chain=(protection,), parameter=parameter, values=tuple(values)
    )


def _coarser_cells(context: AuditContext) -> list[float]:
    """Cells beyond those the data is on already, as far as its notes tell."""
    notes = [note for note in context.events[0].notes if note.startswith("Cells of ")]
    now = float(notes[-1].split()[2]) if notes else 0.0
    return [cell_m for cell_m in _CELLS_M if cell_m > now]


def _count_levels(context: AuditContext) -> int:
    """How many parts most names have, such as three in building.floor.room; one where none."""
    events = context.events[0]
    parts = "length(location::VARCHAR) - length(replace(location::VARCHAR, '.', '')) + 1"
    (typical,) = events.engine.row(
        f"SELECT quantile_disc({parts}, 0.1) FROM (SELECT DISTINCT location FROM ({events.query}))"
    )
    return min(int(typical or 1), 4)


def try_family(
    context: AuditContext, family: Family, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Protect, attack and measure; what the data does not allow is left out with the reason."""
    options = SweepOptions(
        parameter=family.parameter,
        values=family.values,
        target_risk=context.options.target_risk,
        seed=context.options.seed,
    )
    try:
        frontier = sweep(
            *context.events,
            family.chain,
            options,
            counting=context.counting,
            n_threads=context.n_threads,
            progress=lambda what, share: progress(share),
        )
    except (InputError, OptionError) as error:
        refused = ProtectionLeftOut(label=family.title, why=str(error))
        return Outcome(data=to_plain(KeptProtections(points=(), left_out=(refused,))))
    return Outcome(data=to_plain(_describe(family, frontier)))


def _describe(family: Family, frontier: Frontier) -> KeptProtections:
    tried = [*frontier.points, *frontier.searched]
    return KeptProtections(
        points=tuple(_point(family, point) for point in tried),
        target=None if frontier.target is None else _point(family, frontier.target),
        left_out=tuple(
            ProtectionLeftOut(label=label_point(family, skipped.parameters), why=skipped.why)
            for skipped in frontier.left_out
        ),
    )


def _point(family: Family, point: Point) -> MeasuredProtection:
    found = point.strongest
    return MeasuredProtection(
        label=label_point(family, point.parameters),
        name=family.title,
        parameters={} if family.title == "none" else dict(point.parameters),
        loss=point.loss.information_loss,
        accuracy=found.user_accuracy,
        interval=found.accuracy_interval,
        cluster_accuracy=found.cluster_accuracy,
        chance=found.chance,
        attack=found.attack,
        asked=family.is_asked,
    )


def label_point(family: Family, parameters: Mapping[str, Any]) -> str:
    """What a protection is called, for people."""
    if family.title == "none":
        return "No protection"
    if len(family.chain) == 1 and family.title.partition(":")[0] in _LABELS:
        return _LABELS[family.title.partition(":")[0]](parameters)
    return family.title


def _only(n_locations: int) -> str:
    if n_locations == 1:
        return "Only the most visited location"
    return f"Only the {n_locations:,} most visited locations"


def _metres(cell_m: float) -> str:
    return f"{cell_m / 1000:g} km" if cell_m >= 1000 else f"{cell_m:g} m"


def mark_frontier(points: Sequence[MeasuredProtection]) -> tuple[MeasuredProtection, ...]:
    """Say which points no other beats: none costs less and protects at least as well."""
    return tuple(replace(point, on_frontier=not _is_beaten(point, points)) for point in points)


def _is_beaten(point: MeasuredProtection, points: Sequence[MeasuredProtection]) -> bool:
    own = point.loss, point.accuracy
    return any(
        other.loss <= own[0] and other.accuracy <= own[1] and (other.loss, other.accuracy) != own
        for other in points
    )
