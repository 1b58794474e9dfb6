"""The rest an audit finds out: controls, how risk grows, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from trailprint.audit.attacks.histogram import histogram_attack
from trailprint.audit.attacks.measuring import restore_linkage
from trailprint.audit.context import AuditContext
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.results.kept import attack_of
from trailprint.studies.driving_locations import find_driving_locations, trail_changes
from trailprint.studies.growth_knowledge import KnowledgeOptions, grow_knowledge
from trailprint.studies.growth_resolution import ResolutionOptions, grow_resolution
from trailprint.studies.growth_time import TimeOptions, grow_time
from trailprint.studies.growth_users import GrowthOptions, grow_users

Compute = Callable[[AuditContext, Mapping[str, Outcome], PartProgress], Outcome]

N_LOCATIONS = 20
"""Number of the most revealing locations that are shown."""


class _Study(Protocol):
    """What every growth study returns."""

    @property
    def why_not(self) -> str | None: ...

    def to_dict(self) -> dict[str, Any] | None: ...


def study_users(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the number of users."""
    attack, options = (
        histogram_attack(context, margins=False),
        GrowthOptions(seed=context.options.seed),
    )
    return _grown(
        grow_users(attack, *context.histograms, context.truth, options, progress=_to(progress))
    )


def study_knowledge(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the share of people an adversary knows."""
    attack = histogram_attack(context, margins=False)
    options = KnowledgeOptions(seed=context.options.seed)
    return _grown(
        grow_knowledge(attack, *context.histograms, context.truth, options, progress=_to(progress))
    )


def study_time(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the length of observation."""
    attack = histogram_attack(context, margins=False)
    options = TimeOptions(counting=context.counting)
    return _grown(grow_time(attack, *context.events, options, progress=_to(progress)))


def study_resolution(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Risk by the size of places."""
    attack = histogram_attack(context, margins=False)
    options = ResolutionOptions(counting=context.counting)
    return _grown(grow_resolution(attack, *context.events, options, progress=_to(progress)))


def _grown(study: _Study) -> Outcome:
    return Outcome(data={"study": study.to_dict(), "why_not": study.why_not})


def _to(progress: PartProgress) -> Callable[[str, float | None], None]:
    return lambda what, share: progress(share)


def explain(
    context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
) -> Outcome:
    """Which locations right links rest on; for trails, what leaving each of them out changes."""
    known = before.get("attack/histogram")
    attack = histogram_attack(context, margins=False)
    linkage = attack(*context.histograms) if known is None else restore_linkage(known, context)
    found = find_driving_locations(*context.histograms, linkage, context.truth)
    changes, n_linked = None, 0
    if "attack/trail" in before:
        n_linked = attack_of(before["attack/trail"]).entry.correct
        progress(0.2)
        changes = trail_changes(
            *context.trails,
            restore_linkage(before["attack/trail"], context),
            context.truth,
            found.top(N_LOCATIONS),
            n_threads=context.n_threads,
        )
    # Numbers, not names: what is kept must not hold more than the next report may tell.
    told = found.to_dict(N_LOCATIONS, changes=changes, n_linked=n_linked)
    return Outcome(data={"why": told}, arrays={"locations": found.top(N_LOCATIONS)})
