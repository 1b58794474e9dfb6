"""Advice on memory is given where it can help."""

import duckdb
import pytest

from trailprint.errors import InputError, OptionError
from trailprint.events.engine import Engine, translate


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
