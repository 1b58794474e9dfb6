"""Parts of an audit for attacks, singling out, and controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from trailprint.audit.attacks.registry import find_attack, find_attacks, find_release_families
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Part
from trailprint.audit.planning.plan import LeftOut
from trailprint.audit.planning.planned import make_part
from trailprint.audit.wording import lower_first


def plan_attacks(context: AuditContext) -> tuple[list[Part], list[LeftOut]]:
    """Return the requested attacks that the data allows, and why others are not run."""
    parts: list[Part] = []
    refused: list[LeftOut] = []
    for family in find_attacks(context.options.attacks):
        name, why = f"attack/{family.name}", family.refuse(context)
        if why is not None:
            refused.append(LeftOut(name=name, title=family.title, why=why))
            continue
        # If the limit is too short for everything, the first quick attack runs anyway.
        is_asked = family.is_quick and not any(part.is_asked for part in parts)
        part = make_part(
            context,
            name,
            family.title,
            family.estimate(context),
            family.run,
            depends_on=family.settings(context),
            is_asked=is_asked,
            needed_bytes=family.needed_bytes(context.sizes),
        )
        parts.append(replace(part, seconds_known=partial(family.estimate_known, context)))
    return parts, refused


def plan_singling_out(context: AuditContext) -> list[Part]:
    """Return the parts that look at the released side alone."""
    return [
        make_part(
            context,
            f"{family.name}/{step.name}",
            step.title,
            step.seconds,
            step.compute,
            needed_bytes=step.needed_bytes,
        )
        for family in find_release_families(context.options.attacks)
        for step in family.list_steps(context)
    ]


def plan_controls(context: AuditContext, attacks: Sequence[Part]) -> list[Part]:
    """Return the controls of each attack, whose results are known in advance."""
    return [_plan_control(context, attack) for attack in attacks]


def _plan_control(context: AuditContext, attack: Part) -> Part:
    family = find_attack(attack.name.removeprefix("attack/"))
    part = make_part(
        context,
        f"control/{family.name}",
        f"Controls of {lower_first(family.title)}",
        family.estimate_control(context, None),
        family.control,
        needs=(attack.name,),
        needed_bytes=attack.needed_bytes,
    )
    return replace(
        part,
        seconds_after=lambda before: family.estimate_control(context, before.get(attack.name)),
    )
