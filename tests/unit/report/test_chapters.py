"""What each chapter says of a result, and what it says where something was not measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from trailprint.audit.results.findings import Findings
from trailprint.report.about import About
from trailprint.report.audit_tables import TABLES
from trailprint.report.blocks import (
    Block,
    Bullets,
    Facts,
    Figure,
    Heading,
    Note,
    Prose,
    Row,
    Section,
    Table,
    Tiles,
)
from trailprint.report.chapters.attacks import write_attacks, write_confidence
from trailprint.report.chapters.controls import write_controls
from trailprint.report.chapters.growth import write_growth
from trailprint.report.chapters.locations import signed_change, write_locations
from trailprint.report.chapters.meaning import write_assumptions, write_limits, write_regulators
from trailprint.report.chapters.next_steps import write_next
from trailprint.report.chapters.opening import describe_data, write_eyebrow, write_lead, write_title
from trailprint.report.chapters.people import write_people
from trailprint.report.chapters.protections import write_protections
from trailprint.report.chapters.settings_used import write_settings_used

pytestmark = pytest.mark.usefixtures("blank_charts")
Kind = TypeVar("Kind")


def read(result: dict[str, Any]) -> Findings:
    return Findings.from_dict(result)


def of_kind(blocks: Section | list[Block], kind: type[Kind]) -> list[Kind]:
    found = blocks.blocks if isinstance(blocks, Section) else blocks
    return [block for block in found if isinstance(block, kind)]


def plain(text: str) -> str:
    """With ordinary spaces, also between a number and its unit."""
    return text.replace("\xa0", " ")


def cells(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(plain, row))


def prose(blocks: Section | list[Block]) -> str:
    return plain(" ".join(block.text for block in of_kind(blocks, Prose)))


def figures(section: Section) -> list[Figure]:
    rows = [figure for row in of_kind(section, Row) for figure in row.figures]
    return of_kind(section, Figure) + rows


class TestOpening:
    def test_the_title_is_the_one_asked_for_or_how_many_of_how_many(self, result):
        result["settings"] |= {"title": "Visits of 2024"}
        assert write_title(read(result)) == "Visits of 2024"
        result["settings"] |= {"title": ""}
        expected = "488 of 1,054 people could be linked to their own records"
        assert write_title(read(result)) == expected

    @pytest.mark.parametrize(
        ("headline", "title"),
        [
            ({"linked": 0, "share": 0.0}, "None of 1,054 people was linked by these attacks"),
            (
                {"linked": "<10", "share": None, "at_most": 0.009},
                "Fewer than 10 of 1,054 people could be linked to their own records",
            ),
            (
                {"linked": None, "share": None},
                "How many people could be linked could not be measured",
            ),
        ],
    )
    def test_the_title_of_a_few_of_none_and_of_an_unknown_number(self, result, headline, title):
        result["settings"] |= {"title": ""}
        result["headline"] |= headline
        assert write_title(read(result)) == title

    def test_the_eyebrow_says_the_day_where_it_is_known(self):
        assert write_eyebrow(About()) == "Re-identification risk report"
        assert write_eyebrow(About(written="1 May 2024")).endswith(" · 1 May 2024")

    def test_tiles_hold_risk_chance_and_price(self, result):
        (tiles,) = of_kind(write_lead(read(result), About()), Tiles)
        reported = {tile.label: cells((tile.value, tile.detail)) for tile in tiles.tiles}
        value, detail = reported["Linked by the strongest attack"]
        assert value == "46.3 %"
        assert detail.startswith("488 of 1,054 people; 95 % interval 43.3 to 49.3 %")
        assert reported["Linked by guessing"][1] == "the attack links 488 times as many"
        price = reported["Linked after the cheapest effective protection"]
        assert price == ("3.9 %", "Averages of groups of 10, at a loss of 71.0 %")

    def test_without_a_protection_that_helps_the_price_is_open(self, result):
        result["headline"]["protection"] = None
        (tiles,) = of_kind(write_lead(read(result), About()), Tiles)
        assert tiles.tiles[-1].value == "—"
        assert tiles.tiles[-1].detail == "none of 11 tested was effective enough"

    def test_protections_that_not_every_attack_judged_are_no_failure(self, result):
        result["headline"]["protection"] = None
        for point in result["protections"]["points"]:
            point["judged_by_all"] = False
        (tiles,) = of_kind(write_lead(read(result), About()), Tiles)
        assert tiles.tiles[-1].detail == "no time to let every attack judge the 11 tested"
        reported = of_kind(write_next(read(result), About()), Bullets)[0]
        assert any("longer --time-limit" in str(point) for point in reported.items)

    def test_a_failed_control_is_said_before_any_figure(self, result):
        assert len(of_kind(write_lead(read(result), About()), Note)) == 1
        result["controls"][0]["passed"] = False
        lead = write_lead(read(result), About())
        warning = of_kind(lead, Note)[0]
        assert warning.title == "A control failed"
        assert warning.text.startswith("1 of 3 controls did not come out as expected.")
        assert lead.index(warning) < lead.index(of_kind(lead, Tiles)[0])

    def test_where_nothing_was_measured_no_figure_is_shown(self, unscored):
        lead = write_lead(read(unscored), About())
        assert not of_kind(lead, Tiles)
        assert not of_kind(lead, Figure)
        assert of_kind(lead, Note)[-1].title == "Not a verdict"

    def test_the_data_in_words(self, result):
        reported = describe_data(read(result).data)
        assert reported.startswith(
            "1,054 people on both sides, 38,333 places, 227,428 events from "
        )
        assert "two separate datasets" not in reported
        result["data"] |= {"sides": "two", "split": None, "sampled": {"users": 50, "of": 1054}}
        reported = describe_data(read(result).data)
        assert "Released and auxiliary data are two separate datasets." in reported
        assert reported.endswith("50 of 1,054 people were drawn at random.")


class TestAttacks:
    def test_each_attack_has_a_heading_and_its_question(self, result):
        section = write_attacks(read(result))
        headings = [heading.text for heading in of_kind(section, Heading)]
        assert headings == [attack["title"] for attack in result["attacks"]]
        for attack in result["attacks"]:
            assert attack["question"] in prose(section)

    def test_the_score_with_its_interval_chance_and_proof(self, result):
        reported = prose(write_attacks(read(result)))
        assert (
            "488 of 1,054 people were linked correctly (46.3 %; 95 % interval 43.3 to 49.3 %"
            in reported
        )
        assert "The matching is proven to be the best possible of its kind." in reported

    def test_a_gap_that_is_no_rounding_is_shown(self, result):
        result["attacks"][0]["proof"]["optimality_gap"] = 0.02
        assert "proven to be within 0.02 of the best possible" in prose(write_attacks(read(result)))

    def test_a_few_people_are_shown_as_few(self, result):
        few = {"correct": "<10", "accuracy": None, "at_most": 0.0085, "interval": None}
        result["attacks"][0] |= few
        reported = prose(write_attacks(read(result)))
        assert "Fewer than 10 of 1,054 people were linked correctly" in reported
        assert "488" not in reported.split("Method")[0]

    def test_what_did_not_run_says_why(self, sparse):
        notes = of_kind(write_attacks(read(sparse)), Note)
        assert {(note.title, note.text) for note in notes} == {
            ("Not run", "The data has no times.")
        }

    def test_an_attack_on_some_of_the_people_is_marked_beside_the_others(self, result):
        (figure, *_) = figures(write_attacks(read(result)))
        labels = [plain(row[0]) for row in figure.table.rows]
        assert "Sequence correlation (of 300 people)" in labels
        assert "Histogram matching" in labels
        assert "not of all 1,054" in plain(figure.reading)
        (*_, ranks) = figures(write_confidence(read(result)))
        assert "Sequence correlation (of 300 people)" in [plain(key.label) for key in ranks.legend]
        result["attacks"][2]["people"] = 1054
        (figure, *_) = figures(write_attacks(read(result)))
        assert "not of all" not in figure.reading

    def test_the_chart_has_a_row_for_each_attack_and_each_other_method(self, result):
        (figure, *_) = figures(write_attacks(read(result)))
        names = [row[0] for row in figure.table.rows]
        ran = [attack for attack in result["attacks"] if attack["ran"]]
        n_baselines = sum(attack["baseline"] is not None for attack in ran)
        assert len(names) == len(ran) + n_baselines
        assert "Also tried: One by one, nearest histogram" in names
        assert cells(figure.table.rows[0][:2]) == ("Histogram matching", "46.3 %")

    def test_confidence_draws_both_curves_and_says_which_are_missing(self, result, sparse):
        titles = [figure.title for figure in figures(write_confidence(read(result)))]
        assert titles == ["Precision against coverage", "Rank of the right person"]
        reported = prose(write_confidence(read(sparse)))
        assert "There is no precision against coverage for histogram matching." in reported
        assert "There is no rank curve for histogram matching." in reported

    def test_without_truth_there_is_no_confidence(self, unscored):
        section = write_confidence(read(unscored))
        assert figures(section) == []
        assert "nothing can be said about confidence" in prose(section)


class TestControls:
    def test_all_passed(self, result):
        reported = prose(write_controls(read(result)))
        assert reported.endswith("All 3 came out as expected.")

    def test_one_failed(self, result):
        result["controls"][1] |= {"passed": False}
        section = write_controls(read(result))
        (note,) = of_kind(section, Note)
        assert note.kind == "caution"
        assert "1 of 3 did not come out as expected." in note.text
        outcomes = [text for facts in of_kind(section, Facts) for _, text in facts.items]
        assert sum(text.startswith("Not as expected!") for text in outcomes) == 1

    def test_a_limit_is_called_one(self, result):
        outcomes = [
            f for facts in of_kind(write_controls(read(result)), Facts) for f in facts.items
        ]
        assert "expected: at most 0.0 %" in plain(
            dict(outcomes)["People who are not in the release"]
        )

    def test_none_was_run(self, sparse):
        (note,) = of_kind(write_controls(read(sparse)), Note)
        assert note.text == "No control was run, so a defect could go unseen."


class TestGrowth:
    def test_people_first_then_one_wide_and_two_side_by_side(self, result):
        section = write_growth(read(result))
        wide = [figure.title for figure in of_kind(section, Figure)]
        (pair,) = of_kind(section, Row)
        assert wide[:2] == ["Risk by number of people", "Risk by length of observation"]
        titles = [figure.title for figure in pair.figures]
        assert titles == ["Risk by resolution", "Risk by share of people known"]
        assert {figure.size for figure in pair.figures} == {"half"}

    def test_what_was_extrapolated_is_not_called_measured(self, result):
        section = write_growth(read(result))
        figure = of_kind(section, Figure)[0]
        how = [row[1] for row in figure.table.rows]
        assert (how.count("measured"), how.count("extrapolated")) == (6, 5)
        assert [key.label for key in figure.legend][1] == "Extrapolated, not measured"
        (note,) = of_kind(section, Note)
        assert note.title == "Beyond the measurements"
        assert result["growth"]["users"]["fit"]["formula"] in note.text

    def test_without_a_fit_nothing_is_said_beyond(self, result):
        result["growth"]["users"]["fit"] = None
        section = write_growth(read(result))
        assert of_kind(section, Note) == []
        assert len(of_kind(section, Figure)[0].legend) == 1

    def test_what_was_not_measured_says_why(self, sparse):
        (points,) = of_kind(write_growth(read(sparse)), Bullets)
        assert points.title == "Not measured"
        assert "By length of observation: The time limit was reached." in points.items
        assert "By resolution: no reason is recorded." in points.items

    def test_precision_is_drawn_only_where_it_says_something_new(self, result):
        def legend() -> int:
            return len(figures(write_growth(read(result)))[-1].legend)

        assert legend() == 2
        for point in result["growth"]["knowledge"]["points"]:
            point["precision"] = point["accuracy"]
        assert legend() == 0


class TestLocations:
    def test_the_most_revealing_and_the_rare_ones(self, result):
        section = write_locations(read(result))
        reported = prose(section)
        assert result["why"]["reading"].split(":")[0] in reported
        assert "One rare location alone gives away 203 people (19.3 %)" in reported
        assert reported.endswith("Locations are numbered here; --name-locations shows their names.")
        (figure,) = figures(section)
        assert cells(figure.table.rows[0]) == ("Location 1", "412", "3.1 %", "−1.4 points")

    def test_at_most_twelve_are_drawn_and_all_are_listed(self, result):
        first = result["why"]["locations"][0]
        result["why"]["locations"] = [first | {"label": f"Location {n}"} for n in range(1, 21)]
        (figure,) = figures(write_locations(read(result)))
        assert figure.summary.startswith("The 12 most revealing of 20 locations listed.")
        assert len(figure.table.rows) == 20

    def test_names_are_not_called_numbers(self, result):
        result["privacy"]["locations_named"] = True
        assert "numbered" not in prose(write_locations(read(result)))

    def test_not_measured(self, sparse):
        assert prose(write_locations(read(sparse))) == "What drives the risk was not measured."

    @pytest.mark.parametrize(
        ("change", "text"),
        [
            (None, "not measured"),
            (-0.0142, "−1.4 points"),
            (0.02, "+2.0 points"),
            (0.0, "0.0 points"),
            ("<10", "fewer than 10 people"),
            ("hidden", "not shown"),
        ],
    )
    def test_changes_have_a_sign_and_small_ones_are_masked(self, change, text):
        assert plain(signed_change(change)) == text


class TestPeople:
    def test_bins_are_shown_and_wide_ones_explained(self, result):
        (figure,) = figures(write_people(read(result)))
        assert cells(figure.table.rows[0]) == ("0.0 % to 10.0 %", "231")
        is_joined = len({round(b["high"] - b["low"], 9) for b in result["per_user"]["bins"]}) > 1
        assert ("Wide bars join" in figure.reading) == is_joined

    def test_bins_of_one_width_need_no_explanation(self, result):
        result["per_user"]["bins"] = [
            {"low": low / 10, "high": (low + 1) / 10, "people": 20} for low in range(10)
        ]
        (figure,) = figures(write_people(read(result)))
        assert "Wide bars" not in figure.reading
        assert figure.summary.endswith("the tallest holds 20 people.")

    def test_not_measured(self, sparse):
        assert prose(write_people(read(sparse))) == "The risk of single people was not measured."


class TestProtections:
    def test_the_target_the_frontier_and_what_was_not_tried(self, result):
        section = write_protections(read(result))
        assert plain(result["protections"]["target_reading"]).rstrip(".") in prose(section)
        figure = figures(section)[0]
        assert [key.label for key in figure.legend][-1] == "Cheapest that reaches the target"
        assert figure.table.rows[0][0] == "1. No protection"
        assert any(row[0].endswith(" (asked for)") for row in figure.table.rows)
        refused = [text for points in of_kind(section, Bullets) for text in points.items]
        assert "Perturb visits: The time limit of 10 minutes was reached." in refused

    def test_what_a_release_is_good_for_has_a_table_where_it_was_measured(self, result):
        point = result["protections"]["points"][0]
        assert not any(
            "Visitors off" in t.columns for t in of_kind(write_protections(read(result)), Table)
        )
        point["tasks"] = {
            "next_place_before": 0.5,
            "next_place": None,
            "occupancy_error": 0.125,
            "occupancy_of": "place",
            "flow_error": None,
        }
        point["judged_by_all"] = True
        tables = of_kind(write_protections(read(result)), Table)
        (table,) = [table for table in tables if "Visitors off" in table.columns]
        assert table.rows[0][1:] == ("—", "12.5\u00a0% by place", "—")
        (row, *_) = TABLES["protections"](read(result))
        assert (row["next_place_before"], row["occupancy_of"]) == (0.5, "place")

    def test_groups_and_every_attack_stand_beside_the_rate(self, result):
        section = write_protections(read(result))
        figure = figures(section)[0]
        assert figure.table.columns[-2:] == ("Smallest group (k)", "In groups under 5")
        by_label = {row[0].split(". ")[1]: row for row in figure.table.rows}
        assert by_label["Averages of groups of 10 (asked for)"][-2:] == ("10", "0.0\u00a0%")
        by_attack = of_kind(section, Table)[0]
        assert by_attack.columns == ("Protection", "Histogram matching", "Sequence correlation")
        first = by_attack.rows[0]
        assert first[1].endswith(" *")
        assert first[2].endswith(" of 500")
        assert [row[2] for row in by_attack.rows].count("—") == 4

    def test_what_was_searched_is_said(self, result):
        result["protections"]["search"] = {
            "tried": 40,
            "judged_by_all": 12,
            "combinations": ["coarsen-names then microaggregate"],
            "not_tried": ["top-locations then microaggregate"],
            "stopped": True,
        }
        reported = prose(write_protections(read(result)))
        assert "40 releases were made and attacked" in reported
        assert "were not tried: top-locations then microaggregate" in reported
        assert "The time was up" in reported

    def test_no_target_says_how_to_set_one(self, result):
        reset = {"target": None, "target_reading": None, "target_risk": None}
        result["protections"] |= reset
        section = write_protections(read(result))
        assert prose(section).startswith("No target was set. With one (--target-risk)")
        assert len(figures(section)[0].legend) == 2

    def test_none_was_tested(self, sparse):
        sparse["protections"]["search"] = None
        assert prose(write_protections(read(sparse))) == "No protection was tested."
        sparse["protections"] = None
        assert prose(write_protections(read(sparse))) == "No protection was tested."


class TestMeaning:
    def test_every_question_of_the_regulators_is_answered(self, result):
        (facts,) = of_kind(write_regulators(read(result)), Facts)
        terms = [term for term, _ in facts.items]
        assert terms[:4] == [
            "Means reasonably likely to be used",
            "Singling out",
            "Linkability",
            "Inference",
        ]
        assert all(text.endswith(".") for _, text in facts.items)
        assert "strongest attack took" not in facts.items[0][1]

    def test_the_time_of_the_strongest_attack_is_that_of_its_part(self, result):
        part = f"attack/{result['headline']['attack']}"
        result["seconds"]["parts"][part] = 0.04
        (facts,) = of_kind(write_regulators(read(result)), Facts)
        assert "The strongest attack took less than 0.1 s." in plain(facts.items[0][1])

    def test_the_truth_that_was_used_is_an_assumption(self, result, unscored):
        def points(given: dict[str, Any]) -> str:
            section = write_assumptions(read(given))
            return " ".join(text for block in of_kind(section, Bullets) for text in block.items)

        assert "Who is who is not known" in points(unscored)
        result["data"]["truth"] = "file"
        assert "Who is who was given in a separate file." in points(result)

    def test_no_figure_is_a_verdict(self):
        (points,) = of_kind(write_limits(), Bullets)
        assert points.items[0].startswith("That the data is anonymous.")


class TestAgain:
    def test_settings_versions_and_times_are_listed_but_no_empty_line(self, result):
        result["settings"] |= {"title": "Visits"}
        section = write_settings_used(read(result), About(command="trailprint audit visits.csv"))
        name, settings, versions = (dict(facts.items) for facts in of_kind(section, Facts))
        assert name["Title"] == "Visits"
        assert name["Command"] == "trailprint audit visits.csv"
        assert "Written on" not in name
        assert settings["seed"] == str(result["seed"])
        assert "title" not in settings
        assert settings["users"] == "all"
        assert set(versions) == set(result["versions"])
        (table,) = of_kind(section, Table)
        assert table.rows[-1][0] == "all together"

    def test_a_split_that_was_not_chosen_is_the_default_and_two_sides_have_none(self, result):
        result["settings"] |= {"split": None, "protections": []}
        settings = dict(of_kind(write_settings_used(read(result), About()), Facts)[1].items)
        assert settings["split"] == settings["protections"] == "default"
        result["data"]["sides"] = "two"
        settings = dict(of_kind(write_settings_used(read(result), About()), Facts)[1].items)
        assert "split" not in settings

    def test_units_are_words_and_numbers_have_every_digit(self, result):
        result["settings"] |= {
            "seed": 12345,
            "time_limit_s": 600.0,
            "users": 2000,
            "target_risk": 0.12345,
        }
        settings = dict(of_kind(write_settings_used(read(result), About()), Facts)[1].items)
        assert settings["time limit in seconds"] == "600"
        assert settings["users"] == "2,000"
        assert settings["target risk"] == "0.12345"
        assert settings["seed"] == "12345"

    def test_without_times_there_is_no_table(self, result):
        result["seconds"] = None
        assert of_kind(write_settings_used(read(result), About()), Table) == []
