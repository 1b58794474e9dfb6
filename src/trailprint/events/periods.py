"""Whether two datasets cover the same period; the papers assume that they do not."""

from __future__ import annotations

from trailprint.events.events import Events
from trailprint.events.meeting import in_one_engine


def periods_overlap(released: Events, auxiliary: Events) -> bool | None:
    """
    Return whether the sides overlap in time; None if one has no times or no events.

    They overlap if their spans do, unless they have users in common and none of these has
    events on both sides on the same local day: then each person's periods are disjoint, as in a
    split by weeks or folds.
    """
    if "start" not in released.columns or "start" not in auxiliary.columns:
        return None
    spans = [
        side.engine.row(f'SELECT min("start"), max("start") FROM ({side.query})')
        for side in (released, auxiliary)
    ]
    if None in (*spans[0], *spans[1]):
        return None
    (first, last), (other_first, other_last) = spans
    if max(first, other_first) > min(last, other_last):
        return False
    released, auxiliary = in_one_engine([released, auxiliary])
    n_common, n_shared_days = released.engine.row(
        f"""WITH ours AS ({_active_days(released)}), theirs AS ({_active_days(auxiliary)})
            SELECT (SELECT count(*) FROM (SELECT who FROM ours INTERSECT SELECT who FROM theirs)),
                   (SELECT count(*) FROM ours JOIN theirs USING (who, day))"""
    )
    return not n_common or n_shared_days > 0


def _active_days(side: Events) -> str:
    day = f"CAST({side.local_start} AS DATE)"
    return f'SELECT DISTINCT CAST("user" AS VARCHAR) AS who, {day} AS day FROM ({side.query})'
