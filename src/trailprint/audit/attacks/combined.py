"""Combined matching in an audit: several views of the same people, with learnt weights."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailprint.arrays import Ints
from trailprint.attacks.combined import match_views
from trailprint.attacks.deciding_views import find_deciding_views
from trailprint.attacks.options import MatchOptions, Method
from trailprint.attacks.view_weights import ViewWeights
from trailprint.audit.attacks.choices import CombinedChoice, choice_of
from trailprint.audit.attacks.family import AttackFamily, Repeated
from trailprint.audit.attacks.learning import PreparedViews, prepare_views, swap_ids
from trailprint.audit.attacks.measuring import (
    control_attack,
    describe,
    find_people,
    keep_attack,
    keep_controls,
    measure_coverage,
    read_proof,
)
from trailprint.audit.context import AuditContext, Sizes
from trailprint.audit.methods import CandidateMethod, choose_method
from trailprint.audit.parts import Outcome, PartProgress
from trailprint.audit.planning.estimates import (
    USUAL_VIEWS,
    learning_seconds,
    margins_seconds,
    views_seconds,
)
from trailprint.audit.planning.memory import view_bytes
from trailprint.audit.results.attacks import ViewFinding, ViewLeftOut, ViewsFinding
from trailprint.audit.results.kept import controls_of
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.events.events import Events
from trailprint.features.views import VIEWS, Views
from trailprint.linkage import Linkage
from trailprint.protections.protection import Protection
from trailprint.studies.controls import control_weights
from trailprint.studies.judging import Judge
from trailprint.studies.people import Attack
from trailprint.studies.repeated import PreparedAttack
from trailprint.workflows.views import MOST_PEOPLE, describe_views, draw_people

Pair = tuple[Views, Views]

#: Share of its time that a matching takes with a warm start from prices with one more view.
_WARM = 0.5
_METHODS: Mapping[Method, str] = {
    "joint": "Joint matching of several views",
    "one-by-one": "One-by-one matching of several views",
}


class CombinedFamily(AttackFamily):
    """
    Several views, with weights learnt from the auxiliary side.

    Matching is joint or one by one, whichever links more people.
    """

    name = "combined"
    title = "Combined matching"
    question = (
        "Do places, days, hours and moves together identify people, when an adversary looks at "
        "all of them at once?"
    )
    assumptions = (
        "The adversary has records of the same people, by name, from another period.",
        "They compare everybody with everybody at once, by several views of their behaviour.",
        "How much each view counts they learn from their own records alone.",
    )
    choice: ClassVar[type] = CombinedChoice

    def refuse(self, context: AuditContext) -> str | None:
        """Refuse a single view, which histogram matching already covers."""
        if _views_there(context) > 1:
            return None
        return "It needs several views of people, and the data gives only how often they are where."

    def needed_bytes(self, sizes: Sizes) -> float:
        """Memory of all views of both sides."""
        return view_bytes(sizes)

    def estimate(self, context: AuditContext) -> float:
        """Time if half of the possible views have a weight; how many do is known only later."""
        return _estimate(context, max(_views_there(context) // 2, 1))

    def estimate_known(self, context: AuditContext, outcome: Outcome) -> float:
        """Time with the views that had a weight."""
        return _estimate(context, self.count_views(outcome))

    def run(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Learn weights, match with both methods, and measure what each view adds."""
        ready = prepare_views(context, *context.events, contributions=True)
        pair, weights = _align(context, ready), ready.weights
        progress(0.3)
        tried = [_try(context, pair, weights, method) for method in _METHODS]
        found = choose_method(tried[0], tried[1], context.truth)
        progress(0.5)
        linkage = found.best.linkage
        entry = replace(
            describe(self.name, found, context.truth),
            coverage=measure_coverage(linkage, context.truth),
            proof=read_proof(linkage),
            views=_describe_views(context, pair, weights, tried[0].linkage),
        )
        arrays = find_people(linkage, context, context.truth)
        arrays["decided"] = _number_views(context, pair, weights, linkage)
        return keep_attack(entry, found, arrays)

    def fits(self, outcome: Outcome, sizes: Sizes) -> bool:
        """Whether each person's deciding view is valid, and all weights are of known views."""
        decided = outcome.arrays.get("decided")
        return (
            decided is not None
            and decided.dtype == np.int64
            and decided.shape == (sizes.n_people,)
            and not np.any((decided < -1) | (decided >= len(VIEWS)))
            and all(name in VIEWS for name in _weights(outcome).shares)
        )

    def estimate_control(self, context: AuditContext, outcome: Outcome | None) -> float:
        """Time of two more matchings with margins, and of learning weights once more."""
        sizes = context.sizes
        once = views_seconds(sizes, self.count_views(outcome)) + margins_seconds(sizes)
        return learning_seconds(sizes) + 2 * once

    def control(
        self, context: AuditContext, before: Mapping[str, Outcome], progress: PartProgress
    ) -> Outcome:
        """Controls: absent people, permuted rows, and swapped ids that must not change weights."""
        known = before[f"attack/{self.name}"]
        choice = choice_of(known, CombinedChoice)
        weights = choice.weights
        attack = _attack(context, weights, choice.method)
        pair = _counted_views(context, weights)
        found = control_attack(self.name, attack, pair, context, before, progress)
        released, auxiliary = context.events
        again = prepare_views(context, swap_ids(released, context.options.seed), auxiliary)
        same = again.weights.shares == weights.shares
        return keep_controls((*controls_of(found), control_weights(self.name, same).to_finding()))

    def repeat(self, context: AuditContext, outcome: Outcome | None) -> Repeated:
        """Joint matching without margins; on changed events, weights are learnt again."""

        def as_is() -> PreparedAttack[Views]:
            if outcome is None:
                ready = prepare_views(context, *context.events)
                return _repeatable(context, _align(context, ready), ready.weights)
            weights = _weights(outcome)
            return _repeatable(context, _counted_views(context, weights), weights)

        return Repeated(
            name=self.name,
            title=self.title,
            as_is=as_is,
            prepare_events=lambda released, auxiliary, chain: _repeatable(
                context, *_unpack(prepare_views(context, released, auxiliary, chain))
            ),
        )

    def judge(self, context: AuditContext, outcome: Outcome) -> Judge:
        """Joint matching and the method that won, with weights learnt again for each release."""
        methods = _list_methods(choice_of(outcome, CombinedChoice))

        def prepare(
            released: Events, auxiliary: Events, chain: Sequence[Protection]
        ) -> list[PreparedAttack[Views]]:
            pair, weights = _unpack(prepare_views(context, released, auxiliary, chain))
            return [_repeatable(context, pair, weights, method) for method in methods]

        return Judge(name=self.name, on_events=prepare)

    def estimate_repeat(
        self, sizes: Sizes, outcome: Outcome | None, *, on_events: bool = False
    ) -> float:
        """Time of one matching; on changed events, also to build views and learn weights."""
        once = views_seconds(sizes, self.count_views(outcome))
        return once + learning_seconds(sizes) if on_events else once

    def count_views(self, outcome: Outcome | None) -> int:
        """Number of views with a weight; a typical number before it ran."""
        return USUAL_VIEWS if outcome is None else max(len(_weights(outcome).shares), 1)

    def has_margins(self, outcome: Outcome) -> bool:
        """Whether matching was joint: one-by-one confidences are gains, not margins."""
        return choice_of(outcome, CombinedChoice).method == "joint"

    def describe_people(self, outcome: Outcome) -> dict[str, pa.Array]:
        """Column with the deciding view of each linked person."""
        decided = outcome.arrays["decided"]
        names = pa.array(list(VIEWS)).take(pa.array(decided, mask=decided < 0))
        return {"deciding_view": names}


def _views_there(context: AuditContext) -> int:
    """Number of views that the data allows."""
    return context.remember(
        "views there are",
        lambda: sum(view.lacks(context.events) is None for view in VIEWS.values()),
    )


def _estimate(context: AuditContext, n_used: int) -> float:
    """Time to learn weights, match twice, and measure what each view adds."""
    sizes = context.sizes
    few = replace(
        sizes,
        n_released=min(sizes.n_released, MOST_PEOPLE),
        n_auxiliary=min(sizes.n_auxiliary, MOST_PEOPLE),
    )
    matching = 2 * views_seconds(sizes, n_used) + margins_seconds(sizes)
    alone, without = views_seconds(few, 1), _WARM * views_seconds(few, n_used)
    return learning_seconds(sizes) + matching + _views_there(context) * alone + n_used * without


def _unpack(ready: PreparedViews) -> tuple[Pair, ViewWeights]:
    return (ready.released, ready.auxiliary), ready.weights


def _repeatable(
    context: AuditContext, pair: Pair, weights: ViewWeights, method: Method = "joint"
) -> PreparedAttack[Views]:
    return PreparedAttack(
        released=pair[0],
        auxiliary=pair[1],
        attack=_attack(context, weights, method, margins=False),
        records=pair[0].records,
        n_locations=pair[0].n_locations,
    )


def _attack(
    context: AuditContext, weights: ViewWeights, method: Method, *, margins: bool = True
) -> Attack[Views]:
    options = MatchOptions(
        method=method, margins=margins and method == "joint", seed=context.options.seed
    )
    return lambda released, auxiliary: match_views(
        released, auxiliary, weights, options, n_threads=context.n_threads
    )


def _try(
    context: AuditContext, pair: Pair, weights: ViewWeights, method: Method
) -> CandidateMethod:
    began = time.perf_counter()
    linkage = _attack(context, weights, method)(*pair)
    return CandidateMethod(
        title=_METHODS[method],
        linkage=linkage,
        seconds=time.perf_counter() - began,
        chosen=CombinedChoice(method=method, weights=weights),
    )


def _list_methods(choice: CombinedChoice) -> tuple[Method, ...]:
    """Joint matching, and the method that won if it is another."""
    return ("joint",) if choice.method == "joint" else ("joint", choice.method)


def _weights(outcome: Outcome) -> ViewWeights:
    return choice_of(outcome, CombinedChoice).weights


def _counted_views(context: AuditContext, weights: ViewWeights) -> Pair:
    """Views with a weight, with the rows of the context's histograms."""
    names = tuple(weights.shares)
    return context.remember(
        ("views", names),
        lambda: _align(context, prepare_views(context, *context.events, weights=weights)),
    )


def _align(context: AuditContext, ready: PreparedViews) -> Pair:
    """Reorder rows as in the context's histograms."""
    first, second = (
        views.select(_rows_of(histograms.users, views.users))
        for views, histograms in zip(
            (ready.released, ready.auxiliary), context.histograms, strict=True
        )
    )
    return first, second


def _rows_of(users: pa.Array, among: pa.Array) -> Ints:
    rows: Ints = pc.index_in(users, value_set=among).to_numpy(zero_copy_only=False).astype(np.int64)
    return rows


def _number_views(
    context: AuditContext, pair: Pair, weights: ViewWeights, linkage: Linkage
) -> Ints:
    """Index of each person's deciding view in `VIEWS`; -1 if there is none."""
    names = find_deciding_views(*pair, weights, linkage, n_threads=context.n_threads)
    number = pc.fill_null(pc.index_in(names, value_set=pa.array(list(VIEWS))), -1)
    by_row = np.full(context.sizes.n_released, -1, dtype=np.int64)
    by_row[linkage.released] = number.to_numpy(zero_copy_only=False)
    return by_row[context.truth.released]


def _describe_views(
    context: AuditContext, pair: Pair, weights: ViewWeights, linkage: Linkage
) -> ViewsFinding:
    """Measure what each view links alone, and what the others link without it."""
    options = MatchOptions(seed=context.options.seed)
    drawn, truth = draw_people(pair, context.truth, options.seed)
    if drawn is not pair:
        linkage = match_views(*drawn, weights, options, n_threads=context.n_threads)
    together = _accuracy(linkage, truth)
    shares = describe_views(drawn, weights, truth, options, context.n_threads)
    return ViewsFinding(
        weights_from=weights.source,
        note=weights.note,
        learnt_from=weights.n_people,
        people=truth.n_common,
        accuracy=together,
        views=tuple(
            ViewFinding(
                name=share.name,
                title=share.title,
                weight=share.weight,
                keys=share.keys,
                accuracy_alone=share.accuracy_alone,
                leave_one_out=None
                if share.accuracy_without is None or not share.weight
                else share.accuracy_without - together,
            )
            for share in shares
        ),
        left_out=tuple(
            ViewLeftOut(name=name, title=VIEWS[name].title, why=why)
            for name, why in pair[0].left_out.items()
        ),
    )


def _accuracy(linkage: Linkage, truth: Truth) -> float:
    return int(np.count_nonzero(correct_links(linkage, truth))) / max(truth.n_common, 1)
