"""Sentences about attacks, risks and protections, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trailprint.audit.results.attacks import AttackFinding
from trailprint.audit.results.protections import (
    AloneFacts,
    HeadlineProtection,
    ProtectionPoint,
    SearchFacts,
)
from trailprint.display.numbers import format_percent
from trailprint.evaluation.intervals import wilson
from trailprint.studies.findings import ControlFinding

LOSS_MEANING = (
    "Information loss compares each person's habits before and after: 0 % when nothing changed, "
    "100 % when everybody's were replaced by the average of all, and more where habits became "
    "more unlike than that. A person who is dropped counts as fully lost."
)

NOTHING_KNOWN = "Which locations reveal most was not looked into."


def percent(share: float) -> str:
    """Format a share in percent."""
    return format_percent(share)


def duration(seconds: float) -> str:
    """Format a duration in words."""
    if seconds < 1:
        return "less than a second"
    if seconds < 1.5:
        return "1 second"
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def share_or_most(share: float | None, at_most: float | None) -> str:
    """Format a share in percent; if it is masked, the most it can be."""
    return f"at most {percent(at_most or 0.0)}" if share is None else percent(share)


def headline_sentence(attack: AttackFinding) -> str:
    """Say how many people could be linked, compared with chance, and whether it may be luck."""
    chance, n_right = attack.chance or 0.0, attack.correct
    is_luck = attack.interval is not None and attack.interval[0] <= chance
    return (
        f"{_count_linked(n_right, attack)} could be linked to their own record by "
        f"{lower_first(attack.title)}; by chance it would be {percent(chance)}"
        f"{', so that luck may be all there is' if is_luck else ''}."
    )


def _count_linked(n_right: int | str | None, attack: AttackFinding) -> str:
    n_people = attack.people or 0
    if isinstance(n_right, str) and n_people < int(n_right[1:]):
        return f"{n_people:,} people are too few to show how many"
    many = f"Fewer than {n_right[1:]}" if isinstance(n_right, str) else f"{n_right or 0:,}"
    return f"{many} of {n_people:,} people ({share_or_most(attack.accuracy, attack.at_most)})"


def protection_sentence(protection: HeadlineProtection) -> str:
    """Say what the cheapest protection that helps would leave and cost."""
    label = lower_first(protection.label)
    left = share_or_most(protection.share, protection.at_most)
    return (
        f"The cheapest protection tried that helps ({label}) would leave "
        f"{left} and cost {percent(protection.loss or 0.0)} of the information."
    )


def target_sentence(
    target_risk: float,
    target: ProtectionPoint | None,
    n_people: int,
    search: SearchFacts | None,
) -> str:
    """Say whether the target can be reached, and at what loss."""
    wanted = f"at most {percent(target_risk)} of the people linked"
    if target is None:
        return f"Nothing that was tried leaves {wanted}.{_why_not(target_risk, n_people, search)}"
    left = share_or_most(target.accuracy, target.at_most)
    if target.is_unprotected:
        return f"The data as it is leaves {wanted} ({left}): no protection is needed for that."
    return (
        f"{target.label}: of {_count_tried(search)}, the least loss with {wanted}. It leaves "
        f"{left} linked and loses {percent(target.loss or 0.0)} of the information. For every "
        "attack the upper end of the 95 % interval is not above the target, however ties between "
        "equal records are drawn, and among those still in the release."
        f"{_describe_alone(target.alone)}"
    )


def _describe_alone(alone: AloneFacts | None) -> str:
    """Say what an audit of the release itself will find."""
    if alone is None:
        return ""
    left = share_or_most(alone.accuracy, alone.at_most)
    return (
        f" An audit of the release itself links {left} of the {alone.people:,} people it can be "
        "about; the upper end of that interval is not above the target either."
    )


def _count_tried(search: SearchFacts | None) -> str:
    return "what was tried" if search is None else f"{search.tried:,} releases that were tried"


def _why_not(target_risk: float, n_people: int, search: SearchFacts | None) -> str:
    """Say why nothing may reach the target: too few people, or too little time."""
    least = (wilson(0, n_people) or (0.0, 1.0))[1]
    if least > target_risk:
        return (
            f" With {n_people:,} people even nobody linked has an upper bound of "
            f"{percent(least)}: too few people to show it."
        )
    if search is None:
        return " The search was left out."
    return " The search was stopped when its time was up." if search.stopped else ""


def failed_controls_sentence(
    controls: Sequence[ControlFinding], titles: Mapping[str, str]
) -> str | None:
    """Say what failed controls mean for the figures; None if all passed."""
    failed = [control for control in controls if not control.passed]
    if not failed:
        return None
    if any(control.kind != "absent" for control in failed):
        return "Do not use these figures before you know why a control failed."
    names = " and ".join(
        dict.fromkeys(lower_first(titles.get(one.attack, one.attack)) for one in failed)
    )
    return (
        f"Do not rely on the confidence of {names}: links of people who are not in the release "
        "are as confident. The rates are still valid."
    )


def lower_first(title: str) -> str:
    """Return a title for use within a sentence: in lower case, unless it is an abbreviation."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
