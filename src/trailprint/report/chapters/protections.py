"""What protecting people costs: risk against loss, and the cheapest that reaches the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trailprint.audit.results.findings import Findings
from trailprint.audit.results.protections import ProtectionPoint, Protections
from trailprint.report.axes import Axis
from trailprint.report.blocks import Block, Figure, Key, Points, Prose, Section, Table
from trailprint.report.charts import Mark, draw_scatter
from trailprint.report.wording import (
    NOT_SHOWN,
    highest,
    percent,
    rate,
    rate_interval,
    sentence,
    tell_veiled,
    within,
)

_TITLE = "What protection costs"


def write_protections(found: Findings) -> Section:
    """The frontier, the target and what was not tried."""
    protections = found.protections
    if protections is None:
        return Section(_TITLE, [Prose("No protection was tested.")], "protections")
    points = protections.points
    blocks: list[Block] = [Prose(_tell_target(protections))] if points else []
    if any(_is_measured(point) for point in points):
        blocks.append(_draw(protections, found.attack_titles))
    else:
        blocks.append(Prose("No protection was tested."))
    left_out = [f"{refused.label}: {sentence(refused.why)}" for refused in protections.left_out]
    if left_out:
        blocks.append(Points(left_out, title="Not tested"))
    return Section(_TITLE, blocks, "protections")


def _is_measured(point: ProtectionPoint) -> bool:
    return point.loss is not None and highest(point) is not None


def _tell_target(protections: Protections) -> str:
    if protections.target_reading:
        return sentence(protections.target_reading)
    if protections.target_risk is None:
        return (
            "No target was set. With one (--target-risk), the cheapest protection that reaches it "
            "would be named here."
        )
    return f"The target was a risk of at most {percent(protections.target_risk)}."


def _draw(protections: Protections, names: Mapping[str, str]) -> Figure:
    points, target = protections.points, protections.target_risk
    marks = [Mark(target, f"Target: {percent(target)}")] if target is not None else []
    best = None if protections.target is None else protections.target.label
    drawn = [(n, point) for n, point in enumerate(points, 1) if _is_measured(point)]
    n_on = sum(point.on_frontier for point in points)
    return Figure(
        title="Risk that is left against what is lost",
        summary=f"{len(points)} protections; {n_on} of them are not beaten by another in both "
        "risk and loss. Numbers refer to the table.",
        drawing=draw_scatter(
            [_row(number, point, best) for number, point in drawn],
            Axis("Loss", unit="percent"),
            Axis("People still linked", unit="percent"),
            marks=marks,
        ),
        reading="Down is safer, left is cheaper. Points on the line are the best bargains: nothing "
        "else that was tried both costs less and leaves less. "
        f"{sentence(protections.loss_meaning)}{tell_veiled(points)}",
        table=_tabulate(points, names),
        legend=_legend(points, best),
        is_open=True,
    )


def _name_weight(attack: str | None) -> str:
    """The strongest of several weights, as a reader would write it."""
    written = (attack or "").replace("jensen-shannon", "Jensen–Shannon")
    return f"Histograms, {written}" if written else ""


def _row(number: int, point: ProtectionPoint, best: str | None) -> dict[str, Any]:
    low, high = point.interval or (None, None)
    return {
        "x": point.loss,
        "y": highest(point),
        "low": low,
        "high": high,
        "label": str(number),
        "on_line": point.on_frontier,
        "stressed": point.label == best,
    }


def _legend(points: Sequence[ProtectionPoint], best: str | None) -> list[Key]:
    legend = [Key("a", "Best bargain", "dot"), Key("f", "Beaten by another", "hollow")]
    if best is not None and any(point.label == best for point in points):
        legend.append(Key("b", "Cheapest that reaches the target", "ring"))
    return legend


def _tabulate(points: Sequence[ProtectionPoint], names: Mapping[str, str]) -> Table:
    """The points; the attack has a column only where it is not the same for all."""
    attacks = [names.get(point.attack or "") or _name_weight(point.attack) for point in points]
    is_one = len(set(attacks)) == 1
    rows = [
        (
            f"{number}. {point.label}{' (asked for)' if point.asked else ''}",
            *(() if is_one else (attack,)),
            percent(point.loss),
            rate(point),
            rate_interval(point.interval, point.at_most),
            NOT_SHOWN if point.cluster_accuracy is None else percent(point.cluster_accuracy),
        )
        for number, (point, attack) in enumerate(zip(points, attacks, strict=True), 1)
    ]
    figures = ("Loss", "Still linked", "95 % interval", "To an equal record")
    texts = ("Protection",) if is_one else ("Protection", "Strongest attack")
    by = f"Strongest attack: {within(attacks[0])}. " if is_one and attacks[0] else ""
    by += f"Guessing would link {percent(points[0].chance)}. "
    return Table(
        columns=texts + figures,
        rows=rows,
        caption=f"{by}“To an equal record” also counts links to a record that looks exactly like "
        "one's own: who shares it cannot be told apart, but what it says is known of all of them.",
        text_columns=len(texts),
    )
