"""The protections an audit tries: those requested, or a small set that fits the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.kept import KeptProtections
from trailprint.audit.results.protections import NONE, MeasuredProtection, ProtectionLeftOut
from trailprint.audit.sections.protection_trials import label_chain, start_trials
from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine
from trailprint.plain import to_plain
from trailprint.protections.protection import AuditedData, Protection
from trailprint.protections.registry import PROTECTIONS
from trailprint.workflows.chain_reading import read_chain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """
    One chain of protections as it is, or with several values of one parameter.

    ``parameter`` belongs to the only protection of the chain; None if there is no value to choose.
    ``stronger`` are values to try if none of the others reaches the target, ``neutral`` is one that
    changes nothing, if there is one.
    """

    title: str
    chain: tuple[Protection, ...] = ()
    parameter: str | None = None
    values: tuple[Any, ...] = ()
    stronger: tuple[Any, ...] = ()
    neutral: Any | None = None
    is_asked: bool = False

    def with_value(self, value: Any) -> tuple[Protection, ...]:
        """Return the chain with one value of its parameter, or as it is if it has none."""
        if self.parameter is None:
            return self.chain
        return (replace(self.chain[0], **{self.parameter: value}),)

    @property
    def n_points(self) -> int:
        """Number of matchings to run, for each weight."""
        return max(len(self.values), 1)


def list_families(context: AuditContext) -> list[Family]:
    """Return no protection first, then the requested ones, or those that suit the data."""
    engine = context.events[0].engine
    asked = [
        Family(title=text, chain=read_chain(text, engine), is_asked=True)
        for text in dict.fromkeys(context.options.protections)
    ]
    return [Family(title=NONE), *(asked or _list_suitable(context))]


def check_protections(protections: Sequence[str], engine: Engine) -> None:
    """Raise before any work is done if a protection cannot be parsed."""
    for text in protections:
        read_chain(text, engine)


def _list_suitable(context: AuditContext) -> list[Family]:
    """Every protection that audits try, with the values that suit the data."""
    kinds = [kind for kind in PROTECTIONS.values() if kind.audited is not None]
    ranked = sorted(kinds, key=lambda kind: kind.audit_rank)
    families = [sweep_kind(kind, context) for kind in ranked]
    return [family for family in families if family.values]


def sweep_kind(kind: type[Protection], context: AuditContext) -> Family:
    """Return one kind of protection with the values that suit the data."""
    data = context.remember("audited data", lambda: _look_at(context))
    return Family(
        title=kind.name,
        chain=(kind(),),
        parameter=kind.audited,
        values=tuple(kind.audit_values(data)),
        stronger=tuple(kind.stronger_values(data)),
        neutral=kind.neutral_value(data),
    )


def _look_at(context: AuditContext) -> AuditedData:
    released, auxiliary = context.events
    return AuditedData(
        released=released,
        auxiliary=auxiliary,
        n_users=context.sizes.n_released,
        n_locations=context.sizes.n_locations,
    )


def try_family(
    context: AuditContext, family: Family, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Protect, run quick attacks, and measure; values that the data does not allow are left out."""
    trials = start_trials(context, before, family.chain)
    points: list[MeasuredProtection] = []
    left_out: list[ProtectionLeftOut] = []
    for number, value in enumerate(family.values or (None,)):
        progress(number / family.n_points)
        chain = family.with_value(value)
        try:
            point = trials.measure(chain, family.title, is_full=False)
            points.append(replace(point, asked=family.is_asked))
        except (InputError, OptionError) as error:
            label = label_chain(chain, family.title)
            left_out.append(ProtectionLeftOut(label=label, why=error.for_command_line()))
    return Outcome(data=to_plain(KeptProtections(points=tuple(points), left_out=tuple(left_out))))
