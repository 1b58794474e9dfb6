"""Temporary tables live as long as they are needed."""

import gc

import pytest

from trailprint import Engine, ReadOptions, inspect, read

ROWS = "user,location,start\na,x,2024-01-01\nb,y,2024-01-02\nb,x,2024-01-03\n"
LINES = '{"user": "a", "location": "x"}\n{"user": "b", "location": "y"}\n'


@pytest.fixture(autouse=True, scope="module")
def _young_garbage_only():
    """What other tests left is not looked at each time: it may be millions of objects."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def engine():
    return Engine(threads=1)


def tables(engine):
    """Names of the temporary tables there are."""
    gc.collect()
    return {name for (name,) in engine.rows("SELECT table_name FROM duckdb_tables()")}


@pytest.mark.parametrize(("name", "content"), [("v.csv", ROWS), ("v.jsonl", LINES)])
def test_what_was_read_is_gone_with_its_events(write, engine, name, content):
    events = read(write(name, content), engine=engine)
    assert len(tables(engine)) == 1
    del events
    assert tables(engine) == set()


def test_queries_made_of_it_keep_it(write, engine):
    events = read(write("v.csv", ROWS), engine=engine)
    some = events.having("location = 'x'")
    del events
    assert some.count() == 2
    del some
    assert tables(engine) == set()


def test_a_query_that_names_two_tables_keeps_both(write, engine):
    first = read(write("v.csv", ROWS), engine=engine)
    second = first.having("location = 'y'").materialise()
    shared = first.having(f'"user" IN (SELECT "user" FROM ({second.query}))')
    del first, second
    assert shared.count() == 2
    assert len(tables(engine)) == 2
    del shared
    assert tables(engine) == set()


def test_looking_leaves_no_table(write, engine):
    events = read(write("v.csv", ROWS), ReadOptions(drop_duplicates=True), engine=engine)
    before = tables(engine)
    assert inspect(events).users == 2
    assert tables(engine) == before


def test_a_source_that_is_refused_leaves_none_of_its_rows_converted(write, engine):
    path = write("v.csv", ROWS + ",,\n")
    with pytest.raises(Exception, match="may be unusable"):
        read(path, engine=engine)
    assert not any(name.startswith("typed") for name in tables(engine))


def test_a_table_is_not_dropped_between_a_query_and_its_rows(write, engine):
    """Garbage is collected at any moment; dropping waits for the next query."""
    events = read(write("v.csv", ROWS), engine=engine)
    pending = engine.run(f"FROM ({events.query})")
    del events
    gc.collect()
    assert len(pending.fetchall()) == 3
