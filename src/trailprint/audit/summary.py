"""A result on one screen: rows for a terminal, a small table for a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from trailprint.audit.wording import percent, share_or_most
from trailprint.studies.small_counts import HIDDEN

Row = tuple[str, str]


def summarise(result: Mapping[str, Any]) -> list[Row]:
    """The figures that matter most, as names and values; at most a screen of them."""
    data, worst = result["data"], result["worst_case"]
    rows: list[Row] = [
        ("people on both sides", f"{data['common_users']:,}"),
        ("locations", f"{data['locations']:,}"),
        *(_attack(attack, data["common_users"]) for attack in result["attacks"]),
        _worst_case(worst),
        ("controls", _controls(result["controls"])),
    ]
    users = result["growth"]["users"]
    if users is not None and users.get("fit"):
        far = users["fit"]["extrapolation"][-1]
        guess = f"{percent(far['accuracy'])} ({_reach(far['low'], far['high'])})"
        rows.append((f"at {far['x']:,.0f} people, extrapolated", guess))
    return rows + _protections(result["protections"], result["headline"]["protection"])


def _attack(attack: Mapping[str, Any], n_people: int) -> Row:
    """How many an attack links; of how many, where it was tried on some of them only."""
    name = attack["title"].lower()
    if not attack["ran"]:
        return name, "not run"
    if attack["people"] < n_people:
        name += f", of {attack['people']:,} people"
    found = _with_interval(attack["accuracy"], attack["interval"])
    if isinstance(attack["correct"], str):
        found = _veiled(attack["correct"])
    return name, f"{found}, chance {percent(attack['chance'])}"


def _worst_case(worst: Mapping[str, Any]) -> Row:
    """How many any attack links; of how many, where some were not tried by all of them."""
    name = "linked by any of them"
    if worst["not_tried"]:
        name += f", of {worst['people']:,} tried by all"
    if isinstance(worst["linked"], str):
        return name, _veiled(worst["linked"])
    return name, _with_interval(worst["share"], worst["interval"])


def _veiled(linked: str) -> str:
    """A count that is not told exactly, in words."""
    if linked == HIDDEN:
        return "not shown: few people would follow"
    return f"{'fewer' if linked[0] == '<' else 'more'} than {int(linked[1:]):,} people"


def _with_interval(share: float | None, interval: list[float] | None) -> str:
    if share is None:
        return "—"
    return percent(share) + (f" ({_reach(*interval)})" if interval else "")


def _reach(low: float, high: float) -> str:
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def _controls(controls: list[Mapping[str, Any]]) -> str:
    n_failed = sum(not control["passed"] for control in controls)
    if not controls:
        return "none run"
    return f"{n_failed} of {len(controls)} FAILED" if n_failed else f"all {len(controls)} passed"


def _protections(protections: Mapping[str, Any], named: Mapping[str, Any] | None) -> list[Row]:
    """A handful of points that help and that no other beats, and the one the headline names."""
    risk = max((_most(p) for p in protections["points"] if p["name"] == "none"), default=2.0)
    points = [p for p in protections["points"] if p["on_frontier"] and _most(p) < risk]
    points.sort(key=lambda point: point["loss"])
    step = max(1, -(-len(points) // 4))
    shown = points[::step]
    chosen = next((p for p in protections["points"] if _is_named(p, named)), None)
    if chosen is not None and chosen not in shown:
        shown.append(chosen)
    return [
        (
            f"{point['label'][0].lower()}{point['label'][1:]}",
            f"{share_or_most(point['accuracy'], point.get('at_most'))} linked, "
            f"{percent(point['loss'])} lost",
        )
        for point in sorted(shown, key=lambda point: point["loss"])
    ]


def _most(point: Mapping[str, Any]) -> float:
    """The share a protection leaves, or where few people are left, the most it can be."""
    found: float = point["at_most"] if point["accuracy"] is None else point["accuracy"]
    return found


def _is_named(point: Mapping[str, Any], named: Mapping[str, Any] | None) -> bool:
    same = ("label", "name", "parameters")
    return named is not None and all(point[key] == named[key] for key in same)


def list_notes(result: Mapping[str, Any]) -> list[str]:
    """What has to be known to read the figures."""
    notes = list(result["settings"]["data_notes"])
    if result["data"]["split"] is not None:
        notes.append(result["data"]["split"]["description"])
    if result["data"]["periods_overlap"]:
        notes.append(
            "The two periods overlap: the sides may share events, and the risk is overstated."
        )
    notes += [
        f"{attack['title']} did not run: {attack['why_not']}"
        for attack in result["attacks"]
        if not attack["ran"]
    ]
    left_out = result["growth"]["left_out"] + result["protections"]["left_out"]
    if left_out:
        were = "part was" if len(left_out) == 1 else "parts were"
        notes.append(f"{len(left_out)} further {were} left out; the report says why.")
    return notes


def to_html(result: Mapping[str, Any]) -> str:
    """A small table that stands on its own."""
    rows = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        f"<td>{escape(value)}</td></tr>"
        for name, value in summarise(result)
    )
    notes = "".join(f"<p><small>{escape(note)}</small></p>" for note in list_notes(result))
    sentence = escape(result["headline"]["sentence"])
    return f"<div><p><strong>{sentence}</strong></p><table>{rows}</table>{notes}</div>"
