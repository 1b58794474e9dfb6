"""What can be wrong with a table, and with the bytes of a file."""

from __future__ import annotations

import contextlib
import gzip
import random
import zlib
from collections.abc import Callable, Mapping

from tests.fuzz.populations import Table

ODD_NUMBERS = (
    "",
    "0",
    "-0.0",
    "-1",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "1e400",
    "1e-320",
    "1e308",
    "-1e308",
    "9223372036854775807",
    "9223372036854775808",
    "2147483648",
    "0x10",
    "1_000",
    "1,5",
    "١٢",
    "1e6",
    "91",
    "-181",
    "180.0000001",
    "true",
    "null",
    "5000000",
    "0.5",
)
ODD_TIMES = (
    "", "9999-12-31", "9999-12-31T23:59:59", "9999-12-31 23:59:59.999999Z", "0001-01-01",
    "0000-00-00", "1969-12-31T23:59:59", "2024-02-30", "2024-03-31T02:30:00",
    "2024-10-27T02:30:00", "1710147600", "1710147600000", "1710147600000000000", "-1", "0", "1e9",
    "253402300799", "99999999999999999999", "2024-W11-1", "11.3.2024", "03/11/2024",
    "2024-03-11T24:00:00", "2024-03-11T23:59:60", "now", "infinity", "NaT",
    "2024-03-11T10:00:00+99:99", "12:30", "290000-01-01", "-290000-01-01",
    "2024-03-11T10:00:00 Europe/Zurich",
)  # fmt: skip
ODD_TEXTS = (
    "", " ", "NULL", "null", "None", "nan", "=cmd|' /C calc'!A0", "\r=1+1", "-", "+1", "@x",
    "OFF", "uzqx000e\x00", "bzqx1\nbzqx2", "bzqx'1", 'bzqx"1', "bzqx;1", "bzqx\t1",
    "Ünïcødé bzqx9", "\u202ebzqx8", "\ufeffbzqx7", "💩bzqx6", "uzqx" + "9" * 5000, "bzqx" * 9000,
    "../../bzqx5", "bzqx%s", "{bzqx}", "$(bzqx)", "bzqx\\", "user", "location",
    "<script>bzqx4</script>", "bzqx*", "bzqx[3]",
)  # fmt: skip


# Tables.


def _odd_values(rng: random.Random, name: str) -> tuple[str, ...]:
    if name in ("lat", "lon", "count"):
        return ODD_NUMBERS
    return ODD_TIMES if name in ("start", "end", "time") else ODD_TEXTS


def corrupt_cells(rng: random.Random, table: Table) -> Table:
    """A few cells, or a whole column, hold something odd."""
    if not table.n_rows:
        return table
    name = rng.choice(list(table.columns))
    cells = list(table.columns[name])
    odd = rng.choice(_odd_values(rng, name))
    share = rng.choice((0.0, 0.005, 0.1, 1.0))
    chosen = [i for i in range(len(cells)) if rng.random() < share] or [rng.randrange(len(cells))]
    for i in chosen:
        cells[i] = odd if share == 1.0 else rng.choice((odd, rng.choice(_odd_values(rng, name))))
    return Table({**table.columns, name: cells})


def repeat_value(rng: random.Random, table: Table) -> Table:
    """A column holds one value only: one user, one place, one moment."""
    name = rng.choice(list(table.columns))
    cells = table.columns[name]
    value = rng.choice([*cells[:1], "0"]) if name == "count" else "".join(cells[:1])
    return Table({**table.columns, name: [value] * len(cells)})


def change_rows(rng: random.Random, table: Table) -> Table:
    """Rows are repeated, left out or put into another order."""
    rows = list(range(table.n_rows))
    how = rng.choice(("shuffle", "sort", "repeat", "drop", "none", "one"))
    if how == "shuffle":
        rng.shuffle(rows)
    elif how == "repeat":
        rows += rows[: rng.randrange(1, 5)] * rng.randrange(1, 4)
    elif how == "drop":
        rows = [i for i in rows if rng.random() < 0.5]
    elif how in ("none", "one"):
        rows = rows[: ("none", "one").index(how)]
    return table.take(rows)


def rename_column(rng: random.Random, table: Table) -> Table:
    """A column goes by another name: a known one, an odd one or another column's."""
    name = rng.choice(list(table.columns))
    others = (
        "uid",
        "timestamp",
        "lng",
        "User",
        "",
        " ",
        "weight",
        "share",
        "x" * 3000,
        "7",
        "sélect",
    )
    other = rng.choice((*others, *table.columns))
    return Table({(other if n == name else n): cells for n, cells in table.columns.items()})


def swap_columns(rng: random.Random, table: Table) -> Table:
    """Two columns' values change places."""
    first, second = rng.choice(list(table.columns)), rng.choice(list(table.columns))
    return Table({**table.columns, first: table.columns[second], second: table.columns[first]})


def drop_column(rng: random.Random, table: Table) -> Table:
    """A column is missing."""
    name = rng.choice(list(table.columns))
    rest = {n: cells for n, cells in table.columns.items() if n != name}
    return Table(rest or dict(table.columns))


def swap_ends(rng: random.Random, table: Table) -> Table:
    """Visits end before they start, or years later."""
    if "end" not in table.columns or "start" not in table.columns:
        return table
    ends = list(table.columns["start"])
    for i in range(len(ends)):
        if rng.random() < 0.3:
            ends[i] = rng.choice(("9999-12-31", "2038-01-19T03:14:08", "1999-01-01", *ends[:1]))
    return Table({**table.columns, "end": ends})


TABLE_MUTATIONS: tuple[Callable[[random.Random, Table], Table], ...] = (
    corrupt_cells, corrupt_cells, corrupt_cells, repeat_value, change_rows, rename_column,
    swap_columns, drop_column, swap_ends,
)  # fmt: skip


# Bytes.

_SNIPPETS = (
    b'"', b'""', b"'", b",", b",,,,,,,,", b"\t", b";", b"|", b"\n", b"\n\n\n", b"\r", b"\r\n",
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc3\x28", b"\xed\xa0\x80", b"\\", b"#", b"{", b"}", b"[",
    b"]}", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b" ", b"NaN", b"-", b"9" * 400, b'"\n"',
    b"user,",
)  # fmt: skip


def flip_bytes(rng: random.Random, content: bytes) -> bytes:
    """A few bytes are something else."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def flip_bit(rng: random.Random, content: bytes) -> bytes:
    """One bit is wrong."""
    changed = bytearray(content)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(rng: random.Random, content: bytes) -> bytes:
    """The end is missing, or the beginning."""
    at = rng.randrange(len(content) + 1)
    return content[:at] if rng.random() < 0.8 else content[at:]


def insert_snippet(rng: random.Random, content: bytes) -> bytes:
    """Something that has a meaning to a parser stands where it should not."""
    at = rng.choice((0, rng.randrange(len(content)), len(content)))
    return content[:at] + rng.choice(_SNIPPETS) * rng.choice((1, 1, 1, 3)) + content[at:]


def splice(rng: random.Random, content: bytes) -> bytes:
    """A piece of the file stands at another place as well, or instead."""
    a, b = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    at = rng.randrange(len(content) + 1)
    skipped = rng.choice((0, 0, b - a))
    return content[:at] + content[a:b][:20000] + content[at + skipped :]


def change_lines(rng: random.Random, content: bytes) -> bytes:
    """Lines are lost, repeated or exchanged."""
    lines = content.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.choice(("drop", "repeat", "swap", "join", "many"))
    if how == "drop":
        del lines[i]
    elif how == "repeat":
        lines.insert(j, lines[i])
    elif how == "swap":
        lines[i], lines[j] = lines[j], lines[i]
    elif how == "join" and i + 1 < len(lines):
        lines[i : i + 2] = [lines[i] + lines[i + 1]]
    elif how == "many":
        lines[i:i] = [lines[j]] * 50
    return b"\n".join(lines)


def drop_header(rng: random.Random, content: bytes) -> bytes:
    """The first line is missing."""
    return content.split(b"\n", 1)[-1]


def change_encoding(rng: random.Random, content: bytes) -> bytes:
    """The same text in another encoding."""
    text = content.decode("utf-8", "replace")
    how = rng.choice(("utf-16", "utf-16-le", "utf-8-sig", "utf-32", "utf-7", "cp500", "cp1252"))
    return text.encode(how, "replace")


def change_ends(rng: random.Random, content: bytes) -> bytes:
    """Lines end as they do elsewhere, or now so and now so."""
    how = rng.choice((b"\r\n", b"\r", b"\n\r", b"\0\n", b""))
    if rng.random() < 0.7:
        return content.replace(b"\n", how)
    return content.replace(b"\n", how, rng.randrange(1, 4))


def change_delimiter(rng: random.Random, content: bytes) -> bytes:
    """Fields are parted by something else, everywhere or in places."""
    other = rng.choice((b";", b"\t", b"|", b" ", b"\x01", b", ", b"::", b""))
    return content.replace(b",", other, rng.choice((-1, -1, 3)))


def quote_fields(rng: random.Random, content: bytes) -> bytes:
    """Quotes are opened and not closed, or stand inside a field."""
    how = rng.choice(((b",", b',"'), (b",", b'","'), (b"\n", b'"\n'), (b"zqx", b'z"q"x')))
    return content.replace(*how, rng.choice((-1, 1, 2)))


BYTE_MUTATIONS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    flip_bytes, flip_bit, truncate, insert_snippet, insert_snippet, splice, change_lines,
    drop_header, change_encoding, change_ends, change_delimiter, quote_fields,
)  # fmt: skip


def mutate_table(rng: random.Random, table: Table, n_times: int) -> Table:
    """A table after some mutations."""
    for _ in range(n_times):
        table = rng.choice(TABLE_MUTATIONS)(rng, table)
    return table


def mutate_files(rng: random.Random, files: Mapping[str, bytes], n_times: int) -> dict[str, bytes]:
    """Files after some mutations of their bytes; an empty one stays as it is."""
    changed = dict(files)
    for _ in range(n_times):
        name = rng.choice(sorted(changed)) if changed else None
        if name is not None and changed[name]:
            changed[name] = _mutate_file(rng, name, changed[name])
    return changed


def _mutate_file(rng: random.Random, name: str, content: bytes) -> bytes:
    """Compressed files are mostly changed inside."""
    change = rng.choice(BYTE_MUTATIONS)
    if name.endswith(".gz") and rng.random() < 0.7:
        with contextlib.suppress(OSError, EOFError, zlib.error):
            return gzip.compress(change(rng, gzip.decompress(content) or b" "), mtime=0)
    return change(rng, content)
