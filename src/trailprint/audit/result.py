"""The result of an audit: its findings and, on request, who was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from trailprint.audit.attacked import list_attacked, worst_risk
from trailprint.audit.attacks.registry import find_attack
from trailprint.audit.context import AuditContext
from trailprint.audit.outcomes import (
    WORK,
    WORK_MANIFEST,
    PersonOutcomes,
    collect_outcomes,
    keep_outcomes,
)
from trailprint.audit.parts import Outcome
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.kept import attack_of
from trailprint.audit.sections.points import list_point_risks
from trailprint.audit.showing import Shown
from trailprint.audit.sides import given_ids
from trailprint.display.discreet import Words
from trailprint.events.results import Folder
from trailprint.store import FolderStore


class AuditResult(Shown):
    """
    The result of an audit.

    ``findings`` holds typed values, ``to_dict()`` returns ``result.json``; neither has identifiers.
    Only ``links()`` and ``per_user()`` say who was found: handle them with care.
    """

    def __init__(
        self,
        findings: Findings,
        context: AuditContext,
        outcomes: Mapping[str, Outcome],
        *,
        paths: Mapping[str, str] | None = None,
    ) -> None:
        self.findings = findings
        self.paths = paths or {}
        self._context = context
        self._found = list_attacked(outcomes)
        self._outcomes = dict(outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that may be published, as plain values."""
        return self.findings.to_dict()

    def links(self) -> pa.Table:
        """Return the links: attack, released, auxiliary, confidence. Handle with care."""
        released, auxiliary = (side.users for side in self._context.histograms)
        given = given_ids(self._context.sides, auxiliary)
        tables = [
            pa.table(
                {
                    "attack": pa.repeat(name, len(outcome.arrays["released"])),
                    "released": released.take(pa.array(outcome.arrays["released"])),
                    "auxiliary": given.take(pa.array(outcome.arrays["auxiliary"])),
                    "confidence": pa.array(outcome.arrays["confidence"]),
                }
            )
            for name, outcome in self._found.items()
        ]
        return pa.concat_tables(tables)

    def per_user(self) -> pa.Table:
        """
        Return the risk of each released user with a counterpart. Handle with care.

        Columns: ``user``; ``linked_by_…`` for each attack (null if it was not tried on them);
        ``attacks``, how many link them; ``margin`` of their link by the strongest joint matching:
        how much worse the best matching without it is (null without a link, and for all people
        if one-by-one matching links more people: it has no margins); ``risk``, the estimated
        probability that the strongest attack links them correctly; then columns of single
        attacks, such as the deciding view; ``unique_draws`` and ``fewest_candidates``, what a few
        known points reveal: the share of draws of four points that nobody else agreed with, and
        the fewest people who agree with any two.
        """
        context = self._context
        columns: dict[str, Any] = {"user": context.people}
        for name, outcome in self._found.items():
            untried = np.isnan(outcome.arrays["risk"])
            columns[f"linked_by_{name}"] = pa.array(outcome.arrays["linked"], mask=untried)
        linked = [outcome.arrays["linked"] for outcome in self._found.values()]
        columns["attacks"] = pa.array(np.sum(linked, axis=0, dtype=np.int64))
        columns["margin"] = self._margins()
        columns["risk"] = pa.array(np.nan_to_num(worst_risk(self._outcomes)))
        for name, outcome in self._found.items():
            columns |= find_attack(name).describe_people(outcome)
        columns |= list_point_risks(self._outcomes)
        return pa.table(columns)

    def count_linked(self) -> int:
        """Return the exact number of people the headline attack links. Handle with care."""
        strongest = self._found[self.findings.headline.attack or ""]
        return attack_of(strongest).entry.correct

    def outcomes(self) -> PersonOutcomes:
        """Return whom each attack linked, by keyed hashes, which `trailprint.compare` pairs by."""
        return collect_outcomes(self._context.people, self._found)

    def save(self, folder: Folder, *, private: str | Sequence[str] = ()) -> list[Path]:
        """
        Write the report, ``result.json`` and its tables, as the command does; return the paths.

        Tables with ids of people are written only if they are named in ``private``. The hashes
        that `trailprint.compare` pairs people by go to the subfolder ``work``, for you only.
        """
        written = super().save(folder, private=private)
        store = FolderStore(Path(folder) / WORK, WORK_MANIFEST)
        keep_outcomes(store, self.to_dict(), self.outcomes())
        return written

    def _margins(self) -> pa.Array:
        """How much worse the strongest joint matching would be without each person's link."""
        margin = np.full(self._context.sizes.n_released, np.nan)
        having = [
            outcome
            for name, outcome in self._found.items()
            if find_attack(name).has_margins(outcome)
        ]
        if having:
            found = max(having, key=lambda outcome: attack_of(outcome).entry.correct)
            margin[found.arrays["released"]] = found.arrays["confidence"]
        own = margin[self._context.truth.released]
        return pa.array(own, mask=np.isnan(own))

    def _shown(self) -> Mapping[str, object]:
        return {"headline": Words(self.findings.headline.sentence)}
