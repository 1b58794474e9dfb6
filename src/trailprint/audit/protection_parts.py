"""The protections an audit tries: those asked for, or a small set that fits the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from trailprint.audit.attacks.repeating import repeat_on_events
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.kept import KeptProtections
from trailprint.audit.results.plain import to_plain
from trailprint.audit.results.protections import MeasuredProtection, ProtectionLeftOut
from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine
from trailprint.protections.protection import AuditedData, Protection
from trailprint.protections.registry import PROTECTIONS
from trailprint.studies.frontier import Frontier, measure_chain, sweep
from trailprint.studies.options import SweepOptions, TrialOptions
from trailprint.studies.protection_trial import Point
from trailprint.workflows.protect import read_chain

NONE = "none"
"""The name of the data as it is: what protections are compared with."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """
    One chain of protections as it is, or with several values of one parameter.

    ``parameter`` is that of the only protection of the chain; None where there is no value to
    choose.
    """

    title: str
    chain: tuple[Protection, ...] = ()
    parameter: str | None = None
    values: tuple[Any, ...] = ()
    is_asked: bool = False

    @property
    def n_points(self) -> int:
        """How many matchings have to be done, for each weight."""
        return max(len(self.values), 1)


def list_families(context: AuditContext) -> list[Family]:
    """Nothing at all first; then what was asked for, or what the data allows."""
    engine = context.events[0].engine
    asked = [
        Family(title=text, chain=read_chain(text, engine), is_asked=True)
        for text in dict.fromkeys(context.options.protections)
    ]
    return [Family(title=NONE), *(asked or _list_suitable(context))]


def check_protections(protections: Sequence[str], engine: Engine) -> None:
    """Refuse protections that cannot be read, before any work is done."""
    for text in protections:
        read_chain(text, engine)


def _list_suitable(context: AuditContext) -> list[Family]:
    """Every protection that audits try, with the values that suit the data."""
    released, auxiliary = context.events
    data = AuditedData(
        released=released,
        auxiliary=auxiliary,
        n_users=context.sizes.n_released,
        n_locations=context.sizes.n_locations,
    )
    kinds = [kind for kind in PROTECTIONS.values() if kind.audited is not None]
    families = [
        Family(
            title=kind.name,
            chain=(kind(),),
            parameter=kind.audited,
            values=tuple(kind.audit_values(data)),
        )
        for kind in sorted(kinds, key=lambda kind: kind.audit_rank)
    ]
    return [family for family in families if family.values]


def try_family(
    context: AuditContext, family: Family, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Protect, attack and measure; what the data does not allow is left out with the reason."""
    try:
        frontier = _measure(context, family, before, progress)
    except (InputError, OptionError) as error:
        refused = ProtectionLeftOut(label=family.title, why=error.for_command_line())
        return Outcome(data=to_plain(KeptProtections(points=(), left_out=(refused,))))
    return Outcome(data=to_plain(_describe(family, frontier)))


def _measure(
    context: AuditContext, family: Family, before: Mapping[str, Outcome], progress: PartProgress
) -> Frontier:
    on_events = tuple(repeat_on_events(context, before))
    target_risk, seed = context.options.target_risk, context.options.seed
    if family.parameter is None:
        return measure_chain(
            *context.events,
            family.chain,
            TrialOptions(target_risk=target_risk, seed=seed),
            counting=context.counting,
            on_events=on_events,
            n_threads=context.n_threads,
        )
    return sweep(
        *context.events,
        family.chain,
        SweepOptions(
            parameter=family.parameter, values=family.values, target_risk=target_risk, seed=seed
        ),
        counting=context.counting,
        on_events=on_events,
        n_threads=context.n_threads,
        progress=lambda what, share: progress(share),
    )


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
        parameters=dict(point.parameters),
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
    if not family.chain:
        return "No protection"
    if len(family.chain) > 1:
        return family.title
    (own,) = family.chain
    known = {item.name for item in fields(own)} & set(parameters)
    return replace(own, **{name: parameters[name] for name in known}).label() or family.title


def mark_frontier(points: Sequence[MeasuredProtection]) -> tuple[MeasuredProtection, ...]:
    """Say which points no other beats: none costs less and protects at least as well."""
    return tuple(replace(point, on_frontier=not _is_beaten(point, points)) for point in points)


def _is_beaten(point: MeasuredProtection, points: Sequence[MeasuredProtection]) -> bool:
    own = point.loss, point.accuracy
    return any(
        other.loss <= own[0] and other.accuracy <= own[1] and (other.loss, other.accuracy) != own
        for other in points
    )
