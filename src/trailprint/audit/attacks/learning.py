"""Views in an audit and their weights, learnt from the auxiliary side cut as the data was cut."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from trailprint.attacks.view_weights import LEAST_PEOPLE, ViewWeights
from trailprint.audit.context import AuditContext
from trailprint.audit.sides import cut_like
from trailprint.errors import InputError
from trailprint.events.events import Events
from trailprint.events.halving import Halves, count_people
from trailprint.features.views import Views
from trailprint.protections.chain import protect_alone
from trailprint.protections.protection import Protection
from trailprint.workflows.learning_cuts import CutEvents, cut_or_suit
from trailprint.workflows.options import ViewOptions
from trailprint.workflows.views import build_views


class PreparedViews(NamedTuple):
    """Views of both sides, and their weights."""

    released: Views
    auxiliary: Views
    weights: ViewWeights


def prepare_views(
    context: AuditContext,
    released: Events,
    auxiliary: Events,
    chain: Sequence[Protection] = (),
    *,
    weights: ViewWeights | None = None,
    contributions: bool = False,
) -> PreparedViews:
    """
    Build views and learn their weights, unless these are given.

    Without ``contributions`` only views with a nonzero weight are built. ``chain`` holds the
    protections applied to the events: an adversary who knows them applies them to half of their
    own data before learning.
    """
    options = ViewOptions(
        weights="learnt" if weights is None else weights.shares,
        contributions=contributions,
    )
    built = build_views(
        released,
        auxiliary,
        options,
        cut=_cut_like_audit(context, chain),
        seed=context.options.seed,
        n_threads=context.n_threads,
    )
    return PreparedViews(*built)


def _cut_like_audit(context: AuditContext, chain: Sequence[Protection]) -> CutEvents:
    """Return the cut of the audited data, or a suitable one if that leaves too few people."""

    def cut(events: Events, seed: int) -> Halves:
        halves = cut_or_suit(partial(cut_like, context.sides), events, seed)
        try:
            released = protect_alone(halves[0], chain, seed + 1)
        except InputError:
            return halves
        protected = released, halves[1]
        return protected if count_people(*protected) >= LEAST_PEOPLE else halves

    return cut


def swap_ids(events: Events, seed: int) -> Events:
    """Return the events with ids permuted so that no person keeps their own."""
    turn = f"""OVER (ORDER BY md5(CAST("user" AS VARCHAR) || '/{seed}'), "user")"""
    following = f'coalesce(lead("user") {turn}, first_value("user") {turn})'
    swapped = (
        f'SELECT "user" AS own, {following} AS other '
        f'FROM (SELECT DISTINCT "user" FROM ({events.query}))'
    )
    others = ", ".join(f'e."{column}"' for column in sorted(events.columns - {"user"}))
    return events.derive(
        f'SELECT p.other AS "user", {others} FROM ({events.query}) e '
        f'JOIN ({swapped}) p ON e."user" = p.own'
    ).materialise()
