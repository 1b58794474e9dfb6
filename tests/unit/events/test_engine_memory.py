"""Advice on memory is given where it can help."""

import duckdb
import pytest

from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine, translate

pytestmark = pytest.mark.usefixtures("own_databases")


def test_with_a_limit_of_its_own_the_advice_is_to_raise_it():
    text = "could not allocate block of size 256.0 KiB (18.8 MiB/19.0 MiB used)"
    assert "Raise memory" in str(translate(duckdb.OutOfMemoryException(text)))


def test_where_the_system_gives_no_more_it_is_not():
    refused = str(translate(duckdb.OutOfMemoryException("Allocation failure")))
    assert refused == "The work needs more memory than there is. Try less data at once."


@pytest.mark.parametrize(
    ("memory", "kind", "says"),
    [(None, InputError, "less data at once"), ("2GB", OptionError, "got '2GB' instead")],
)
def test_an_engine_that_cannot_be_made_says_why(memory, kind, says, monkeypatch):
    def fail(*_, **__):
        raise duckdb.Error("no")

    monkeypatch.setattr(duckdb, "connect", fail)
    with pytest.raises(kind, match=says):
        Engine(memory=memory)


def limit_of(engine: Engine) -> str:
    return str(engine.row("SELECT current_setting('memory_limit')")[0])


def test_a_lower_limit_holds_for_a_while_and_never_raises_one():
    engine = Engine()
    usual = limit_of(engine)
    with engine.keeping_to("100MB"):
        assert limit_of(engine) == "95.3 MiB"
        made = engine.materialise("SELECT range AS a, range AS b FROM range(10_000_000)", "much")
        assert engine.row(f"SELECT sum(a) FROM {made}")[0] == 10_000_000 * 9_999_999 // 2
    assert limit_of(engine).split(".")[0] == usual.split(".")[0]
    with engine.keeping_to("9000TB"):
        assert limit_of(engine).split(".")[0] == usual.split(".")[0]


def test_a_limit_that_was_given_is_kept():
    engine = Engine(memory="1GB")
    usual = limit_of(engine)
    with engine.keeping_to("100MB"):
        assert limit_of(engine) == usual


def test_a_limit_ends_where_the_work_fails():
    engine = Engine()
    usual = limit_of(engine)
    with pytest.raises(ZeroDivisionError), engine.keeping_to("100MB"):
        raise ZeroDivisionError
    assert limit_of(engine).split(".")[0] == usual.split(".")[0]
