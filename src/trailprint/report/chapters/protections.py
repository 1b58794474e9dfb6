"""Cost of protecting people: risk against loss, by every attack, and what reaches the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from trailprint.audit.results.findings import Findings
from trailprint.audit.results.points import SharedPart
from trailprint.audit.results.protections import (
    GroupFacts,
    JudgedBy,
    ProtectionPoint,
    Protections,
    SearchFacts,
    TaskFacts,
)
from trailprint.audit.wording import lower_first
from trailprint.report.blocks import Block, Bullets, Figure, Heading, Key, Prose, Section, Table
from trailprint.report.charts import Mark, draw_scatter
from trailprint.report.charts.axes import Axis
from trailprint.report.charts.rows import ScatterRow
from trailprint.report.wording import (
    NOT_SHOWN,
    count,
    describe_masked,
    highest,
    join,
    percent,
    plural,
    rate,
    rate_interval,
    sentence,
    share_or_most,
)

_TITLE = "What protection costs"

Numbered = Sequence[tuple[int, ProtectionPoint]]


def write_protections(found: Findings) -> Section:
    """Write the frontier, the target, the results of each attack, and what was not tried."""
    protections = found.protections
    if protections is None:
        return Section(_TITLE, [Prose("No protection was tested.")], "protections")
    titles = found.attack_titles
    shown = list(enumerate(choose_shown(protections), 1))
    blocks: list[Block] = [Prose(_describe_target(protections))] if shown else []
    if shown and protections.search is not None:
        blocks.append(Prose(_describe_search(protections.search, len(shown))))
    if any(_is_measured(point) for _, point in shown):
        blocks += [_draw(protections, shown, titles), *_compare_attacks(shown, titles)]
        blocks += [
            *_describe_releases(shown, titles),
            *_describe_tasks(shown),
            *_describe_singling_out(shown),
        ]
    else:
        blocks.append(Prose("No protection was tested."))
    blocks += _list_left_out(protections, titles)
    return Section(_TITLE, blocks, "protections")


def choose_shown(protections: Protections) -> list[ProtectionPoint]:
    """Points that every attack judged or the user asked for, by loss; all if fewer than two."""
    points = sorted(
        protections.points, key=lambda point: (not point.is_unprotected, point.loss or 0.0)
    )
    chosen = [point for point in points if point.judged_by_all or point.asked]
    return chosen if len(chosen) > 1 else points


def _describe_search(search: SearchFacts, n_shown: int) -> str:
    """Describe how much was tried, and how."""
    told = (
        f"{count(search.tried)} releases were made and attacked. What could be cheapest, or is not "
        f"beaten by another, was judged by every attack that ran: {count(search.judged_by_all)} of "
        "them, which are shown here; the others are in protections.csv."
    )
    if search.combinations:
        told += f" Combinations that were tried: {join(search.combinations)}."
    if search.stopped:
        told += " The time was up before the search was over."
    if search.not_tried:
        told += f" Combinations that were not tried: {join(search.not_tried)}."
    return told


def _list_left_out(protections: Protections, titles: Mapping[str, str]) -> list[Block]:
    blocks: list[Block] = []
    unable = Counter(
        (refused.attack, refused.why)
        for point in protections.points
        for refused in point.not_judged
    )
    told = [
        f"{titles.get(attack, attack)}, of {plural(n_points, 'release', 'releases')} marked —: "
        f"{sentence(why)}"
        for (attack, why), n_points in unable.items()
    ]
    if told:
        blocks.append(Bullets(told, title="Attacks that cannot be tried"))
    left_out = [f"{refused.label}: {sentence(refused.why)}" for refused in protections.left_out]
    if left_out:
        blocks.append(Bullets(left_out, title="Not tested"))
    return blocks


def _compare_attacks(shown: Numbered, titles: Mapping[str, str]) -> list[Block]:
    """Tabulate the result of each attack against each release."""
    found = [one.attack for _, point in shown for one in point.judged]
    names = [name for name in titles if name in found]
    if len(names) < 2:
        return []
    rows = [
        (
            f"{number}. {point.label}",
            *(_describe_judge(_find(point, name), point) for name in names),
        )
        for number, point in shown
    ]
    table = Table(
        columns=("Protection", *(titles[name] for name in names)),
        rows=rows,
        caption="Share of people that each attack links. * marks the strongest, which counts; — an "
        "attack that cannot be tried or was not; “of” the people an attack was tried on, where "
        "these are not all.",
    )
    return [Heading("By each attack"), table]


def _find(point: ProtectionPoint, name: str) -> JudgedBy | None:
    return next((one for one in point.judged if one.attack == name), None)


def _describe_judge(one: JudgedBy | None, point: ProtectionPoint) -> str:
    if one is None:
        return "—"
    most = max(other.people for other in point.judged)
    of = "" if one.people == most else f" of {count(one.people)}"
    return f"{rate(one)}{of}{' *' if one.attack == point.attack else ''}"


def _describe_releases(shown: Numbered, titles: Mapping[str, str]) -> list[Block]:
    """Tabulate what an audit of each release itself will find, if that was measured."""
    told = [(number, point, point.alone) for number, point in shown if point.alone is not None]
    if not told:
        return []
    table = Table(
        columns=("Protection", "Strongest attack", "People it is about", "Linked", "95 % interval"),
        rows=[
            (
                f"{number}. {point.label}",
                titles.get(alone.attack, alone.attack),
                count(alone.people),
                rate(alone),
                rate_interval(alone.interval, alone.at_most),
            )
            for number, point, alone in told
        ],
        caption="Of people who have records on both sides of the release, cut in two again",
        text_columns=2,
    )
    text = (
        "Above, the two sides of this audit were protected, and rates are of everybody in it. What "
        "is published is the whole dataset. What seemed to reach the target was therefore also "
        "protected as a whole and cut in two again, as an audit of the release will do it: of "
        "fewer people where protecting leaves some with too little. A release reaches the target "
        "only if it does both ways."
    )
    return [Heading("As an audit of the release will find it"), Prose(text), table]


def _describe_tasks(shown: Numbered) -> list[Block]:
    """Tabulate the utility of each release."""
    told = [(number, point, point.tasks) for number, point in shown if point.tasks is not None]
    if not told:
        return []
    table = Table(
        columns=("Protection", "Next place predicted", "Visitors off", "Flows off"),
        rows=[
            (
                f"{number}. {point.label}",
                _or_dash(tasks.next_place),
                f"{percent(tasks.occupancy_error)}{'' if _is_hourly(tasks) else ' by place'}",
                _or_dash(tasks.flow_error),
            )
            for number, point, tasks in told
        ],
        caption="— marks a task that cannot be done with what would be released",
    )
    text = (
        "Three tasks, done with each release. Next place: how often the destination of a move is "
        "named by where the person, or everybody, usually goes from there; learnt from the earlier "
        "half of the release and tried on the later one, with the release's own places. Visitors: "
        "how far the number of people at each place in each hour is off. Flows: how far the shares "
        "of moves from place to place are off. 0 % off is as before, 100 % is nothing left."
    )
    return [Heading("What the protected release is good for"), Prose(text), table]


def _or_dash(share: float | None) -> str:
    return "—" if share is None else percent(share)


def _is_hourly(tasks: TaskFacts) -> bool:
    return tasks.occupancy_of == "place and hour"


def _describe_singling_out(shown: Numbered) -> list[Block]:
    """Tabulate how many people are unique after each protection."""
    told = [(number, point) for number, point in shown if point.singling_out]
    if not told:
        return []
    labels = [one.label for one in told[0][1].singling_out or ()]
    table = Table(
        columns=("Protection", *labels),
        rows=[
            (f"{number}. {point.label}", *map(_describe_alone, point.singling_out or ()))
            for number, point in told
        ],
        caption="Share of the people who are left with whom nobody shares it",
    )
    text = (
        "Linking is one risk, singling out another. The table says how many people nobody else "
        "looks like in what would be released: by their whole trace, the set of their places, and "
        "the places they visit most. Where histograms are released, the trace is the histogram."
    )
    return [Heading("Singling out in the protected release"), Prose(text), table]


def _describe_alone(part: SharedPart) -> str:
    return share_or_most(part.share, part.at_most)


def _is_measured(point: ProtectionPoint) -> bool:
    return point.loss is not None and highest(point) is not None


def _describe_target(protections: Protections) -> str:
    if protections.target_reading:
        return sentence(protections.target_reading)
    if protections.target_risk is None:
        return (
            "No target was set. With one (--target-risk), the cheapest protection that reaches it "
            "would be named here."
        )
    return f"The target was a risk of at most {percent(protections.target_risk)}."


def _draw(protections: Protections, shown: Numbered, names: Mapping[str, str]) -> Figure:
    target = protections.target_risk
    points = [point for _, point in shown]
    marks = [Mark(target, f"Target: {percent(target)}")] if target is not None else []
    best = None if protections.target is None else protections.target.written
    drawn = [(n, point) for n, point in shown if _is_measured(point)]
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
        reading="Down is safer, left is cheaper. Each point is what the strongest attack links, "
        "small dots what the others do. Points on the line are best: nothing else "
        "that was tried both costs less and leaves less. "
        f"{sentence(protections.loss_meaning)}{describe_masked(points)}",
        table=_tabulate(shown, names),
        legend=_legend(points, best),
        is_open=True,
    )


def _row(number: int, point: ProtectionPoint, best: str | None) -> ScatterRow:
    low, high = point.interval or (None, None)
    return {
        "x": point.loss,
        "y": highest(point),
        "low": low,
        "high": high,
        "label": str(number),
        "on_line": point.on_frontier,
        "stressed": best is not None and point.written == best,
        "others": [highest(one) for one in point.judged if one.attack != point.attack],
    }


def _legend(points: Sequence[ProtectionPoint], best: str | None) -> list[Key]:
    legend = [Key("a", "Not beaten by another", "dot"), Key("f", "Beaten by another", "hollow")]
    if best is not None and any(point.written == best for point in points):
        legend.append(Key("b", "Cheapest that reaches the target", "ring"))
    return legend


def _tabulate(shown: Numbered, names: Mapping[str, str]) -> Table:
    """Tabulate the points, with a column for the attack only if it differs between them."""
    attacks = [names.get(point.attack or "", point.attack or "") for _, point in shown]
    is_one = len(set(attacks)) == 1
    rows = [
        (
            f"{number}. {point.label}{' (asked for)' if point.asked else ''}",
            *(() if is_one else (attack,)),
            percent(point.loss),
            rate(point),
            rate_interval(point.interval, point.at_most),
            NOT_SHOWN if point.cluster_accuracy is None else percent(point.cluster_accuracy),
            *_describe_groups(point.groups),
        )
        for (number, point), attack in zip(shown, attacks, strict=True)
    ]
    size = next((point.groups.k for _, point in shown if point.groups is not None), 5)
    figures = (
        "Loss",
        "Still linked",
        "95 % interval",
        "To an equal record",
        "Smallest group (k)",
        f"In groups under {size}",
    )
    texts = ("Protection",) if is_one else ("Protection", "Strongest attack")
    by = f"Strongest attack: {lower_first(attacks[0])}. " if is_one and attacks[0] else ""
    by += f"Guessing would link {percent(shown[0][1].chance)}. "
    return Table(
        columns=texts + figures,
        rows=rows,
        caption=f"{by}“To an equal record” also counts links to a record that looks exactly like "
        "one's own: the people who share it cannot be told apart, but what it says is known of all "
        "of them. A group is the people whose released records are equal in everything but the id.",
        text_columns=len(texts),
    )


def _describe_groups(groups: GroupFacts | None) -> tuple[str, str]:
    if groups is None:
        return "—", "—"
    share = count(groups.people_under_k) if groups.share_under_k is None else None
    return count(groups.smallest), share or percent(groups.share_under_k)
