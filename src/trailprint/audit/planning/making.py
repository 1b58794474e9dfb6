"""The plan of an audit: all parts in order, without those that need too much memory."""

from __future__ import annotations

from trailprint.audit.context import AuditContext
from trailprint.audit.planning.attack_parts import plan_attacks, plan_controls, plan_singling_out
from trailprint.audit.planning.memory import find_too_large, worker_bytes
from trailprint.audit.planning.plan import LeftOut, Plan
from trailprint.audit.planning.protection_parts import plan_protections
from trailprint.audit.planning.study_parts import plan_studies


def make_plan(context: AuditContext) -> Plan:
    """Return the plan: attacks, singling out, controls, protections, studies, other values."""
    attacks, refused = plan_attacks(context)
    protections, other_values = plan_protections(context)
    parts = [
        *attacks,
        *plan_singling_out(context),
        *plan_controls(context, attacks),
        *protections,
        *plan_studies(context),
        *other_values,
    ]
    why = find_too_large(parts, context.events[0].engine.memory_bytes)
    too_large = [
        LeftOut(name=part.name, title=part.title, why=why[part.name])
        for part in parts
        if part.name in why
    ]
    return Plan(
        parts=tuple(part for part in parts if part.name not in why),
        left_out=(*refused, *too_large),
        time_limit_s=context.options.time_limit_s,
        n_people=context.sizes.n_people,
        n_pairs=context.sizes.n_pairs,
        worker_bytes=worker_bytes(context.sizes),
    )
