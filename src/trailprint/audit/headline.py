"""The headline of an audit: how many people are linked, by which attack, and what helps."""

from __future__ import annotations

from collections.abc import Sequence

from trailprint.audit.disclosure import mask_attack, mask_protection
from trailprint.audit.frontier import EFFECTIVE, has_effect, is_comparable, is_whole
from trailprint.audit.results.attacks import MeasuredAttack
from trailprint.audit.results.data import KnownFacts
from trailprint.audit.results.findings import Headline
from trailprint.audit.results.protections import (
    HeadlineProtection,
    MeasuredProtection,
    MeasuredProtections,
)
from trailprint.audit.wording import LOSS_MEANING, headline_sentence, protection_sentence

#: With this loss or more, data is worth no more than the average of all people: not proposed.
WHOLLY_LOST = 1.0


def make_headline(
    attacks: Sequence[MeasuredAttack],
    protections: MeasuredProtections,
    n_people: int,
    knows: KnownFacts | None = None,
) -> Headline:
    """Return the strongest attack and the cheapest protection that helps, small counts masked."""
    found = mask_attack(_strongest(attacks))
    share, chance = found.accuracy, found.chance
    protection = _name_cheapest(protections, n_people)
    sentence = headline_sentence(found)
    if knows is not None:
        sentence += f" {knows.reading}"
    if protection is not None:
        sentence += " " + protection_sentence(protection)
    return Headline(
        people=found.people,
        linked=found.correct,
        share=share,
        interval=found.interval,
        at_most=found.at_most,
        chance=chance,
        times_chance=share / chance if chance and share is not None else None,
        attack=found.name,
        attack_title=found.title,
        assumption=found.assumptions[0],
        protection=protection,
        sentence=sentence,
    )


def _strongest(attacks: Sequence[MeasuredAttack]) -> MeasuredAttack:
    """Return the attack that links the largest share, among those tried on the most people."""
    most = max(attack.people for attack in attacks)
    return max(
        (attack for attack in attacks if attack.people == most),
        key=lambda attack: attack.accuracy or 0.0,
    )


def _name_cheapest(protections: MeasuredProtections, n_people: int) -> HeadlineProtection | None:
    point = _find_cheapest(protections)
    if point is None:
        return None
    told = mask_protection(point, n_people)
    return HeadlineProtection(
        label=point.label,
        name=point.name,
        written=point.written,
        parameters=point.parameters,
        attack=point.attack,
        share=told.accuracy,
        interval=told.interval,
        at_most=told.at_most,
        loss=point.loss,
        loss_meaning=LOSS_MEANING,
    )


def _find_cheapest(protections: MeasuredProtections) -> MeasuredProtection | None:
    """Return the protection for the target, if set, or else the cheapest that halves the risk."""
    if protections.target_risk is not None:
        target = protections.target
        return None if target is None or target.is_unprotected else target
    plain = next((point for point in protections.points if point.is_unprotected), None)
    if not is_comparable(plain):
        return None
    limit = 0.0 if plain is None else EFFECTIVE * plain.accuracy
    enough = [
        point
        for point in protections.points
        if not point.is_unprotected
        and is_whole(point)
        and point.accuracy <= limit
        and point.loss < WHOLLY_LOST
        and has_effect(point, plain)
    ]
    return min(enough, key=lambda point: point.loss, default=None)
