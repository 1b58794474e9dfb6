"""The embedded DuckDB."""

import threading

import duckdb
import pyarrow as pa
import pytest

from trailprint.errors import InputError
from trailprint.events import engine as engine_module
from trailprint.events.engine import Engine, default_engine

pytestmark = pytest.mark.usefixtures("own_databases")


def test_a_running_query_says_how_far_it_is(capfd) -> None:
    engine = Engine(threads=1)
    query = "SELECT count(*) FROM (SELECT hash(i) AS h FROM range(8_000_000) t(i) GROUP BY h)"
    work = threading.Thread(target=engine.run, args=(query,))
    seen = [-1.0]
    work.start()
    while work.is_alive():
        seen.append(engine.connection.query_progress())
        work.join(0.01)
    assert max(seen) > 0
    assert capfd.readouterr() == ("", "")


class _Refusing:
    """A connection of a notebook where DuckDB cannot show its progress."""

    def __init__(self, connection):
        self._connection = connection

    def execute(self, sql):
        if "enable_progress_bar" in sql:
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
        return self._connection.execute(sql)

    def __getattr__(self, name):
        return getattr(self._connection, name)


def test_a_notebook_without_widgets_has_an_engine_too(monkeypatch):
    connect = duckdb.connect
    monkeypatch.setattr(
        duckdb, "connect", lambda *given, **named: _Refusing(connect(*given, **named))
    )
    assert Engine(threads=1).row("SELECT 1 + 1") == (2,)


def test_rows_that_cannot_be_fetched_do_not_block_the_next_call():
    engine = Engine(threads=1)
    bad = engine.register(pa.table({"t": pa.array([-(2**63)]).view(pa.timestamp("us"))}), "bad")
    # The query succeeds, but no object of Python can hold its row.
    with pytest.raises(InputError, match="could not be read"):
        engine.rows(f"SELECT max(t) FROM {bad}")
    good = engine.register(pa.table({"a": [7]}), "good")
    assert engine.row(f"FROM {good}") == (7,)


def test_a_table_that_duckdb_refuses_is_refused_in_our_words():
    table = pa.table({"a": pa.nulls(1, pa.decimal256(50, 2))})
    with pytest.raises(InputError, match="could not be read"):
        Engine(threads=1).register(table, "bad")


def test_after_an_internal_error_the_process_goes_on_with_another_engine(monkeypatch):
    monkeypatch.setattr(engine_module, "_DEFAULTS", {})
    ended = default_engine()
    assert default_engine() is ended
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    name = ended.register(pa.table({"a": broken}), "broken")
    for query in (f"SELECT upper(a) FROM {name}", "SELECT 1"):
        with pytest.raises(InputError, match="ended with an internal error"):
            ended.rows(query)
    assert default_engine() is not ended
    assert default_engine().row("SELECT 1") == (1,)
