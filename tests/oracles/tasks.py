"""What data is good for, by the definitions: events as plain tuples, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

Event = tuple[str, str, int]
"""Who, where, and in which second."""


def list_moves(events: Sequence[Event]) -> list[tuple[str, str, str, int]]:
    """Who went from where to where, and when they arrived."""
    moves = []
    for user in sorted({event[0] for event in events}):
        own = sorted((when, where) for who, where, when in events if who == user)
        for (_, origin), (when, target) in pairwise(own):
            if origin != target:
                moves.append((user, origin, target, when))
    return moves


def share_predicted(events: Sequence[Event]) -> float | None:
    """How often the later half of moves goes where the earlier half says."""
    moves = list_moves(events)
    if not moves:
        return None
    times = sorted(move[3] for move in moves)
    middle = times[(len(times) + 1) // 2 - 1]
    own, common, anywhere = Counter(), Counter(), Counter()  # type: ignore[var-annotated]
    for user, origin, target, when in moves:
        if when <= middle:
            own[user, origin, target] += 1
            common[origin, target] += 1
            anywhere[target] += 1
    tested = [move for move in moves if move[3] > middle]
    right = 0
    for user, origin, target, _ in tested:
        mine = [t for (u, o, t) in own if (u, o) == (user, origin)]
        others = [t for (o, t) in common if o == origin]
        ranked = sorted(
            mine or others or list(anywhere),
            key=lambda t: (
                -own[user, origin, t],
                -common[origin, t] if mine or others else -anywhere[t],
                t,
            ),
        )
        right += ranked[0] == target
    return right / len(tested) if tested else None


def visitors(events: Sequence[Event]) -> dict[object, float]:
    """People who came to each place in each hour."""
    came = {(who, where, when // 3600) for who, where, when in events}
    return dict(Counter((where, hour) for _, where, hour in came))


def flows(events: Sequence[Event]) -> dict[object, float]:
    """Share of moves from each place to each other one."""
    counted = Counter((origin, target) for _, origin, target, _ in list_moves(events))
    return {move: n / counted.total() for move, n in counted.items()}


def relative_error(before: dict[object, float], after: dict[object, float]) -> float:
    """The sum of differences, beside the sum of both."""
    keys = before.keys() | after.keys()
    apart = sum(abs(before.get(key, 0) - after.get(key, 0)) for key in keys)
    return apart / (sum(before.values()) + sum(after.values()))
