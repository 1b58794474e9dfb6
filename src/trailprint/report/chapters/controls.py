"""Controls: attacks with a known expected result, which reveal defects."""

from __future__ import annotations

from itertools import groupby

from trailprint.audit.results.findings import Findings
from trailprint.audit.wording import failed_controls_sentence
from trailprint.report.blocks import Block, Facts, Heading, Note, Prose, Section
from trailprint.report.wording import interval, percent, sentence
from trailprint.studies.findings import ControlFinding

_TITLE = "Controls"
_AT_MOST = {"absent": "at most "}
"""For people who are not in the data, the expected value is an upper limit."""


def write_controls(found: Findings) -> Section:
    """Write whether the controls passed."""
    controls = found.controls
    if not controls:
        missing = Note("No control was run, so a defect could go unseen.", kind="caution")
        return Section(_TITLE, [missing], "controls")
    titles = found.attack_titles
    n_passed = sum(control.passed for control in controls)
    failed = failed_controls_sentence(controls, titles)
    blocks: list[Block] = [_describe(n_passed, len(controls), failed)]
    for attack, own in groupby(controls, key=lambda control: control.attack):
        facts = [(control.title, _describe_outcome(control)) for control in own]
        blocks += [Heading(titles.get(attack, attack)), Facts(facts)]
    return Section(_TITLE, blocks, "controls")


def _describe(n_passed: int, n_controls: int, failed: str | None) -> Block:
    what = "A control is an attack whose outcome is known beforehand. "
    if failed is None:
        every = "The one that was run" if n_controls == 1 else f"All {n_controls}"
        return Prose(f"{what}{every} came out as expected.")
    return Note(
        f"{what}{n_controls - n_passed} of {n_controls} did not come out as expected. {failed} The "
        "data may give away who is who by its order, or the attack may link people who are not "
        "there.",
        kind="caution",
        title="Not as expected",
    )


def _describe_outcome(control: ControlFinding) -> str:
    outcome = "As expected." if control.passed else "Not as expected!"
    told = [outcome, sentence(control.reading)]
    if control.share is not None:
        told.append(
            f"Linked: {percent(control.share)} (95 % interval {interval(control.interval)}); "
            f"expected: {_AT_MOST.get(control.kind, '')}{percent(control.expected)}."
        )
    return " ".join(text for text in told if text)
