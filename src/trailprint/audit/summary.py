"""Summary of a result on one screen, as rows and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.results.attacks import (
    AttackFinding,
    Interval,
    WorstCase,
)
from trailprint.audit.results.data import Outside
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import PointsFinding
from trailprint.audit.results.protections import (
    HeadlineProtection,
    ProtectionPoint,
    Protections,
)
from trailprint.audit.wording import (
    failed_controls_sentence,
    lower_first,
    percent,
    share_or_most,
)
from trailprint.studies.findings import ControlFinding
from trailprint.studies.small_counts import HIDDEN
from trailprint.values import MaskedCount

Row = tuple[str, str]

#: Number of left-out items listed by name.
_MOST_NAMED = 6
_STUDIES = {
    "users": "number of people",
    "time": "length of observation",
    "resolution": "size of places",
    "knowledge": "share of people known",
    "amount-known": "how much is known of each person",
}
_POINTS = {
    "worst-2": "the two most revealing points",
    "worst-4": "the four most revealing points",
    "grid": "known points released coarser",
}


def summarise(found: Findings) -> list[Row]:
    """Return the most important figures as names and values, at most one screen of them."""
    n_people, outside = found.data.common_users or 0, found.data.outside
    rows: list[Row] = [
        ("people on both sides", f"{n_people:,}"),
        *([] if outside is None else [_outside(outside)]),
        ("locations", f"{found.data.locations:,}"),
        *(_attack(attack, n_people) for attack in found.attacks),
        *([] if found.worst_case is None else [_worst_case(found.worst_case)]),
        *([] if found.points is None else _points(found.points)),
        ("controls", _controls(found.controls)),
    ]
    users = found.growth.users
    if users is not None and users.fit is not None:
        far = users.fit.extrapolation[-1]
        guess = f"{percent(far.accuracy or 0.0)} ({_reach(far.low or 0.0, far.high or 0.0)})"
        rows.append((f"at {far.x:,.0f} people, extrapolated", guess))
    if found.protections is None:
        return rows
    return rows + _protections(found.protections, found.headline.protection)


def _outside(outside: Outside) -> Row:
    return "people not covered by any rate", f"{outside.people:,} of {outside.of:,}: {outside.why}"


def _attack(attack: AttackFinding, n_people: int) -> Row:
    """Row with the share an attack links, and of how many people if it was tried on a sample."""
    name, n_tried = lower_first(attack.title), attack.people or 0
    if not attack.ran:
        return name, "not run"
    if n_tried < n_people:
        name += f", of {n_tried:,} people"
    linked = _linked(attack.correct, attack.accuracy, attack.interval)
    return name, f"{linked}, chance {percent(attack.chance or 0.0)}"


def _worst_case(worst: WorstCase) -> Row:
    """Row with the share any attack links, and of how many people if not all were tried by all."""
    name = "linked by any of them"
    if worst.not_tried:
        name += f", of {worst.people or 0:,} tried by all"
    return name, _linked(worst.linked, worst.share, worst.interval)


def _points(found: PointsFinding) -> list[Row]:
    """Rows about singling out, named differently because nobody is linked by it."""
    if not found.ran:
        return [(lower_first(found.title), "not run")]
    drawn, worst = found.quoted_point, found.worst
    rows = []
    if drawn is not None:
        named = f"singled out by {_known(drawn.points)}"
        rows.append((named, share_or_most(drawn.share, drawn.at_most) + _within(drawn.interval)))
    if worst is not None:
        named = f"  by the {_most_revealing(worst.k)}"
        rows.append((named, share_or_most(worst.share, worst.at_most) + _within(worst.interval)))
    return rows


def _known(number: int) -> str:
    return "1 known point" if number == 1 else f"{number} known points"


def _most_revealing(number: int) -> str:
    return "most revealing point" if number == 1 else f"{number} most revealing points"


def _within(interval: Interval | None) -> str:
    return f" ({_reach(*interval)})" if interval else ""


def _linked(linked: MaskedCount | None, share: float | None, interval: Interval | None) -> str:
    """A share with its interval; for a masked count, its meaning in words."""
    if linked == HIDDEN:
        return "not shown: few people would follow"
    if isinstance(linked, str):
        return f"{'fewer' if linked[0] == '<' else 'more'} than {int(linked[1:]):,} people"
    if share is None:
        return "—"
    return percent(share) + _within(interval)


def _reach(low: float, high: float) -> str:
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def _controls(controls: Sequence[ControlFinding]) -> str:
    n_failed = sum(not control.passed for control in controls)
    if not controls:
        return "none run"
    return f"{n_failed} of {len(controls)} FAILED" if n_failed else f"all {len(controls)} passed"


def _protections(protections: Protections, named: HeadlineProtection | None) -> list[Row]:
    """A few points on the frontier that help, and the one named in the headline."""
    risk = max((_most(p) for p in protections.points if p.is_unprotected), default=2.0)
    points = [p for p in protections.points if p.on_frontier and _most(p) < risk]
    points.sort(key=_loss)
    step = max(1, -(-len(points) // 4))
    shown = points[::step]
    chosen = next((p for p in protections.points if _is_named(p, named)), None)
    if chosen is not None and chosen not in shown:
        shown.append(chosen)
    return [
        (
            f"{point.label[0].lower()}{point.label[1:]}",
            f"{share_or_most(point.accuracy, point.at_most)} linked, {percent(_loss(point))} lost",
        )
        for point in sorted(shown, key=_loss)
    ]


def _loss(point: ProtectionPoint) -> float:
    return point.loss or 0.0


def _most(point: ProtectionPoint) -> float:
    """The share still linked under a protection; if it is masked, the most it can be."""
    return (point.at_most or 0.0) if point.accuracy is None else point.accuracy


def _is_named(point: ProtectionPoint, named: HeadlineProtection | None) -> bool:
    return named is not None and (point.label, point.name, point.parameters) == (
        named.label,
        named.name,
        named.parameters,
    )


def list_notes(found: Findings) -> list[str]:
    """Return the notes needed to interpret the figures."""
    notes = found.data_notes
    if found.data.split is not None:
        notes.append(found.data.split.description)
    if found.data.periods_overlap:
        notes.append(
            "The two periods overlap: the sides may share events, and the risk is overstated."
        )
    notes += [
        f"{attack.title} did not run. {attack.why_not}"
        for attack in found.attacks
        if not attack.ran
    ]
    if found.points is not None and not found.points.ran:
        notes.append(f"{found.points.title} was not measured. {found.points.why_not}")
    failed = failed_controls_sentence(found.controls, found.attack_titles)
    if failed is not None:
        notes.append(failed)
    protections = found.protections
    if protections is not None and protections.target is None and protections.target_reading:
        notes.append(protections.target_reading)
    left_out = list_left_out(found)
    if left_out:
        notes.append(f"Left out: {'; '.join(left_out)}. The report says why.")
    return notes


def list_left_out(found: Findings) -> list[str]:
    """Return the studies and protections that were not run, the first of them by name."""
    refused = () if found.protections is None else found.protections.left_out
    studies = [f"risk by {_STUDIES.get(one.study, one.study)}" for one in found.growth.left_out]
    measured = found.points if found.points is not None and found.points.ran else None
    points = [
        _POINTS.get(one.study, one.study) for one in (() if measured is None else measured.left_out)
    ]
    names = [*studies, *points, *(lower_first(one.label) for one in refused)]
    n_more = len(names) - _MOST_NAMED
    return names if n_more <= 0 else [*names[:_MOST_NAMED], f"{n_more:,} more"]
