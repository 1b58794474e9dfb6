"""Every table and figure has its experiment."""

import pytest

from trailprint.errors import OptionError
from trailprint.papers.experiment import SOURCES
from trailprint.papers.registry import choose, experiments

EXPECTED = {
    "2005-section-4.1.1",
    "2005-section-4.1.2",
    "2005-section-4.1.3",
    *(f"2005-figure-{n}" for n in range(10, 16)),
    *(f"2011-figure-{n}" for n in (3, 4, 5)),
    "2013-table-1",
    "2013-pooled-days",
    "2013-rejection",
    "2016-table-2",
    "2016-table-3",
    *(f"2016-figure-{n}" for n in (*range(4, 13),)),
    "2016-section-4a6",
    "2016-section-4c4",
    "2016-section-4d",
}


def test_every_table_and_figure_has_an_experiment() -> None:
    assert set(experiments()) == EXPECTED


def test_experiments_say_what_they_run_on() -> None:
    for name, experiment in experiments().items():
        assert experiment.name == name
        assert experiment.title
        assert not experiment.title.endswith(".")
        assert set(experiment.sources) <= set(SOURCES)


def test_a_year_and_all_stand_for_many_in_the_papers_order() -> None:
    names = [each.name for each in choose(["2013-rejection", "2005"])]
    assert names == [n for n in experiments() if n.startswith("2005")] + ["2013-rejection"]
    assert [each.name for each in choose(["all", "2005"])] == list(experiments())


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"Did you mean 2005-figure-11\?"):
        choose(["2005-figur-11"])
