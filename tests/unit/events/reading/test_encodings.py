"""Text of other encodings is read as what it says, and said to be; doubtful text is refused."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trailprint as tp
from trailprint.errors import OptionError, SourceError

HEADER = "user,location,start\n"
PLACES = ("Zürich", "Café", "Übersee", "plain")
ROWS = "".join(
    f"u{i % 7},{PLACES[i % 4]} {i % 5},2024-01-{1 + i % 20:02}T0{i % 9}:00:00\n" for i in range(200)
)
TEXT = HEADER + ROWS
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_reads_the_same(write, rows_of, encoding):
    plain = rows_of(tp.read(write("plain.csv", TEXT)))
    assert rows_of(tp.read(write("other.csv", TEXT.encode(encoding)))) == plain


@pytest.mark.parametrize(("encoding", "says"), [("utf-16", "UTF-16"), ("cp1252", "cp1252")])
def test_inspect_shows_the_encoding(run, write, encoding, says):
    found = json.loads(run("inspect", write("v.csv", TEXT.encode(encoding)), "--json").out)
    assert any(says in note for note in found["notes"])
    assert not any("read as" in note for note in tp.read(write("p.csv", TEXT)).notes)


def test_an_encoding_may_be_named(write, rows_of):
    text = TEXT.replace("Zürich", "Łódź")
    path = write("v.csv", text.encode("cp1250"))
    options = tp.ReadOptions(encoding="windows-1250")
    assert rows_of(tp.read(path, options)) == rows_of(tp.read(write("p.csv", text)))
    assert rows_of(tp.read(path)) != rows_of(tp.read(path, options))


def test_a_compressed_file_is_read(write, rows_of):
    path = write("v.csv.gz", gzip.compress(TEXT.encode("utf-16")))
    assert rows_of(tp.read(path)) == rows_of(tp.read(write("p.csv", TEXT)))


def test_lines_of_json_are_read(write):
    line = '{"user": "u1", "location": "Zürich", "start": "2024-01-01"}\n'
    for encoding in ("utf-16", "cp1252"):
        events = tp.read(write(f"{encoding}.jsonl", line.encode(encoding)))
        assert events.engine.rows(f"SELECT location FROM ({events.query})") == [("Zürich",)]


def test_files_of_a_folder_may_differ_and_keep_their_names(write, tmp_path):
    """A folder of a file per place: the place is the file's name, whatever its encoding."""
    write("data/Zürich.csv", "user,start\nJosé,2024-01-01\n".encode("cp1252"))
    write("data/Genève.csv", "user,start\nJosé,2024-01-02\n".encode("utf-16"))
    write("data/Bern.csv", "user,start\nJosé,2024-01-03\n")
    events = tp.read(tmp_path / "data")
    found = events.engine.rows(f'SELECT DISTINCT "user", location FROM ({events.query}) ORDER BY 2')
    assert found == [("José", "Bern"), ("José", "Genève"), ("José", "Zürich")]


def test_folders_of_partitions_keep_theirs(write, tmp_path):
    for place in ("a", "b"):
        write(f"data/location={place}/x.csv", "user,start\nJosé,2024-01-01\n".encode("cp1252"))
    events = tp.read(tmp_path / "data")
    rows = events.engine.rows(f"SELECT location FROM ({events.query}) ORDER BY 1")
    assert rows == [("a",), ("b",)]


def test_damaged_utf8_is_not_taken_for_cp1252(write):
    path = write("v.csv", TEXT.encode() + b"u1,\xe9t\xe9,2024-01-01T00:00:00\n")
    with pytest.raises(SourceError, match="is UTF-8 except at line 202"):
        tp.read(path)
    assert tp.read(path, tp.ReadOptions(encoding="cp1252")).count() == 201


def test_bytes_that_cp1252_lacks_are_refused(write):
    with pytest.raises(SourceError, match=r"line 2 of 'v\.csv' is not cp1252"):
        tp.read(write("v.csv", HEADER.encode() + b"u,\x81\xe9,2024-01-01\n"))


def test_a_name_of_no_encoding_is_refused():
    for name in ("x", "", "rot13", "hex", "punycode", "a\0"):
        with pytest.raises(OptionError, match="encoding must be an encoding of text"):
            tp.ReadOptions(encoding=name)


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1)
WESTERN = st.text(st.characters(codec="cp1252", exclude_categories=("C", "Z")), min_size=1)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(TEXTS, min_size=1, max_size=5), encoding=st.sampled_from(ENCODINGS[:6]))
def test_any_text_survives_a_unicode_encoding(tmp_path_factory, texts, encoding):
    assert _read_places(tmp_path_factory, texts, encoding) == sorted(texts)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts=st.lists(WESTERN, min_size=1, max_size=5))
def test_any_western_text_survives_cp1252_when_it_is_named(tmp_path_factory, texts):
    assert _read_places(tmp_path_factory, texts, "cp1252", named="cp1252") == sorted(texts)


def _read_places(factory, texts, encoding, named=None):
    quoted = ['"' + text.replace('"', '""') + '"' for text in texts]
    lines = "".join(f"u,{text},2024-01-01\n" for text in quoted)
    path = factory.mktemp("text") / "v.csv"
    path.write_bytes((HEADER + lines).encode(encoding))
    events = tp.read(path, tp.ReadOptions(encoding=named))
    return sorted(row[0] for row in events.engine.rows(f"SELECT location FROM ({events.query})"))


def test_memory_does_not_grow_with_the_file(write):
    path = write("v.csv", (HEADER + ROWS * 600).encode("utf-16"))  # 8 MB
    tracemalloc.start()
    tp.read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 6_000_000
