"""The headline says the worst honestly, and what would help."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.presence import present

from trailprint.audit import headline
from trailprint.audit.disclosure import mask_attack, mask_protection
from trailprint.audit.results.attacks import MeasuredAttack
from trailprint.audit.results.findings import Findings
from trailprint.audit.results.growth import Growth, StudyLeftOut
from trailprint.audit.results.protections import (
    MeasuredProtection,
    MeasuredProtections,
    NotJudgedBy,
)
from trailprint.audit.summary import list_notes, summarise
from trailprint.report.notebook import write_summary

EXAMPLE = Path(__file__).parents[2] / "examples" / "result.json"


def attack(name="histogram", accuracy=0.5, people=100, **changes):
    return MeasuredAttack(
        **{
            "name": name,
            "people": people,
            "matched": people,
            "precision": accuracy,
            "correct": round(accuracy * people),
            "accuracy": accuracy,
            "interval": (accuracy - 0.1, accuracy + 0.1),
            "chance": 0.01,
            "variant": "",
            "baseline": None,
            "ranks": None,
            **changes,
        }
    )


def point(label, accuracy, loss, name="microaggregate"):
    return MeasuredProtection(
        label=label,
        name=name,
        parameters={"k": 5},
        accuracy=accuracy,
        interval=(max(accuracy - 0.1, 0), accuracy + 0.1),
        cluster_accuracy=accuracy,
        loss=loss,
        chance=0.01,
        attack="l1",
        on_frontier=True,
    )


def protections(*points, target_risk=None, target=None):
    plain = point("No protection", 0.6, 0.0, name="none")
    return MeasuredProtections(points=(plain, *points), target_risk=target_risk, target=target)


def make_headline(attacks, tried, people=100):
    return headline.make_headline(attacks, tried, people)


def test_the_strongest_attack_counts():
    found = make_headline([attack(accuracy=0.3), attack("sequence", 0.7)], protections())
    assert (found.attack, found.linked, found.people) == ("sequence", 70, 100)
    assert found.times_chance == pytest.approx(70)
    assert found.sentence == (
        "70 of 100 people (70.0 %) could be linked to their own record by sequence correlation; "
        "by chance it would be 1.0 %."
    )


def test_an_attack_on_fewer_people_does_not_count():
    few = attack("sequence", 0.9, people=20)
    assert make_headline([attack(accuracy=0.3), few], protections()).attack == "histogram"


def test_the_cheapest_protection_that_halves_the_risk():
    found = make_headline(
        [attack()],
        protections(
            point("Dear", 0.01, 0.9), point("Fair", 0.3, 0.4), point("Cheap and weak", 0.4, 0.1)
        ),
    )
    assert found.protection.label == "Fair"
    assert found.sentence.endswith(
        "The cheapest protection tried that helps (fair) would leave 30.0 % and cost 40.0 % of "
        "the information."
    )


def test_no_protection_is_named_where_an_attack_judges_none():
    tried = protections(point("Fair", 0.1, 0.2))
    assert make_headline([attack()], tried).protection is not None
    refused = (NotJudgedBy(attack="other", why="It is not made for that."),)
    points = tuple(replace(own, not_judged=refused) for own in tried.points)
    assert make_headline([attack()], replace(tried, points=points)).protection is None


def test_what_luck_may_explain_is_called_so():
    found = make_headline([attack(accuracy=0.1, chance=0.08)], protections())
    assert found.sentence.endswith("by chance it would be 8.0 %, so that luck may be all there is.")


def test_a_loss_of_everything_is_no_bargain():
    found = make_headline([attack()], protections(point("Worse than the average", 0.0, 3.8)))
    assert found.protection is None


def test_a_target_that_no_protection_reaches():
    weak = protections(point("Fair", 0.3, 0.4), target_risk=0.05)
    assert make_headline([attack()], weak).protection is None
    reached = protections(target_risk=0.05, target=point("Dear", 0.01, 0.9))
    assert make_headline([attack()], reached).protection.label == "Dear"


def test_a_few_people_are_not_counted():
    few = protections(point("Dear", 0.01, 0.9))
    found = make_headline([attack(accuracy=0.04)], few)
    assert (found.linked, found.share, found.interval) == ("<10", None, None)
    assert (found.at_most, found.times_chance) == (0.09, None)
    assert found.sentence.startswith("Fewer than 10 of 100 people (at most 9.0 %) could be")
    assert found.protection.share is None
    assert "would leave at most 9.0 % and cost 90.0 %" in found.sentence


@pytest.fixture
def result():
    """An example with a sequence attack that did not run."""
    found = Findings.from_dict(json.loads(EXAMPLE.read_text(encoding="utf-8")))
    tried = protections(point("<b>Averages</b>", 0.1, 0.5))
    missing = replace(found.attacks[2], ran=False, why_not="No times <here>.")
    return replace(
        found,
        data=replace(found.data, common_users=100, periods_overlap=True),
        headline=make_headline([attack()], tried),
        attacks=(mask_attack(attack()), missing),
        worst_case=replace(
            present(found.worst_case),
            people=80,
            not_tried=20,
            linked=40,
            share=0.5,
            interval=(0.4, 0.6),
        ),
        controls=(found.controls[0], replace(found.controls[1], passed=False)),
        growth=Growth(
            users=None,
            time=None,
            resolution=None,
            knowledge=None,
            left_out=(StudyLeftOut(study="time", why="No times."),),
        ),
        protections=replace(
            present(found.protections),
            points=tuple(mask_protection(own, 100) for own in tried.points),
            left_out=(),
        ),
    )


def test_a_summary_fits_a_screen(result):
    rows = dict(summarise(result))
    assert rows["histogram matching"] == "50.0 % (40.0 to 60.0 %), chance 1.0 %"
    assert rows["sequence correlation"] == "not run"
    assert rows["linked by any of them, of 80 tried by all"] == "50.0 % (40.0 to 60.0 %)"
    assert rows["controls"] == "1 of 2 FAILED"
    assert len(rows) + len(list_notes(result)) <= 20
    assert any("periods overlap" in note for note in list_notes(result))


def test_protections_that_do_not_help_are_not_summed_up(result):
    idle = mask_protection(point("Idle", 0.6, 0.0), 100)
    more = replace(result.protections, points=(*result.protections.points, idle))
    labels = [name for name, _ in summarise(replace(result, protections=more))]
    assert "idle" not in labels
    assert "<b>Averages</b>" in labels


def test_in_a_notebook_names_are_text(result):
    html = write_summary(result)
    assert "<b>Averages" not in html
    assert "&lt;b&gt;averages" in html.lower()
    assert "&lt;here&gt;" in html
    assert result.headline.sentence.split("<")[0][:40] in html


def test_a_protection_without_effect_is_never_a_bargain():
    lucky = replace(point("Lucky", 0.29, 0.0), interval=(0.1, 0.61))
    half = point("Half tried", 0.1, 0.01)
    untried = replace(half, judged_by_all=False)
    found = make_headline([attack()], protections(lucky, untried, point("Fair", 0.2, 0.3)))
    assert present(found.protection).label == "Fair"


def test_data_that_reaches_the_target_needs_no_protection():
    plain = point("No protection", 0.01, 0.0, name="none")
    found = make_headline([attack()], protections(target_risk=0.05, target=plain))
    assert found.protection is None
