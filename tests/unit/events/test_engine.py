"""The embedded DuckDB."""

import threading

import duckdb
import pytest

from trailprint.events.engine import Engine

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
