"""
Text that is not UTF-8: detection of its encoding, and conversion to UTF-8.

UTF-16 is detected by its byte order mark or by the positions of its zero bytes. Other text that is
not UTF-8 is read as cp1252, which Windows writes in western Europe and America; if that is wrong,
``--encoding`` overrides it. Copies are private files of the engine and are written in chunks.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace

from trailprint.errors import SourceError
from trailprint.events.engine import Engine
from trailprint.events.reading.files import Files
from trailprint.kernels.stopping import check_stop

_CHUNK_BYTES = 1 << 20
_START_BYTES = 1 << 16
#: Byte order marks; that of UTF-32 comes first because it starts like that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-16-le", "utf-16-be")
_WESTERN = "cp1252"
_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
#: Above this share of multi-byte UTF-8 sequences among these and stray high bytes, text counts as
#: damaged UTF-8.
_MOST_UTF8 = 0.1
#: Characters common in rows of any language: digits, delimiters, blanks and line ends.
_ROW_MARKS = re.compile(r"[\d,;|:\t\n\r. -]")
_FEWEST_ROW_MARKS = 0.05
_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ue000-\uf8ff\ufffe\uffff]")


class NotUtf8Error(SourceError):
    """Error for data that is not UTF-8 and may not be text: its encoding has to be found."""


def in_utf8(
    engine: Engine, files: Files, encoding: str | None, *, is_doubtful: bool = False
) -> tuple[Files, tuple[str, ...]]:
    """
    Return text files in UTF-8, and notes on what was assumed.

    They are the same files unless an ``encoding`` was given, the start of the first file shows
    another one, or reading as UTF-8 failed (``is_doubtful``).
    """
    if files.format == "parquet" or encoding == "utf-8":
        return files, ()
    if encoding is None and not is_doubtful and not _is_wide(files):
        return files, ()
    chosen = {path: encoding or _detect_encoding(files, path) for path in files.paths}
    return _copy_all(engine, files, chosen), _describe(set(chosen.values()), encoding)


def _describe(found: set[str], given: str | None) -> tuple[str, ...]:
    if given is not None:
        return ()
    names = sorted({name.upper() for name in found if name.startswith("utf-") and "8" not in name})
    sentences = [f"Text was read as {' and '.join(names)}."] if names else []
    if _WESTERN in found:
        sentences.append(
            f"Text that is not UTF-8 was read as {_WESTERN}: if letters look wrong, say --encoding."
        )
    return tuple(sentences)


def _is_wide(files: Files) -> bool:
    start = files.read_start(files.paths[0], _START_BYTES)
    return (_wide_encoding(start) or "utf-8-sig") != "utf-8-sig"


def _wide_encoding(start: bytes) -> str | None:
    """Return the encoding shown by a byte order mark or by UTF-16's zero bytes; None if neither."""
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    if b"\0" not in start:
        return None
    return next((name for name in _WIDE if _reads_as_rows(start, name)), None)


def _reads_as_rows(start: bytes, encoding: str) -> bool:
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        return False
    if not text or _CONTROL.search(text):
        return False
    return len(_ROW_MARKS.findall(text)) >= _FEWEST_ROW_MARKS * len(text)


def _detect_encoding(files: Files, path: str) -> str:
    """Return the encoding of one file; raise an error if it cannot be detected."""
    start = files.read_start(path, _START_BYTES)
    wide = _wide_encoding(start)
    if wide is not None:
        return wide
    line = _first_bad_line(files, path, "utf-8")
    if b"\0" in start:
        raise binary_data(files, path)
    if line is None:
        return "utf-8"
    if _is_damaged_utf8(files, path):
        raise SourceError(
            f"Text must be in one encoding, but {files.describe(path)} is UTF-8 except at line "
            f"{line} and perhaps others. Fix the file, or give its encoding with --encoding.",
            option="encoding",
        )
    return _WESTERN


def binary_data(files: Files, path: str) -> NotUtf8Error:
    """Return the error for a file that contains zero bytes."""
    return NotUtf8Error(
        "The data must be text (CSV, TSV, JSON lines) or Parquet, but "
        f"{files.describe(path)} holds binary data."
    )


def check_utf8(files: Files) -> None:
    """Raise an error with the number of the first line that is not UTF-8."""
    for path in files.paths:
        line = _first_bad_line(files, path, "utf-8")
        if line is not None:
            raise NotUtf8Error(
                f"Text must be UTF-8, but line {line} of {files.describe(path)} is not. "
                "Give its encoding with --encoding."
            )


def _is_damaged_utf8(files: Files, path: str) -> bool:
    n_whole = n_lone = 0
    for chunk in _chunks(files, path):
        n_whole += len(_UTF8_SEQUENCE.findall(chunk))
        n_lone += len(_HIGH_BYTE.findall(_UTF8_SEQUENCE.sub(b"", chunk)))
    return n_whole > _MOST_UTF8 * (n_whole + n_lone)


def _first_bad_line(files: Files, path: str, encoding: str) -> int | None:
    """Return the number of the first line that an encoding cannot read; None if there is none."""
    try:
        for _ in _decode(files, path, encoding):
            pass
    except _BadLine as bad:
        return bad.line
    return None


class _BadLine(Exception):  # noqa: N818
    """Bytes that are invalid in an encoding, and the number of their line."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def _decode(files: Files, path: str, encoding: str) -> Generator[str, None, None]:
    """Yield the text of a file in chunks."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    for chunk in _chunks(files, path):
        text = _decode_chunk(decoder, chunk, line, final=False)
        line += text.count("\n")
        yield text
    yield _decode_chunk(decoder, b"", line, final=True)


def _decode_chunk(
    decoder: codecs.IncrementalDecoder, chunk: bytes, line: int, *, final: bool
) -> str:
    try:
        return decoder.decode(chunk, final)
    except UnicodeError as error:
        read = error.object[: error.start] if isinstance(error, UnicodeDecodeError) else b""
        raise _BadLine(line + read.count(b"\n")) from None


def _chunks(files: Files, path: str) -> Iterator[bytes]:
    with files.open_bytes(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            check_stop()
            yield bytes(chunk)


def _copy_all(engine: Engine, files: Files, encodings: dict[str, str]) -> Files:
    """Return UTF-8 copies of the files in a private folder, under their own names."""
    root = os.path.join(engine.scratch, engine.new_name("utf8"))
    copies = {path: os.path.join(root, _below(files, path)) for path in files.listing.paths}
    for path, encoding in encodings.items():
        os.makedirs(os.path.dirname(copies[path]), mode=0o700, exist_ok=True)
        _copy(files, path, encoding, copies[path])
    listing = replace(files.listing, paths=tuple(copies.values()), root=root)
    paths = tuple(copies[path] for path in files.paths)
    return replace(files, paths=paths, listing=listing, compression="none")


def _below(files: Files, path: str) -> str:
    """Return the path relative to the folder that was named; layouts and partitions need it."""
    if files.listing.is_named:
        return os.path.basename(path)
    return os.path.relpath(path, files.listing.root or os.curdir)


def _copy(files: Files, path: str, encoding: str, copy: str) -> None:
    try:
        with (
            open(copy, "w", encoding="utf-8", newline="") as file,
            closing(_decode(files, path, encoding)) as texts,
        ):
            for text in texts:
                file.write(text)
    except UnicodeEncodeError:
        raise SourceError(
            f"Text must be made of characters, but {files.describe(path)} read as {encoding} holds "
            "halves of them. Give another encoding with --encoding.",
            option="encoding",
        ) from None
    except _BadLine as bad:
        raise SourceError(
            f"Text must be in the encoding it is read in, but line {bad.line} of "
            f"{files.describe(path)} is not {encoding}. Give another with --encoding.",
            option="encoding",
        ) from None
