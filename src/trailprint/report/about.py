"""What names a report beside its result: when it was written, what for, and from which files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_DIGITS = 16
"""Of a fingerprint: enough to tell files apart at a glance."""
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """
    A dataset as it was when it was read.

    ``sha256`` of one file is the file's own; of several, that of their digests in order of names.
    ``release_loss`` is the information loss of a release whose ``release.json`` fits the file.
    """

    name: str
    files: int
    bytes: int
    sha256: str
    release_loss: float | None = None

    def describe(self, *, whole: bool = False) -> str:
        """Name, size and fingerprint: the first digits of the hash, or the ``whole`` of it."""
        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        digits = self.sha256 if whole else self.sha256[:_DIGITS]
        return f"{self.name}: {files}, {_show_bytes(self.bytes)}, SHA-256 {digits}"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """
    What a report says of itself.

    Attributes
    ----------
    written : str, optional
        The day, in ISO form.
    command : str, optional
        The command that makes the same audit.
    release : str, optional
        The command that writes the release the report proposes.
    sources : sequence of Source
        What was read: first what would be released.
    """

    written: str | None = None
    command: str | None = None
    release: str | None = None
    sources: Sequence[Source] = ()


def _show_bytes(size: int) -> str:
    power = min((len(str(size)) - 1) // 3, len(_UNITS) - 1)
    return f"{size / 1000**power:.4g} {_UNITS[power]}"
