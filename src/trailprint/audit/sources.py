"""Fingerprints of the audited datasets, for the report and the manifest."""

from __future__ import annotations

import os
from pathlib import Path

from trailprint.audit.results.sources import Source
from trailprint.events.fingerprints import fingerprint
from trailprint.workflows.release import read_loss


def describe_source(source: str) -> Source:
    """Count and hash the files of a dataset; names of files inside a folder are left out."""
    found = fingerprint(source)
    return Source(
        name=os.path.basename(source.rstrip("/")),
        files=len(found.paths),
        bytes=found.bytes,
        sha256=found.sha256,
        release_loss=read_loss(Path(found.paths[0]).parent, found.sha256),
    )
