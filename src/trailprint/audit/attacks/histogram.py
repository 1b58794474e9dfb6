"""Histogram matching in an audit: location histograms, matched jointly or one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar

from trailprint.attacks.histogram import match_histograms
from trailprint.attacks.options import MatchOptions, Method
from trailprint.audit.attacks.choices import HistogramChoice, choice_of
from trailprint.audit.attacks.family import AttackFamily, Repeated
from trailprint.audit.attacks.measuring import (
    control_attack,
    describe,
    find_people,
    keep_attack,
    measure_coverage,
    read_proof,
)
from trailprint.audit.context import AuditContext
from trailprint.audit.methods import CandidateMethod, choose_method
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.estimates import margins_seconds, match_seconds
from trailprint.audit.wording import lower_first
from trailprint.features.histograms import Histograms
from trailprint.linkage import Linkage
from trailprint.studies.repeated import look_at_histograms, prepare_histograms

HistogramAttack = Callable[[Histograms, Histograms], Linkage]

_COUNTED = {"visits": "visits", "duration": "durations", "day-balanced": "balanced days"}
_METHODS: Mapping[Method, str] = {
    "joint": "Joint matching",
    "one-by-one": "One-by-one matching",
}


class HistogramFamily(AttackFamily):
    """Joint matching with margins or one-by-one matching, whichever links more people."""

    name = "histogram"
    title = "Histogram matching"
    question = "Do habits, how often people are where, identify them across the two sides?"
    assumptions = (
        "The adversary has records of the same people, by name, from another period.",
        "They compare everybody with everybody at once, and each released record belongs to "
        "at most one person.",
        "Habits change little between the two periods.",
    )
    choice: ClassVar[type] = HistogramChoice

    def estimate(self, context: AuditContext) -> float:
        """Time of two matchings, one of them with margins."""
        return margins_seconds(context.sizes) + match_seconds(context.sizes)

    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Match with both methods and keep the one that links more people."""
        tried = []
        for method, title in _METHODS.items():
            began = time.perf_counter()
            linkage = histogram_attack(context, method)(*context.histograms)
            seconds = time.perf_counter() - began
            tried.append(
                CandidateMethod(
                    title=title,
                    linkage=linkage,
                    seconds=seconds,
                    chosen=HistogramChoice(method=method),
                )
            )
            progress(0.6)
        found = choose_method(tried[0], tried[1], context.truth)
        linkage = found.best.linkage
        title = f"{lower_first(found.best.title)} of {_COUNTED[context.options.weight]}"
        entry = replace(
            describe(self.name, found, context.truth),
            variant=f"{title}, Jensen–Shannon weight",
            coverage=measure_coverage(linkage, context.truth),
            proof=read_proof(linkage),
        )
        return keep_attack(entry, found, find_people(linkage, context, context.truth))

    def estimate_control(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Time of two more matchings, with margins."""
        return 2 * margins_seconds(context.sizes)

    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Run the controls with the chosen method."""
        choice = choice_of(before["attack/histogram"], HistogramChoice)
        attack = histogram_attack(context, choice.method)
        return control_attack(self.name, attack, context.histograms, context, before, progress)

    def repeat(self, context: AuditContext, outcome: Outcome | None) -> Repeated:
        """Joint matching without margins."""
        attack = histogram_attack(context, margins=False)
        prepare = prepare_histograms(attack, context.counting)
        return Repeated(
            name=self.name,
            title=self.title,
            as_is=lambda: look_at_histograms(attack, *context.histograms),
            prepare_events=lambda released, auxiliary, chain: prepare(released, auxiliary),
        )

    def has_margins(self, outcome: Outcome) -> bool:
        """Whether matching was joint: one-by-one confidences are gains, not margins."""
        return choice_of(outcome, HistogramChoice).method == "joint"


def histogram_attack(
    context: AuditContext, method: Method = "joint", *, margins: bool = True
) -> HistogramAttack:
    """Return the matching of histograms that the audit runs, as a function of both sides."""
    options = MatchOptions(
        method=method, margins=margins and method == "joint", seed=context.options.seed
    )
    return lambda released, auxiliary: match_histograms(
        released, auxiliary, options, n_threads=context.n_threads
    )
