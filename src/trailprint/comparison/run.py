"""Running a comparison: from audits to one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from trailprint.audit.outcomes import hash_people
from trailprint.comparison.changes import list_changes
from trailprint.comparison.curves import list_growth
from trailprint.comparison.families import compare_with, describe_rate
from trailprint.comparison.known_points import compare_points
from trailprint.comparison.opening import AuditSource, OpenedAudit, check_source, open_audits
from trailprint.comparison.result import ComparisonResult
from trailprint.comparison.results import AuditComparison, ComparedAudit, Versus
from trailprint.comparison.wording import describe_strongest
from trailprint.errors import ColumnError, InputError, OptionError
from trailprint.events.engine import default_engine
from trailprint.events.reading.sources import TruthSource, open_id_pairs

_MOST = 6
"""Number of lines that can be distinguished in one chart."""


def run_comparison(
    sources: Sequence[AuditSource], keys: TruthSource | None = None
) -> ComparisonResult:
    """Compare every audit with the first; see `trailprint.compare`."""
    for source in sources:
        check_source(source)
    if not 2 <= len(sources) <= _MOST:
        raise OptionError(f"2 to {_MOST} audits can be compared, got {len(sources)} instead.")
    audits = _rename_people(open_audits(sources), keys)
    versus = [compare_with(audits[0], other) for other in audits[1:]]
    if all(one.why_not is not None for one in versus):
        raise InputError(f"These audits cannot be compared. {versus[0].why_not}")
    return ComparisonResult(
        comparison=AuditComparison(
            version=version("trailprint"),
            sentence=_summarise(audits[0].label, versus),
            audits=tuple(map(_describe, audits)),
            versus=tuple(versus),
            changes=list_changes(audits),
            growth=list_growth(audits),
            points=compare_points(audits),
        )
    )


def _rename_people(audits: list[OpenedAudit], keys: TruthSource | None) -> list[OpenedAudit]:
    """Replace new ids of people in releases by their original ids, to pair them."""
    if keys is None:
        return audits
    pairs = open_id_pairs(keys, default_engine(), option="keys", what="A key file")
    if not {"released", "auxiliary"} <= set(pairs.column_names):
        raise ColumnError("A key file must have the columns released and auxiliary.")
    new, old = (hash_people(pairs[name].to_pylist()) for name in ("released", "auxiliary"))
    return [
        audit
        if audit.outcomes is None
        else replace(audit, outcomes=audit.outcomes.renamed(new, old))
        for audit in audits
    ]


def _summarise(reference: str, versus: Sequence[Versus]) -> str:
    told = []
    for one in versus:
        if one.strongest is not None:
            told.append(describe_strongest(reference, one.audit, one.strongest))
        else:
            told.append(f"{one.audit} cannot be compared with {reference}. {one.why_not}")
    return " ".join(told)


def _describe(audit: OpenedAudit) -> ComparedAudit:
    found, attack = audit.findings, audit.findings.strongest
    if attack is None:
        raise InputError(f"In every audit an attack must have run, but in {audit.label} none did.")
    protection = found.headline.protection
    losses = [one.release_loss for one in audit.manifest.inputs]
    return ComparedAudit(
        label=audit.label,
        version=found.version,
        people=found.data.common_users or 0,
        sentence=found.headline.sentence,
        strongest=describe_rate(attack, found),
        attack_title=attack.title,
        release_loss=next((loss for loss in losses if loss is not None), None),
        protection=None if protection is None else protection.label,
        protection_loss=None if protection is None else protection.loss,
        protection_share=None if protection is None else protection.share,
        protection_at_most=None if protection is None else protection.at_most,
    )
