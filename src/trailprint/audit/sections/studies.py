"""Studies of an audit: how risk grows, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from trailprint.arrays import Floats, Ints
from trailprint.audit.attacks.measuring import restore_linkage
from trailprint.audit.attacks.registry import find_attacks
from trailprint.audit.attacks.repeating import choose_repeated, list_repeated
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.kept import KeptStudy, KeptWhy, attack_of
from trailprint.audit.wording import lower_first
from trailprint.linkage import Linkage
from trailprint.plain import to_plain
from trailprint.studies.driving_locations import find_driving_locations
from trailprint.studies.growth.amount import AmountStudy, grow_amount
from trailprint.studies.growth.findings import Study
from trailprint.studies.growth.knowledge import ShareKnownOptions, grow_knowledge
from trailprint.studies.growth.resolution import grow_resolution
from trailprint.studies.growth.time import grow_time
from trailprint.studies.growth.users import GrowthOptions, grow_users
from trailprint.studies.repeated import PreparedAttack

Compute = Callable[[AuditContext, Mapping[str, Outcome], PartProgress], Outcome]

_ALREADY_LITTLE = (
    "The audit was asked to know only a part of each person (--knows); without that, it measures "
    "what knowing less or more changes."
)
N_LOCATIONS = 20
"""Number of the most revealing locations that are shown."""


class _Study(Protocol):
    """What every growth study returns."""

    @property
    def why_not(self) -> str | None: ...

    def to_finding(self) -> Study | None: ...


def study_users(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the number of users."""
    known, options = _ready(context, before), GrowthOptions(seed=context.options.seed)
    sides = known.released, known.auxiliary
    return _grown(grow_users(known.attack, *sides, context.truth, options, progress=_to(progress)))


def study_knowledge(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the share of people an adversary knows."""
    known, options = _ready(context, before), ShareKnownOptions(seed=context.options.seed)
    sides = known.released, known.auxiliary
    return _grown(
        grow_knowledge(known.attack, *sides, context.truth, options, progress=_to(progress))
    )


def study_amount(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by how much is known of each person, by the first attack that can be repeated."""
    if context.sides.known.kind != "everything":
        return _grown(AmountStudy(why_not=_ALREADY_LITTLE))
    first = list_repeated(context)[0]
    repeated = first.repeat(context, None)
    if repeated is None:
        raise ValueError("studies repeat an attack")
    title = f"Risk by how much is known of each person, by {lower_first(first.title)}"
    grown = grow_amount(
        repeated.prepare,
        *context.events,
        title=title,
        seed=context.options.seed,
        progress=_to(progress),
    )
    return _grown(replace(grown, attack=first.name))


def study_time(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the length of observation."""
    prepare = choose_repeated(context, before).prepare
    return _grown(grow_time(prepare, *context.events, progress=_to(progress)))


def study_resolution(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the size of places."""
    prepare = choose_repeated(context, before).prepare
    return _grown(grow_resolution(prepare, *context.events, progress=_to(progress)))


def _ready(context: AuditContext, before: Mapping[str, Outcome]) -> PreparedAttack[Any]:
    return choose_repeated(context, before).as_is()


def _grown(study: _Study) -> Outcome:
    kept = KeptStudy(study=study.to_finding(), why_not=study.why_not)
    return Outcome(data=to_plain(kept))


def _to(progress: PartProgress) -> Callable[[str, float | None], None]:
    return lambda what, share: progress(share)


def explain(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Find the locations that correct links depend on, and what leaving each out changes."""
    found = find_driving_locations(*context.histograms, _links(context, before), context.truth)
    top = found.top(N_LOCATIONS)
    progress(0.2)
    without = _leave_out(context, before, top)
    # Numbers, not names: the store must not hold more than the next report may publish.
    why = found.to_finding(N_LOCATIONS, changes=without.changes, n_linked=without.n_linked)
    why = replace(why, leave_one_out_attack=without.attack)
    return Outcome(data=to_plain(KeptWhy(why=why)), arrays={"locations": top})


def _links(context: AuditContext, before: Mapping[str, Outcome]) -> Linkage:
    """Return the links of the strongest attack on all people."""
    strongest = choose_repeated(context, before)
    known = before.get(f"attack/{strongest.name}")
    return strongest.as_is().run() if known is None else restore_linkage(known, context)


class _LeftOut(NamedTuple):
    """Changes in the share that an attack links without each location, and how many it links."""

    changes: Floats | None = None
    n_linked: int = 0
    attack: str | None = None


def _leave_out(context: AuditContext, before: Mapping[str, Outcome], locations: Ints) -> _LeftOut:
    """Return the changes by the first attack that measures them."""
    for family in find_attacks(context.options.attacks):
        outcome = before.get(f"attack/{family.name}")
        changes = None if outcome is None else family.leave_out(context, outcome, locations)
        if outcome is not None and changes is not None:
            return _LeftOut(changes, attack_of(outcome).entry.correct, family.name)
    return _LeftOut()
