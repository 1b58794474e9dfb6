"""All the ways to name protections, and what is refused."""

from typing import Any, cast

import pytest

import trailprint as tp
from trailprint.errors import OptionError
from trailprint.protections.coarsen import CoarsenNames
from trailprint.protections.microaggregate import Microaggregate
from trailprint.workflows.chain_reading import read_chain

K3 = Microaggregate(k=3)
BOTH = (CoarsenNames(levels=1), K3)


@pytest.fixture
def events(make_events):
    rows = [(f"u{i}", f"b{i % 2}.f{i % 3}") for i in range(6) for _ in range(i + 1)]
    return make_events(rows, "user", "location")


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("microaggregate:k=3", (K3,)),
        (["microaggregate:k=3"], (K3,)),
        (("microaggregate:k=3",), (K3,)),
        (K3, (K3,)),
        ([K3], (K3,)),
        (iter([K3]), (K3,)),
        ("coarsen-names:levels=1 then microaggregate:k=3", BOTH),
        (["coarsen-names:levels=1", "microaggregate:k=3"], BOTH),
        (["coarsen-names:levels=1 then microaggregate:k=3"], BOTH),
        ([CoarsenNames(levels=1), "microaggregate:k=3"], BOTH),
    ],
)
def test_every_way_to_name_protections_is_understood(events, named, meant):
    result = tp.protect(events, named)

    assert result.protections == meant
    assert result.to_dict()["information_loss"] > 0


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ([object], "got the class object instead"),
        ([object()], "got object instead"),
        ([Microaggregate], "got the class Microaggregate instead"),
        (object, "must be a list .* got the class object"),
        (None, "must be a list .* got NoneType"),
        ([None], "got NoneType instead"),
        ([["microaggregate:k=3"]], "got list instead"),
        (b"microaggregate:k=3", "must be a list .* got bytes"),
        ({"microaggregate": 3}, "must be a list .* got dict"),
        ([b"microaggregate:k=3"], "got bytes instead"),
        ([], "At least one protection"),
        ("", "must be one of coarsen-grid"),
        ("x", "must be one of coarsen-grid"),
    ],
)
def test_everything_else_is_refused_in_a_sentence(events, named, message):
    with pytest.raises(OptionError, match=message) as refused:
        tp.protect(events, named)
    assert "\n" not in str(refused.value)


def test_a_chain_is_read_alike_by_all_verbs(engine):
    assert read_chain("coarsen-names:levels=1 then microaggregate:k=3", engine) == BOTH
    assert tp.AuditOptions(protections=cast(Any, "microaggregate:k=3")).protections == (
        "microaggregate:k=3",
    )
    assert tp.AuditOptions(attacks=cast(Any, "trail")).attacks == ("trail",)
