"""
Attack a protected release as its own audit would: protect the whole dataset, then cut it in two.

A trial protects the two sides of the audit, but what is published is the whole dataset, protected.
Protection changes who is active in which weeks, so that the release is cut elsewhere, and people
with too little data left are on neither side. Releases to be published are therefore attacked this
way, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trailprint.attacks.options import MatchOptions
from trailprint.audit.context import AuditContext
from trailprint.audit.results.protections import MeasuredAlone
from trailprint.audit.sides import cut_again
from trailprint.errors import InputError, OptionError
from trailprint.events.events import Events
from trailprint.events.halving import count_people
from trailprint.protections.chain import ChainState, changes_histograms, protect_events, start
from trailprint.protections.protection import Protection
from trailprint.studies.judging import Judge
from trailprint.studies.options import TrialOptions
from trailprint.studies.protection_trial import TrialContext

#: An audit keeps the method that links more people, whichever won before protection.
_ONE_BY_ONE = MatchOptions(method="one-by-one")
_FEWEST = 2
#: Each release has new ids, so that ties between equally good matchings are broken differently. Ids
#: are drawn this often at most, and for this number of people in total: among many people they
#: change little.
_MOST_DRAWS, _DRAWN_PEOPLE = 20, 10_000


def measure_alone(
    context: AuditContext,
    chain: Sequence[Protection],
    judges: Sequence[Judge],
    options: TrialOptions,
) -> MeasuredAlone | None:
    """Return what attacks achieve against a release alone; None if it cannot be cut in two."""
    halves = _halve(context, chain)
    if halves is None:
        return None
    attacks = tuple(dict.fromkeys((*options.attacks, _ONE_BY_ONE)))
    n_draws = min(max(_DRAWN_PEOPLE // context.sizes.n_people, 1), _MOST_DRAWS)
    trial = TrialContext(
        *halves,
        (),
        replace(options, attacks=attacks),
        context.counting,
        context.n_threads,
        sharing=False,
    )
    point = trial.measure((), {}, judges, with_tasks=False, draws=n_draws)
    found = point.strongest
    return MeasuredAlone(
        people=trial.n_people,
        attack=found.family,
        accuracy=found.user_accuracy,
        interval=found.accuracy_interval,
        at_risk=point.at_risk,
    )


def _halve(context: AuditContext, chain: Sequence[Protection]) -> tuple[Events, Events] | None:
    """Return both halves of a protected release; None for histograms or two given datasets."""
    whole = context.sides.whole
    if whole is None or changes_histograms(chain):
        return None
    stage: ChainState = context.remember("whole", lambda: start(whole, counting=context.counting))
    protected = protect_events(stage, chain, context.options.seed).released
    try:
        halves = cut_again(protected, context.options)
    except (InputError, OptionError):
        return None
    return halves if count_people(*halves) >= _FEWEST else None
