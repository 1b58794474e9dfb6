"""The audited datasets as they were when they were read."""

from __future__ import annotations

from dataclasses import dataclass

_DIGITS = 16
"""Number of digits of a fingerprint: enough to distinguish files at a glance."""
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """
    A dataset as it was when it was read.

    ``sha256`` is the hash of a single file, or of the digests of several, in order of names.
    ``release_loss`` is the information loss of a release whose ``release.json`` fits the file.
    """

    name: str
    files: int
    bytes: int
    sha256: str
    release_loss: float | None = None

    def describe(self, *, whole: bool = False) -> str:
        """Return name, size and fingerprint: first digits of the hash, or the ``whole`` hash."""
        files = "1 file" if self.files == 1 else f"{self.files:,} files"
        digits = self.sha256 if whole else self.sha256[:_DIGITS]
        return f"{self.name}: {files}, {_show_bytes(self.bytes)}, SHA-256 {digits}"


def _show_bytes(size: int) -> str:
    power = min((len(str(size)) - 1) // 3, len(_UNITS) - 1)
    return f"{size / 1000**power:.4g} {_UNITS[power]}"
