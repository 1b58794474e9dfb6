"""Comparison of audits: what changed in risk, loss, settings and data, with paired tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailprint.arguments import check_arguments
from trailprint.events.reading.sources import TruthSource

if TYPE_CHECKING:
    from trailprint.comparison.opening import AuditSource
    from trailprint.comparison.result import ComparisonResult

__all__ = ["compare"]


@check_arguments(skip=("audits",), unseen=("AuditSource", "ComparisonResult"))
def compare(*audits: AuditSource, keys: TruthSource | None = None) -> ComparisonResult:
    """
    Compare audits; each one is compared with the first.

    People are paired if the audits were made by the same user and the ids are the same; the
    tests are then exact McNemar tests, and the intervals are Tango's. Otherwise the intervals are
    Newcombe's for different people.

    Parameters
    ----------
    *audits : path or AuditResult
        Two to six audits: folders, ``result.json`` files, or what `audit` returned.
    keys : path or table, optional
        A key file of a release (columns ``released`` and ``auxiliary``), to pair people
        whose ids are new.

    Returns
    -------
    ComparisonResult
        With ``table()``, ``to_html()``, ``save()`` and ``to_dict()``; no identifiers.

    Examples
    --------
    >>> import trailprint as tp
    >>> from trailprint.simulate.campus import CampusOptions, simulate_campus
    >>> campus = tp.read(simulate_campus(CampusOptions(n_users=30, n_days=14)))
    >>> options = tp.AuditOptions(attacks="trail", protections="top-locations:n=5")
    >>> fewer = tp.protect(campus, "top-locations:n=8").events
    >>> found = tp.compare(tp.audit(campus, options=options), tp.audit(fewer, options=options))
    >>> found.comparison.versus[0].families[0].pairs.people
    30
    """
    from trailprint.comparison.run import run_comparison

    return run_comparison(audits, keys)
