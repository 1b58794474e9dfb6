"""Trail matching (REIDIT) in an audit: the set of places only, without counts or times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar

from trailprint.arrays import Floats, Ints
from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail import match_trails
from trailprint.attacks.trail_facts import TrailVariant, read_trail_facts, read_variant
from trailprint.audit.attacks.choices import choice_of
from trailprint.audit.attacks.family import AttackFamily
from trailprint.audit.attacks.measuring import (
    control_attack,
    describe,
    find_people,
    keep_attack,
    restore_linkage,
)
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.methods import CandidateMethod, choose_method
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.estimates import likely_seconds, trail_seconds
from trailprint.audit.planning.memory import trail_bytes
from trailprint.audit.planning.seconds import Seconds
from trailprint.features.trails import Trails
from trailprint.linkage import Linkage
from trailprint.studies.driving_locations import trail_changes
from trailprint.studies.judging import Judge
from trailprint.workflows.judging import LIKELY, REIDIT, judge_trails

TrailAttack = Callable[[Trails, Trails], Linkage]

_REIDIT = {
    ("complete", "none"): "REIDIT-C: equal trails that are the only ones of their kind",
    ("incomplete", "auxiliary"): "REIDIT-I: known trails within released ones",
    ("incomplete", "released"): "REIDIT-I: released trails within known ones",
    ("multiple", "auxiliary"): "REIDIT-M: known trails within released ones",
    ("multiple", "released"): "REIDIT-M: released trails within known ones",
    ("likely", "both"): "The most likely counterparts, with visits missing on either side",
}


class TrailFamily(AttackFamily):
    """
    REIDIT as the data allows it or with equal trails only, whichever links more people.

    With `AuditOptions.likely_trails`, likely counterparts are tried as well.
    """

    name = "trail"
    title = "Trail matching"
    question = "Does the mere set of places, without counts or times, identify people?"
    assumptions = (
        "The adversary collects lists of names from the same places that are in the release.",
        "Every entry stems from a visit, and the same pseudonym is the same person everywhere.",
        "One side may lack visits that the other has, but has none the other lacks.",
    )
    choice: ClassVar[type] = TrailVariant
    judges_every_value = True

    def needed_bytes(self, sizes: Sizes) -> float:
        """Memory of trails, which is little."""
        return trail_bytes(sizes)

    def estimate(self, context: AuditContext) -> float:
        """Time of up to four variants, and of likely counterparts."""
        return 4 * trail_seconds(context.sizes) + _likely_seconds(context)

    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Match with both variants and keep the one that links more people."""
        allowed, notes = _allowed_reidit(context)
        progress(0.6)
        plain = allowed
        if read_variant(allowed.linkage).algorithm != "complete":
            plain = _try_reidit(context, TrailOptions(algorithm="complete"))
        found = choose_method(allowed, plain, context.truth)
        entry = describe(self.name, found, context.truth)
        entry = replace(entry, notes=(*notes, *entry.notes))
        return keep_attack(entry, found, find_people(found.best.linkage, context, context.truth))

    def estimate_control(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Time of three more matchings, and of two runs of likely counterparts."""
        return 3 * trail_seconds(context.sizes) + 2 * _likely_seconds(context)

    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Run the controls with the chosen variant."""
        choice = choice_of(before["attack/trail"], TrailVariant)
        attack = trail_attack(context, choice.to_options())
        return control_attack(self.name, attack, context.trails, context, before, progress)

    def judge(self, context: AuditContext, outcome: Outcome) -> Judge:
        """Every variant; if only histograms are released, on the places with nonzero counts."""
        ways = (*REIDIT, LIKELY) if context.options.likely_trails else REIDIT
        return judge_trails(context.n_threads, ways)

    def estimate_judging(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Time to run each variant once."""
        return len(REIDIT) * trail_seconds(context.sizes) + _likely_seconds(context)

    def leave_out(self, context: AuditContext, outcome: Outcome, locations: Ints) -> Floats | None:
        """Match again without each location; None for likely counterparts, which take too long."""
        linkage = restore_linkage(outcome, context)
        if read_variant(linkage).algorithm == LIKELY.algorithm:
            return None
        return trail_changes(
            *context.trails, linkage, context.truth, locations, n_threads=context.n_threads
        )

    def estimate_leave_out(self, sizes: Sizes) -> float:
        """Time of one more matching."""
        return trail_seconds(sizes)


def _likely_seconds(context: AuditContext) -> Seconds:
    """Time of one run of likely counterparts; zero if they are not requested."""
    return likely_seconds(context.sizes) if context.options.likely_trails else Seconds({})


def trail_attack(context: AuditContext, options: TrailOptions) -> TrailAttack:
    """Return trail matching with these options, as a function of both sides."""
    return lambda released, auxiliary: match_trails(
        released, auxiliary, options, n_threads=context.n_threads
    )


def _try_reidit(context: AuditContext, options: TrailOptions) -> CandidateMethod:
    began = time.perf_counter()
    linkage = trail_attack(context, options)(*context.trails)
    chosen = read_variant(linkage)
    title = _REIDIT[chosen.algorithm, chosen.reserved]
    seconds = time.perf_counter() - began
    return CandidateMethod(title=title, linkage=linkage, seconds=seconds, chosen=chosen)


def _allowed_reidit(context: AuditContext) -> tuple[CandidateMethod, list[str]]:
    """Return the variant that the data allows, or if none, the one that links most; and notes."""
    first = _try_reidit(context, TrailOptions())
    if not read_trail_facts(first.linkage).contradicted:
        return first, [
            "The data does not contradict the release tactic assumed, under which no link is wrong."
        ]
    ways = (*REIDIT, LIKELY) if context.options.likely_trails else REIDIT
    tried = [_try_reidit(context, way) for way in ways]
    return max(tried, key=lambda way: way.count_right(context.truth)), [
        "The data contradicts every release tactic REIDIT assumes, so links may be wrong. Of its "
        "three variants the one with the most right links is shown."
        if len(ways) == len(REIDIT)
        else "The data contradicts every release tactic REIDIT assumes, so links may be wrong. Of "
        "its three variants and the most likely counterparts the one with the most right links is "
        "shown."
    ]
