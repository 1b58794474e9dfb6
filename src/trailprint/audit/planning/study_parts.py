"""Parts of an audit that repeat an attack: how risk grows, and which locations reveal most."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from trailprint.audit.attacks.registry import find_attacks
from trailprint.audit.attacks.repeating import list_repeated, repeat_bytes, repeat_seconds
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, Part
from trailprint.audit.planning.estimates import events_seconds
from trailprint.audit.planning.planned import Compute, make_part
from trailprint.audit.planning.seconds import Seconds
from trailprint.audit.sections import studies
from trailprint.studies.draws import count_runs
from trailprint.studies.growth.amount import N_LEVELS
from trailprint.studies.growth.knowledge import ShareKnownOptions
from trailprint.studies.growth.time import list_usual_shares
from trailprint.studies.growth.users import GrowthOptions, list_sizes

#: Assumed number of attacks in the study of place sizes, as the events are not yet examined.
_RESOLUTION_RUNS = 6
#: Time to fit a curve to the risk by number of people, with its bootstrap.
CURVE = Seconds({"curve": 0.2})
#: A share that stands for fewer known people than this is left out.
_FEWEST_KNOWN = 1.5


def plan_studies(context: AuditContext) -> list[Part]:
    """Return the studies of how risk grows and what causes it, most informative first."""
    study = partial(_plan_study, context)
    return [
        study("growth/users", "Risk by number of people", _users_seconds, studies.study_users),
        study(
            "growth/time",
            "Risk by length of observation",
            _time_seconds,
            studies.study_time,
        ),
        study(
            "why",
            "Most revealing locations",
            _why_seconds,
            studies.explain,
            uses=_list_explaining(context),
        ),
        study(
            "growth/resolution",
            "Risk by size of places",
            partial(_changed_seconds, _RESOLUTION_RUNS),
            studies.study_resolution,
        ),
        study(
            "growth/knowledge",
            "Risk by share of people known",
            _knowledge_seconds,
            studies.study_knowledge,
        ),
        study(
            "growth/amount-known",
            "Risk by how much is known of each person",
            _amount_seconds,
            studies.study_amount,
        ),
    ]


def _plan_study(
    context: AuditContext,
    name: str,
    title: str,
    seconds: Callable[[AuditContext, Mapping[str, Outcome]], float],
    compute: Compute,
    uses: tuple[str, ...] | None = None,
) -> Part:
    repeated = tuple(f"attack/{family.name}" for family in list_repeated(context))
    part = make_part(
        context,
        name,
        title,
        seconds(context, {}),
        compute,
        uses=repeated if uses is None else uses,
        needed_bytes=repeat_bytes(context),
    )
    return replace(part, seconds_after=partial(seconds, context))


def _users_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """Time to attack growing samples of people on both sides, and to fit a curve."""
    n_people = context.sizes.n_people
    total: float = CURVE
    for size in list_sizes(n_people, GrowthOptions()):
        share = size / max(n_people, 1)
        some = repeat_seconds(context, before, shares=(share, share))
        total = count_runs(size, n_people) * some + total
    return total


def _knowledge_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """Time to attack the whole release with growing samples of the auxiliary people."""
    n_people = context.sizes.n_auxiliary
    total: float = Seconds({})
    for share in ShareKnownOptions().shares:
        some = repeat_seconds(context, before, shares=(1.0, share))
        n_runs = count_runs(max(round(share * n_people), 1), n_people)
        total = (n_runs if share * n_people >= _FEWEST_KNOWN else 0) * some + total
    return total


def _time_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """Time to attack growing lengths of observation, each with a share of the events."""
    shares = context.remember("observed", lambda: list_usual_shares(*context.events))
    total: float = events_seconds(context.sizes)
    for share in shares:
        once = repeat_seconds(context, before, on_events=True, observed=share)
        total = once + events_seconds(context.sizes) + total
    return total


def _changed_seconds(n_runs: int, context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """Time to change the events and attack again, ``n_runs`` times."""
    once = repeat_seconds(context, before, on_events=True) + events_seconds(context.sizes)
    return n_runs * once


def _amount_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """Time of the first attack that can be repeated, with less data of each person."""
    once = list_repeated(context)[0].estimate_repeat(context.sizes, None)
    return N_LEVELS * (once + events_seconds(context.sizes))


def _why_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    return repeat_seconds(context, before) + studies.N_LOCATIONS * _leave_out_seconds(context)


def _list_explaining(context: AuditContext) -> tuple[str, ...]:
    """Attacks whose links depend on locations, and those that can leave locations out."""
    able = {family.name for family in list_repeated(context)}
    able |= {
        family.name
        for family in find_attacks(context.options.attacks)
        if family.estimate_leave_out(context.sizes)
    }
    return tuple(f"attack/{name}" for name in sorted(able))


def _leave_out_seconds(context: AuditContext) -> float:
    asked = find_attacks(context.options.attacks)
    return sum(family.estimate_leave_out(context.sizes) for family in asked)
