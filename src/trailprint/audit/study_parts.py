"""The rest an audit finds out: controls, how risk grows, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from trailprint.attacks.trail import TrailOptions
from trailprint.audit.attack_parts import histogram_attack, restore_linkage, trail_attack
from trailprint.audit.bench import Bench
from trailprint.audit.parts import Outcome, Tell
from trailprint.audit.results.kept import attack_of
from trailprint.studies.controls import Control, ControlOptions, control_absent, control_permuted
from trailprint.studies.driving_locations import find_driving_locations, trail_changes
from trailprint.studies.growth_knowledge import KnowledgeOptions, grow_knowledge
from trailprint.studies.growth_resolution import ResolutionOptions, grow_resolution
from trailprint.studies.growth_time import TimeOptions, grow_time
from trailprint.studies.growth_users import GrowthOptions, grow_users
from trailprint.studies.people import Attack, Features

Compute = Callable[[Bench, Mapping[str, Outcome], Tell], Outcome]

N_LOCATIONS = 20
"""So many of the most revealing locations are shown."""


class _Study(Protocol):
    """What every growth study returns."""

    @property
    def why_not(self) -> str | None: ...

    def to_dict(self) -> dict[str, Any] | None: ...


def control_histograms(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """People who are not there, and rows in another order, for histogram matching."""
    method = attack_of(before["attack/histogram"]).chosen["method"]
    attack = histogram_attack(bench, method)
    return _control("histogram", attack, bench.histograms, bench, before, tell)


def control_trails(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """The same for trail matching, with what was chosen for it."""
    return _control("trail", _chosen_trail_attack(bench, before), bench.trails, bench, before, tell)


def _chosen_trail_attack(bench: Bench, before: Mapping[str, Outcome]) -> Any:
    return trail_attack(bench, TrailOptions(**attack_of(before["attack/trail"]).chosen))


def _control(
    name: str,
    attack: Attack[Features],
    features: tuple[Features, Features],
    bench: Bench,
    before: Mapping[str, Outcome],
    tell: Tell,
) -> Outcome:
    options = ControlOptions(seed=bench.options.seed)
    found: list[Control] = [control_absent(name, attack, *features, bench.truth, options)]
    tell(0.5)
    linkage = _restore(bench, before[f"attack/{name}"])
    found += control_permuted(name, attack, *features, bench.truth, options, linkage=linkage)
    return Outcome(data={"controls": [control.to_dict() for control in found]})


def _restore(bench: Bench, outcome: Outcome) -> Any:
    return restore_linkage(outcome, bench.sizes.n_released, bench.sizes.n_auxiliary)


def study_users(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """Risk by the number of users."""
    attack, options = histogram_attack(bench, margins=False), GrowthOptions(seed=bench.options.seed)
    return _grown(grow_users(attack, *bench.histograms, bench.truth, options, progress=_to(tell)))


def study_knowledge(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """Risk by the share of people an adversary knows."""
    attack = histogram_attack(bench, margins=False)
    options = KnowledgeOptions(seed=bench.options.seed)
    return _grown(
        grow_knowledge(attack, *bench.histograms, bench.truth, options, progress=_to(tell))
    )


def study_time(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """Risk by the length of observation."""
    attack = histogram_attack(bench, margins=False)
    options = TimeOptions(counting=bench.counting)
    return _grown(grow_time(attack, *bench.events, options, progress=_to(tell)))


def study_resolution(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """Risk by the size of places."""
    attack = histogram_attack(bench, margins=False)
    options = ResolutionOptions(counting=bench.counting)
    return _grown(grow_resolution(attack, *bench.events, options, progress=_to(tell)))


def _grown(study: _Study) -> Outcome:
    return Outcome(data={"study": study.to_dict(), "why_not": study.why_not})


def _to(tell: Tell) -> Callable[[str, float | None], None]:
    return lambda what, share: tell(share)


def explain(bench: Bench, before: Mapping[str, Outcome], tell: Tell) -> Outcome:
    """Which locations right links rest on; for trails, what leaving each of them out changes."""
    known = before.get("attack/histogram")
    attack = histogram_attack(bench, margins=False)
    linkage = attack(*bench.histograms) if known is None else _restore(bench, known)
    found = find_driving_locations(*bench.histograms, linkage, bench.truth)
    changes, n_linked = None, 0
    if "attack/trail" in before:
        n_linked = attack_of(before["attack/trail"]).entry.correct
        tell(0.2)
        changes = trail_changes(
            *bench.trails,
            _restore(bench, before["attack/trail"]),
            bench.truth,
            found.top(N_LOCATIONS),
            n_threads=bench.n_threads,
        )
    # Numbers, not names: what is kept must not hold more than the next report may tell.
    told = found.to_dict(N_LOCATIONS, changes=changes, n_linked=n_linked)
    return Outcome(data={"why": told}, arrays={"locations": found.top(N_LOCATIONS)})
