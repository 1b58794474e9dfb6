"""What an audit will do, in which order, and how long it should take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from trailprint.audit.attacks.judges import list_judging
from trailprint.audit.attacks.registry import find_attack, find_attacks, find_release_families
from trailprint.audit.attacks.repeating import (
    list_repeated,
    repeat_bytes,
    repeat_seconds,
)
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, Part, PartProgress
from trailprint.audit.planning.estimates import events_seconds, match_seconds, trail_seconds
from trailprint.audit.planning.memory import feature_bytes, find_too_large
from trailprint.audit.planning.sampling import TOLD_OF_FEWER, compute_on_fewer
from trailprint.audit.sections import studies
from trailprint.audit.sections.protection_search import SEARCH, estimate_search, search_protections
from trailprint.audit.sections.protection_trials import NONE
from trailprint.audit.sections.protections import Family, list_families, try_family
from trailprint.audit.wording import duration
from trailprint.studies.growth.amount import N_LEVELS

#: Weights each protection is attacked with.
_N_WEIGHTS = 3

#: Of the time limit, a family of protections that nobody asked for may take so much.
_MOST_OF_LIMIT = 0.15

#: With more people, the time of most parts grows by about this power.
_GROWS = 1.5

Compute = Callable[[AuditContext, Mapping[str, Outcome], PartProgress], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A part that will not be done, and why."""

    name: str
    title: str
    why: str
    was_stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """
    The parts of an audit, most informative first.

    Attributes
    ----------
    parts : tuple of Part
        What is to be done, in order.
    left_out : tuple of LeftOut
        What the data does not allow.
    kept : frozenset of str
        Names of parts that an earlier run has finished.
    time_limit_s : float, optional
        What the parts may take together.
    n_people : int
        How many people are audited.
    reserved_s : float
        Of the limit, what is kept for what comes after the parts, such as drawing a report.
    spent_s : float
        Of the limit, what was spent before the first part.
    """

    parts: tuple[Part, ...]
    left_out: tuple[LeftOut, ...] = ()
    kept: frozenset[str] = frozenset()
    time_limit_s: float | None = None
    n_people: int = 0
    reserved_s: float = 0.0
    spent_s: float = 0.0

    @property
    def usable_s(self) -> float | None:
        """What everything up to the last part may take; None: no limit."""
        limit = self.time_limit_s
        return None if limit is None else max(limit - self.reserved_s, 0.0)

    @property
    def seconds(self) -> float:
        """How long what is still to be done should take."""
        return sum(part.seconds for part in self.expected() if part.name not in self.kept)

    def expected(self) -> list[Part]:
        """The parts that should fit the time limit, by their estimates."""
        spent, fitting = 0.0, []
        for part in self.parts:
            # Kept parts are used however long reading took.
            if self.fits(part, spent + (0.0 if part.name in self.kept else self.spent_s)):
                fitting.append(part)
                spent += part.seconds
        return fitting

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values: every part with its estimates, and what is left out."""
        fitting = {part.name for part in self.expected()}
        return {
            "people": self.n_people,
            "seconds": self.seconds,
            "megabytes": max((part.needed_bytes for part in self.parts), default=0.0) / 1e6,
            "time_limit_s": self.time_limit_s,
            "parts": [
                {
                    "name": part.name,
                    "title": part.title,
                    "seconds": part.seconds,
                    "megabytes": part.needed_bytes / 1e6,
                    "kept": part.name in self.kept,
                    "fits": part.name in fitting,
                }
                for part in self.parts
            ],
            "left_out": [asdict(one) for one in self.left_out],
        }

    def fits(self, part: Part, spent_s: float) -> bool:
        """Whether there is time for a part after ``spent_s`` seconds."""
        # What is there already costs nothing: the same audit again gives the same result.
        limit = None if part.name in self.kept else self.usable_s
        return limit is None or part.is_asked or spent_s + part.seconds <= limit

    def may_take(self, part: Part, spent_s: float) -> float | None:
        """
        How long a part may take after ``spent_s`` seconds before it is stopped; None: no limit.

        An estimate may be wrong, but one part must not use up the time of all that come after it.
        """
        usable = self.usable_s
        if usable is None or part.is_asked:
            return None
        left = usable - spent_s
        return min(left, max(left / 2, 3 * part.seconds))

    def stopped(self, part: Part, seconds: float) -> LeftOut:
        """A part that took longer than it may."""
        why = (
            f"It was stopped after {duration(seconds)}: it would have taken longer than the time "
            f"limit of {duration(self.time_limit_s or 0.0)} allows."
        )
        return LeftOut(name=part.name, title=part.title, why=why, was_stopped=True)

    def too_long(self, part: Part) -> LeftOut:
        """A part that there is no time for."""
        why = (
            f"It would take about {duration(part.seconds)}, and the time limit of "
            f"{duration(self.time_limit_s or 0.0)} leaves less."
        )
        return LeftOut(name=part.name, title=part.title, why=why)


def make_plan(context: AuditContext) -> Plan:
    """Attacks first, then singling out, controls, protections, growth, why, and what is left."""
    attacks, refused = _plan_attacks(context)
    protections, other_values = _plan_protections(context)
    parts = [
        *attacks,
        *_plan_singling_out(context),
        *_plan_controls(context, attacks),
        *protections,
        *_plan_studies(context),
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
    )


def _plan_attacks(context: AuditContext) -> tuple[list[Part], list[LeftOut]]:
    parts: list[Part] = []
    refused: list[LeftOut] = []
    for family in find_attacks(context.options.attacks):
        name, why = f"attack/{family.name}", family.refuse(context)
        if why is not None:
            refused.append(LeftOut(name=name, title=family.title, why=why))
            continue
        # The limit may be too short for everything; the cheapest attack is done even so.
        is_asked = family.is_quick and not any(part.is_asked for part in parts)
        parts.append(
            _part(
                context,
                name,
                family.title,
                family.estimate(context),
                family.run,
                depends_on=family.settings(context),
                is_asked=is_asked,
                needed_bytes=family.needed_bytes(context.sizes),
            )
        )
    return parts, refused


def _plan_singling_out(context: AuditContext) -> list[Part]:
    return [
        _part(
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


def _plan_controls(context: AuditContext, attacks: Sequence[Part]) -> list[Part]:
    parts = []
    for attack in attacks:
        family = find_attack(attack.name.removeprefix("attack/"))
        title = f"Controls of {family.title.lower()}"
        name, seconds = f"control/{family.name}", family.estimate_control(context)
        parts.append(
            _part(
                context,
                name,
                title,
                seconds,
                family.control,
                needs=(attack.name,),
                needed_bytes=attack.needed_bytes,
            )
        )
    return parts


def _plan_protections(context: AuditContext) -> tuple[list[Part], list[Part]]:
    """Every protection with as many values as there is time for, and the other values."""
    parts: list[Part] = []
    others: list[Part] = []
    for family in list_families(context):
        first, rest = _thin(context, family)
        parts.append(_plan_family(context, first))
        if rest is not None:
            others.append(_plan_family(context, rest, name=f"{family.title}, other values"))
    return [*parts, _plan_search(context, parts)], others


def _plan_search(context: AuditContext, tried: Sequence[Part]) -> Part:
    """What was tried judged by every attack, and the least loss looked for."""
    judges = tuple(f"attack/{family.name}" for family in list_judging(context))
    options = context.options
    part = _part(
        context,
        SEARCH,
        "Protections judged by every attack",
        estimate_search(context, _once_seconds(context, Family(title=NONE))),
        search_protections,
        # It goes on as long as it may, and ends with what it has then.
        depends_on={"target_risk": options.target_risk, "time_limit_s": options.time_limit_s},
        uses=("attack/histogram", *judges, *(part.name for part in tried)),
        needed_bytes=feature_bytes(context.sizes) + repeat_bytes(context),
    )
    return replace(part, is_open_ended=True)


def _thin(context: AuditContext, family: Family) -> tuple[Family, Family | None]:
    """Every other value, and again, as long as a family would take too much; and the rest."""
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


def _once_seconds(context: AuditContext, family: Family) -> float:
    """One value of a family: protected, attacked by what is quick, and measured."""
    sizes = context.sizes
    once = _N_WEIGHTS * match_seconds(sizes) + events_seconds(sizes) + trail_seconds(sizes)
    return once + sum(step.seconds(sizes.n_released, sizes.n_visited) for step in family.chain)


def _plan_family(context: AuditContext, family: Family, *, name: str | None = None) -> Part:
    name = name or family.title
    return _part(
        context,
        f"protect/{name}",
        f"Protection: {name}" if family.chain else "Without protection",
        family.n_points * _once_seconds(context, family),
        partial(_try, family),
        depends_on={
            "chain": [[step.name, step.parameters()] for step in family.chain],
            "values": list(family.values),
            "is_asked": family.is_asked,
        },
        uses=("attack/histogram", "attack/trail"),
        needed_bytes=feature_bytes(context.sizes) + repeat_bytes(context),
    )


def _try(
    family: Family, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    return try_family(context, family, before, progress)


#: Matchings of everybody that a study is worth, and runs of which each takes a moment.
_USERS_RUNS, _USERS_MOMENTS, _KNOWLEDGE_RUNS, _TIME_RUNS, _RESOLUTION_RUNS = 4, 100, 8, 8, 6
_MOMENT_S = 0.01


def _plan_studies(context: AuditContext) -> list[Part]:
    study = partial(_plan_study, context)
    return [
        study("growth/users", "Risk by number of people", _users_seconds, studies.study_users),
        study(
            "growth/time",
            "Risk by length of observation",
            partial(_changed_seconds, _TIME_RUNS),
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
    part = _part(
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
    return _USERS_RUNS * repeat_seconds(context, before) + _USERS_MOMENTS * _MOMENT_S


def _knowledge_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    return _KNOWLEDGE_RUNS * repeat_seconds(context, before)


def _changed_seconds(n_runs: int, context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """Events changed, and attacked again, for a number of times."""
    once = repeat_seconds(context, before, on_events=True) + events_seconds(context.sizes)
    return n_runs * once


def _amount_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    """The quickest attack on habits, with less of each person."""
    once = list_repeated(context)[0].estimate_repeat(context.sizes)
    return N_LEVELS * (once + events_seconds(context.sizes))


def _why_seconds(context: AuditContext, before: Mapping[str, Outcome]) -> float:
    return repeat_seconds(context, before) + studies.N_LOCATIONS * _leave_out_seconds(context)


def _list_explaining(context: AuditContext) -> tuple[str, ...]:
    """Attacks whose links rest on locations, and those that try to do without them."""
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


def _part(
    context: AuditContext,
    name: str,
    title: str,
    seconds: float,
    compute: Compute,
    *,
    depends_on: Mapping[str, Any] | None = None,
    needs: tuple[str, ...] = (),
    uses: tuple[str, ...] = (),
    is_asked: bool = False,
    needed_bytes: float = 0.0,
) -> Part:
    depends_on = depends_on or {}

    def on_fewer(n_people: int) -> Part:
        fewer = partial(compute_on_fewer, context, name, compute, n_people)
        share = min(n_people / max(context.sizes.n_people, 1), 1.0)
        return replace(
            part,
            title=f"{title} ({n_people:,} people)",
            seconds=part.seconds * share**_GROWS,
            compute=fewer,
            depends_on={**depends_on, "people": n_people},
            seconds_after=None,
            on_fewer=None,
        )

    part = Part(
        name=name,
        title=title,
        seconds=seconds,
        compute=partial(compute, context),
        depends_on=depends_on,
        needs=needs,
        uses=uses,
        is_asked=is_asked,
        needed_bytes=needed_bytes,
        on_fewer=on_fewer if name.partition("/")[0] in TOLD_OF_FEWER else None,
    )
    return part
