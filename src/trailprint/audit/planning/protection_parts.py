"""Parts of an audit that try protections, and search among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from trailprint.audit.attacks.judges import list_judging
from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.attacks.repeating import repeat_bytes
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, Part, PartProgress
from trailprint.audit.planning.estimates import events_seconds, match_seconds
from trailprint.audit.planning.memory import feature_bytes
from trailprint.audit.planning.planned import make_part
from trailprint.audit.planning.seconds import Seconds
from trailprint.audit.sections.protection_search import (
    SEARCH,
    estimate_least,
    estimate_search,
    search_protections,
)
from trailprint.audit.sections.protection_trials import counts_sharing
from trailprint.audit.sections.protections import Family, list_families, try_family
from trailprint.protections.chain import changes_histograms

#: Number of weights that each protection is attacked with.
_N_WEIGHTS = 3

#: Upper limit of the share of its time that a search needs to be useful.
_MOST_LEAST = 0.9

#: Share of the time limit that a family of protections may take unless it was requested.
_MOST_OF_LIMIT = 0.15


def plan_protections(context: AuditContext) -> tuple[list[Part], list[Part]]:
    """Return parts for all protections, with the values that fit the time, and for other values."""
    parts: list[Part] = []
    others: list[Part] = []
    for family in list_families(context):
        first, rest = _thin(context, family)
        parts.append(_plan_family(context, first))
        if rest is not None:
            further = _plan_family(context, rest, name=f"{family.title}, other values")
            others.append(replace(further, like=parts[-1].name))
    return [*parts, _plan_search(context, parts)], others


def _plan_search(context: AuditContext, tried: Sequence[Part]) -> Part:
    """Plan the search: every attack judges what was tried, and the least loss is searched for."""
    options, once = context.options, partial(_once_seconds, context)
    seconds = estimate_search(context, once)
    part = make_part(
        context,
        SEARCH,
        "Protections judged by every attack",
        seconds,
        search_protections,
        # It runs until its time is up, and returns what it has by then.
        depends_on={
            "target_risk": options.target_risk,
            "time_limit_s": options.time_limit_s,
            "sharing": counts_sharing(context),
        },
        uses=(*_list_attacks(context), *(part.name for part in tried)),
        needed_bytes=feature_bytes(context.sizes) + repeat_bytes(context),
    )
    return replace(
        part,
        least_share=min(estimate_least(context, once) / seconds, _MOST_LEAST),
        seconds_after=lambda before: estimate_search(context, once, before),
    )


def _list_attacks(context: AuditContext) -> tuple[str, ...]:
    """Return the parts of the attacks, which judge protections or are listed as unable to."""
    return tuple(f"attack/{name}" for name in attack_names() if name in context.options.attacks)


def _thin(context: AuditContext, family: Family) -> tuple[Family, Family | None]:
    """Drop every other value until a family fits its time; return it and the dropped values."""
    limit, fitting = context.options.time_limit_s, family
    if family.parameter is None:
        return family, None
    once = _once_seconds(context, family)
    while (
        limit is not None
        and fitting.n_points > 1
        and fitting.n_points * once > _MOST_OF_LIMIT * limit
    ):
        fitting = replace(fitting, values=fitting.values[1::2])
    rest = tuple(value for value in family.values if value not in fitting.values)
    return fitting, replace(family, values=rest) if rest else None


def _once_seconds(context: AuditContext, family: Family) -> Seconds:
    """Average time of one value of a family: protect, run quick attacks, and measure."""
    sizes = context.sizes
    once = _N_WEIGHTS * match_seconds(sizes)
    for judge in list_judging(context):
        if judge.judges_every_value:
            once = once + judge.estimate_judging(context, None)
    # Histograms of unchanged events are counted once, for all protections.
    if not changes_histograms(family.chain):
        once += events_seconds(sizes)
    for value in family.values or (None,):
        for step in family.with_value(value):
            seconds = step.seconds(sizes.n_released, sizes.n_visited) / family.n_points
            once += Seconds({step.name: seconds})
    return once


def _plan_family(context: AuditContext, family: Family, *, name: str | None = None) -> Part:
    name = name or family.title
    return make_part(
        context,
        f"protect/{name}",
        f"Protection: {name}" if family.chain else "Without protection",
        family.n_points * _once_seconds(context, family),
        partial(_try, family),
        depends_on={
            "chain": [[step.name, step.parameters()] for step in family.chain],
            "values": list(family.values),
            "is_asked": family.is_asked,
            "sharing": counts_sharing(context),
        },
        # Whether every family has judged a value depends on all that ran, not only on quick ones.
        uses=_list_attacks(context),
        needed_bytes=feature_bytes(context.sizes) + repeat_bytes(context),
    )


def _try(
    family: Family, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    return try_family(context, family, before, progress)
