"""How protections are written down and listed."""

import re
from dataclasses import fields

import pyarrow as pa
import pytest

from trailprint.errors import OptionError
from trailprint.protections.coarsen import CoarsenRegions
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.perturb import PerturbTimes
from trailprint.protections.registry import (
    PROTECTIONS,
    describe_protections,
    list_kinds,
    parse_protection,
)


def test_names_and_values_are_read():
    assert parse_protection("microaggregate") == Microaggregate()
    assert parse_protection("microaggregate:k=7, norm=l2") == Microaggregate(k=7, norm="l2")
    assert parse_protection("perturb-times:sigma_s=60") == PerturbTimes(sigma_s=60.0)


def test_files_are_opened_only_where_allowed():
    table = pa.table({"location": ["x"], "region": ["y"]})
    asked = []

    def read_pairs(path, columns):
        asked.append((path, columns))
        return table

    found = parse_protection("coarsen-regions:mapping=a/b.csv", read_pairs)
    assert isinstance(found, CoarsenRegions)
    assert asked == [("a/b.csv", ("location", "region"))]
    with pytest.raises(OptionError, match="as a table"):
        parse_protection("coarsen-regions:mapping=a/b.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("magic", r"must be one of coarsen-grid, .*, got 'magic' instead\."),
        ("microaggregate:k", "must look like key=value, got 'k'"),
        ("microaggregate:q=3", "takes k, norm and method, got 'q'"),
        ("microaggregate:k=many", "k must be a whole number, got 'many'"),
        ("microaggregate:k=2.5", "k must be a whole number"),
        ("microaggregate:k=2,k=3", "each parameter once"),
        ("noise:epsilon=x", "epsilon must be a number"),
        ("noise:epsilon=-1", "epsilon must be a positive number"),
        ("period", "period needs between, got none"),
    ],
)
def test_mistakes_get_one_sentence(text, message):
    with pytest.raises(OptionError, match=message) as caught:
        parse_protection(text)
    assert "\n" not in str(caught.value)


def test_every_protection_says_what_it_is():
    listed = describe_protections()
    assert listed.keys() == PROTECTIONS.keys()
    for name, kind in PROTECTIONS.items():
        assert re.fullmatch(r"[a-z-]+", name)
        assert kind.summary
        assert kind.__doc__
        assert listed[name]["applies_to"] in ("events", "histograms")
        assert set(kind.monotone) <= {item.name for item in fields(kind)}


def test_units_and_monotone_parameters_are_parameters():
    for kind in PROTECTIONS.values():
        own = {item.name for item in fields(kind)}
        assert {*kind.units, *kind.monotone} <= own, kind.name
        assert kind.needs <= {"positions", "times"}


def test_kinds_of_a_written_chain_are_known_without_opening_files():
    kinds = list_kinds(["coarsen-regions:mapping=no.csv then coarsen-time", "microaggregate:k=5"])
    assert [kind.name for kind in kinds] == ["coarsen-regions", "coarsen-time", "microaggregate"]
    with pytest.raises(OptionError, match="must be one of"):
        list_kinds(["nothing:x=1"])
