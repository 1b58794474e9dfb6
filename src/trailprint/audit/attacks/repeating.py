"""Choice of the attack that studies repeat: the strongest of those that can be repeated."""

from __future__ import annotations

from collections.abc import Mapping

from trailprint.audit.attacks.family import AttackFamily, Repeated
from trailprint.audit.attacks.registry import attack_names, find_attack
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome
from trailprint.audit.planning.estimates import select_seconds
from trailprint.audit.results.kept import attack_of


def list_repeated(context: AuditContext) -> list[AttackFamily]:
    """Return the requested families that studies can repeat; if none, the first repeatable one."""
    able = [family for family in map(find_attack, attack_names()) if _is_able(family)]
    asked = [family for family in able if family.name in context.options.attacks]
    return [family for family in asked if family.refuse(context) is None] or able[:1]


def _is_able(family: AttackFamily) -> bool:
    return type(family).repeat is not AttackFamily.repeat


def choose_repeated(context: AuditContext, before: Mapping[str, Outcome]) -> Repeated:
    """Return the attack that linked the most people: an adversary uses what works best."""
    return _repeat(find_strongest(context, before), context, before)


def find_strongest(context: AuditContext, before: Mapping[str, Outcome]) -> AttackFamily:
    """Return the repeatable family that linked the most people."""
    families = list_repeated(context)
    done = [family for family in families if f"attack/{family.name}" in before]
    return max(done, key=lambda family: _count_linked(family, before), default=families[0])


def _count_linked(family: AttackFamily, before: Mapping[str, Outcome]) -> int:
    return attack_of(before[f"attack/{family.name}"]).entry.correct


def _repeat(family: AttackFamily, context: AuditContext, before: Mapping[str, Outcome]) -> Repeated:
    found = family.repeat(context, before.get(f"attack/{family.name}"))
    if found is None:
        raise ValueError(f"{family.name} is not run again")
    return found


def repeat_seconds(
    context: AuditContext,
    before: Mapping[str, Outcome] | None = None,
    *,
    on_events: bool = False,
    shares: tuple[float, float] | None = None,
    observed: float = 1.0,
) -> float:
    """
    Estimate the seconds of one run of a study; an upper bound while the attack is not known.

    ``on_events``: on changed events; ``shares``: on these shares of the people of each side;
    ``observed``: on this share of each person's data.
    """
    known, families = before or {}, list_repeated(context)
    if known:
        families = [find_strongest(context, known)]
    whole = context.sizes.of_less(observed)
    sizes = whole if shares is None else whole.of_fewer(*shares)
    return max(
        family.estimate_repeat(sizes, known.get(f"attack/{family.name}"), on_events=on_events)
        + (0.0 if shares is None else _select_seconds(family, known, shares))
        for family in families
    )


def _select_seconds(
    family: AttackFamily, known: Mapping[str, Outcome], shares: tuple[float, float]
) -> float:
    n_sides = sum(share < 1.0 for share in shares)
    return n_sides * select_seconds(family.count_views(known.get(f"attack/{family.name}")))


def repeat_bytes(context: AuditContext) -> float:
    """Return the most bytes that a study may need."""
    return max(family.needed_bytes(context.sizes) for family in list_repeated(context))
