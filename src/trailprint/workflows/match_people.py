"""Per-person results of a matching: linked or not, confidence, and deciding view."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from trailprint.arrays import Ints
from trailprint.attacks.deciding_views import find_deciding_views
from trailprint.attacks.view_weights import ViewWeights
from trailprint.evaluation.risk import correct_links
from trailprint.evaluation.truth import Truth
from trailprint.features.histograms import Histograms
from trailprint.features.views import Views
from trailprint.linkage import Linkage


def describe_people(
    sides: tuple[Histograms | Views, Histograms | Views],
    linkage: Linkage,
    truth: Truth,
    weights: ViewWeights | None,
    *,
    metric: str,
    margins: bool,
) -> pa.Table:
    """Return a table with one row per released person; see `MatchResult.per_user`."""
    released, auxiliary = sides
    link = _link_of_each(released.n_users, linkage, truth)
    places = pa.array(link, mask=link < 0)
    columns: dict[str, Any] = {
        "user": released.users,
        "linked": _is_found(link, linkage, truth),
        "weight": pa.array(linkage.weight).take(places),
        "margin": pa.array(linkage.confidence).take(places)
        if margins
        else pa.nulls(len(link), pa.float64()),
    }
    if isinstance(released, Views) and isinstance(auxiliary, Views) and weights is not None:
        deciding = find_deciding_views(released, auxiliary, weights, linkage, metric=metric)
        columns["deciding_view"] = deciding.take(places)
    return pa.table(columns)


def _link_of_each(n_users: int, linkage: Linkage, truth: Truth) -> Ints:
    """Return the index of each released person's link, preferring a correct one; -1 if none."""
    wrong_first = np.argsort(correct_links(linkage, truth), kind="stable")
    link = np.full(n_users, -1, dtype=np.int64)
    link[linkage.released[wrong_first]] = wrong_first
    return link


def _is_found(link: Ints, linkage: Linkage, truth: Truth) -> pa.Array:
    """Whether each person is linked correctly; null for people without a counterpart."""
    has_counterpart = np.zeros(len(link), dtype=bool)
    has_counterpart[truth.released] = True
    right = np.append(correct_links(linkage, truth), False)
    return pa.array(right[link], mask=~has_counterpart)
