"""Fingerprints of a dataset's files, independent of their names: number, size and SHA-256."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass

from trailprint.engines.opening import session_to_read_in
from trailprint.events.reading.databases import find_database
from trailprint.events.reading.files import find_files
from trailprint.events.reading.listing import Listing
from trailprint.events.reading.on_spark import choose_data, find_address
from trailprint.events.reading.workbooks import find_workbook


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """
    Paths, total size and hash of the files of a dataset.

    ``sha256`` is the digest of a single file, or of the files' digests joined in order of names.
    """

    paths: tuple[str, ...]
    bytes: int
    sha256: str


def fingerprint(source: str) -> Fingerprint:
    """
    Return the fingerprint of a dataset; reads every byte once.

    At an address that Spark reads, no file is read: the digest covers the names, sizes and
    modification times of its files.
    """
    address = find_address(source)
    if address is not None:
        return _fingerprint_address(address)
    listing = find_files(_file_of(source)).listing
    paths = tuple(sorted(listing.paths))
    digests = [_hash_file(listing, path) for path in paths]
    joined = hashlib.sha256("".join(digests).encode()).hexdigest()
    return Fingerprint(
        paths=paths,
        bytes=sum(os.path.getsize(path) for path in paths),
        sha256=digests[0] if len(digests) == 1 else joined,
    )


def _fingerprint_address(address: str) -> Fingerprint:
    from trailprint.engines.spark.loading import list_address, name_files

    session = session_to_read_in()
    listed = list_address(session, address)
    names = set(choose_data(name_files(session, address)))
    data = [(name, size) for name, size, _ in listed if name in names]
    return Fingerprint(
        paths=tuple(name for name, _ in data) or (address,),
        bytes=sum(size for _, size in data),
        # Includes hidden files: some table formats record deleted rows there.
        sha256=hashlib.sha256(repr(listed).encode()).hexdigest(),
    )


def _file_of(source: str) -> str:
    """Return the file, folder or pattern of a source, without the table or sheet in it."""
    found = find_workbook(source) or find_database(source)
    return source if found is None else found.path


def _hash_file(listing: Listing, path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise listing.unreadable(path, error) from None
