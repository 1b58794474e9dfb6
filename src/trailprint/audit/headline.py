"""What an audit comes down to: how many of how many, by which attack, and what helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trailprint.audit.disclosure import veil_attack, veil_point
from trailprint.audit.wording import ABOUT, LOSS_MEANING, headline_sentence, protection_sentence

#: Without a target, a protection is called effective when it leaves at most this share of the risk.
EFFECTIVE = 0.5
#: What loses more is worth less than the average of all people, and no bargain.
WHOLLY_LOST = 1.0


def make_headline(
    attacks: Sequence[Mapping[str, Any]], protections: Mapping[str, Any], n_people: int
) -> dict[str, Any]:
    """The strongest attack, and the cheapest protection that helps; of a few people, that."""
    found = veil_attack(_strongest(attacks))
    share, chance = found["accuracy"], found["chance"]
    protection = _cheapest(protections, n_people)
    sentence = headline_sentence(found)
    if protection is not None:
        sentence += " " + protection_sentence(protection)
    return {
        "people": found["people"],
        "linked": found["correct"],
        "share": share,
        "interval": found["interval"],
        "at_most": found.get("at_most"),
        "chance": chance,
        "times_chance": share / chance if chance and share is not None else None,
        "attack": found["name"],
        "attack_title": found["title"],
        "assumption": ABOUT[found["name"]]["assumptions"][0],
        "protection": protection,
        "sentence": sentence,
    }


def _strongest(attacks: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of the attacks tried on the most people, the one that links the largest share."""
    ran = [attack for attack in attacks if attack["ran"]]
    most = max(attack["people"] for attack in ran)
    return max(
        (attack for attack in ran if attack["people"] == most),
        key=lambda attack: attack["accuracy"],
    )


def _cheapest(protections: Mapping[str, Any], n_people: int) -> dict[str, Any] | None:
    """The target where one was set; else the least loss that leaves half of the risk or less."""
    point = protections["target"]
    if protections["target_risk"] is None:
        plain = [p for p in protections["points"] if p["name"] == "none"]
        limit = EFFECTIVE * plain[0]["accuracy"] if plain else 0.0
        others = [p for p in protections["points"] if p["name"] != "none"]
        enough = [p for p in others if p["accuracy"] <= limit and p["loss"] < WHOLLY_LOST]
        point = min(enough, key=lambda p: p["loss"], default=None)
    if point is None:
        return None
    told = veil_point(point, n_people)
    return {
        "label": point["label"],
        "name": point["name"],
        "parameters": point["parameters"],
        "share": told["accuracy"],
        "interval": told["interval"],
        "at_most": told.get("at_most"),
        "loss": point["loss"],
        "loss_meaning": LOSS_MEANING,
    }
