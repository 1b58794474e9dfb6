"""Metadata of a report: when it was written, by which command, and from which files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trailprint.audit.results.sources import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """
    Metadata shown in a report.

    Attributes
    ----------
    written : str, optional
        Date in ISO format.
    command : str, optional
        Command that repeats the audit.
    release : str, optional
        Command that writes the release the report proposes.
    sources : sequence of Source
        Datasets that were read; the first is the one to be released.
    """

    written: str | None = None
    command: str | None = None
    release: str | None = None
    sources: Sequence[Source] = ()
