"""What trail matching reports is read with its types."""

from dataclasses import replace

import numpy as np
import pytest

from trailprint.attacks.options import TrailOptions
from trailprint.attacks.trail_facts import (
    LikelyFacts,
    TrailFacts,
    TrailVariant,
    promises_no_false_link,
    read_trail_facts,
    read_variant,
)
from trailprint.linkage import Linkage, Ranks
from trailprint.plain import ShapeError, to_plain

FACTS = TrailFacts(
    algorithm="incomplete",
    reserved="released",
    contradicted=False,
    trails_without_counterpart=0,
    upper_bound=7,
)
LIKELY = LikelyFacts(
    algorithm="likely",
    reserved="both",
    contradicted=False,
    trails_without_counterpart=0,
    upper_bound=7,
    agreement=0.5,
    expected_precision=None,
)


def linkage(facts):
    none = np.zeros(0, dtype=np.int64)
    return Linkage(
        released=none,
        auxiliary=none,
        weight=np.zeros(0),
        confidence=np.zeros(0),
        confidence_is_least=np.zeros(0, dtype=bool),
        n_released=7,
        n_auxiliary=7,
        rank=lambda rows, columns: Ranks(n_better=rows, n_tied=columns),
        facts=facts,
    )


@pytest.mark.parametrize("facts", [FACTS, LIKELY])
def test_facts_are_read_as_they_were_reported(facts):
    made = linkage(to_plain(facts))
    assert read_trail_facts(made) == facts
    assert read_variant(made) == TrailVariant(algorithm=facts.algorithm, reserved=facts.reserved)


def test_a_variant_is_run_again_by_its_options():
    options = TrailVariant(algorithm="multiple", reserved="auxiliary").to_options()
    assert options == TrailOptions(algorithm="multiple", reserved="auxiliary")


def test_only_trails_that_nothing_contradicts_promise_no_false_link():
    assert promises_no_false_link(linkage(to_plain(FACTS)))
    assert not promises_no_false_link(linkage(to_plain(replace(FACTS, contradicted=True))))
    assert not promises_no_false_link(linkage(to_plain(replace(FACTS, reserved="auxiliary"))))
    assert not promises_no_false_link(linkage(to_plain(LIKELY)))


def test_links_of_other_attacks_have_no_such_facts():
    for facts in ({}, {"exact": True}, {"algorithm": "incomplete", "reserved": "released"}):
        assert not promises_no_false_link(linkage(facts))
        with pytest.raises(ShapeError):
            read_trail_facts(linkage(facts))
