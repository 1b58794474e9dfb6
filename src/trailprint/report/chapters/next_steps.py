"""Next steps, in three sentences derived from the result."""

from __future__ import annotations

from trailprint.audit.release_command import spell_release
from trailprint.audit.results.findings import Findings
from trailprint.audit.wording import failed_controls_sentence, lower_first
from trailprint.report.about import About
from trailprint.report.blocks import Block, Bullets, Command
from trailprint.report.wording import percent, share_or_most

_MOST = 0.5
_RECORD = (
    "Put the figures, with their assumptions and what you decide, into your data protection impact "
    "assessment (DPIA), and audit again when the data or what others may know changes."
)


def write_next(found: Findings, about: About) -> list[Block]:
    """Write whether the figures can be used, what to do about the data, and what to record."""
    points = Bullets([_judge(found), _protect(found), _RECORD], "What to do next")
    best = found.headline.protection
    if best is None or best.is_unprotected:
        return [points]
    command = about.release or spell_release("DATA", best.written)
    return [points, Command(command, "To write this release")]


def _judge(found: Findings) -> str:
    """Conclusion from the figures, unless failed controls invalidate them."""
    failed = failed_controls_sentence(found.controls, found.attack_titles)
    if any(not control.passed and control.kind != "absent" for control in found.controls):
        return str(failed)
    return f"{_judge_data(found)} {failed or ''}".rstrip()


def _judge_data(found: Findings) -> str:
    """Conclusion from the figures about the data."""
    headline = found.headline
    if headline.share is None and headline.at_most is None:
        return "Say who is who with --truth, because links that cannot be scored measure nothing."
    if _is_like_guessing(found) and _are_singled_out(found):
        return (
            "Treat the data as personal data: these attacks link people no better than guessing, "
            "but a few known points tell most people apart from everybody else."
        )
    if _is_like_guessing(found):
        return (
            "These attacks do no better than guessing, which does not prove that the data is "
            "anonymous: check the assumptions against what others may really know."
        )
    if headline.share is None:
        return (
            "Treat the data as personal data: fewer than ten people were linked, which may be luck "
            "or may be people whom anybody could find."
        )
    return (
        "Do not publish the data as it is: people can be linked, so that it has to be treated as "
        "personal data."
    )


def _are_singled_out(found: Findings) -> bool:
    """Whether a few points single out more than half of the people."""
    drawn = None if found.points is None else found.points.quoted_point
    return drawn is not None and (drawn.share or 0.0) > _MOST


def _is_like_guessing(found: Findings) -> bool:
    headline = found.headline
    if headline.linked == 0:
        return True
    if headline.interval is None or headline.chance is None:
        return False
    return headline.interval[0] <= headline.chance


def _protect(found: Findings) -> str:
    """Recommend a protection, or say how to find one."""
    best, protections = found.headline.protection, found.protections
    if best is not None:
        left = share_or_most(best.share, best.at_most)
        return (
            f"{_describe_choice(found)} {lower_first(best.label)}, which leaves {left} linked at a "
            f"loss of {percent(best.loss)}: write it with the command below, and audit what it "
            "wrote."
        )
    if protections is None or not protections.points:
        return (
            "Try protections with --protect, or name the risk you would accept with --target-risk."
        )
    target = protections.target
    if target is not None and target.is_unprotected:
        return (
            "The data as it is reaches the target that was set, so that no protection is needed "
            "for that: write it under new ids with trailprint protect --release."
        )
    if not any(point.judged_by_all for point in protections.points):
        return (
            "There was no time to let every attack judge the protections, so audit again with a "
            "longer --time-limit to learn which of them is enough."
        )
    return (
        "None of the protections that were tried was effective enough, so try stronger ones "
        "with --protect and --target-risk, or publish totals instead of records."
    )


def _describe_choice(found: Findings) -> str:
    """Describe how the protection was chosen."""
    risk = None if found.protections is None else found.protections.target_risk
    if risk is None:
        return "Of the protections that were tried, begin with the cheapest effective one,"
    return (
        f"Of what was tried with at most {percent(risk)} linked, at the upper end of the 95 % "
        "interval and by every attack, the cheapest is"
    )
