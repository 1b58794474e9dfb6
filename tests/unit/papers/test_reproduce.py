"""Experiments of the papers from Python: one or several, settings, a folder, and refusals."""

from __future__ import annotations

import pytest

from trailprint import reproduce as room
from trailprint.errors import OptionError, TrailprintError

QUICK = "2005-figure-11"


def test_one_name_or_several_give_a_list_in_order():
    (alone,) = room.reproduce(QUICK, seed=2)
    assert isinstance(alone, room.Reproduction)
    assert (alone.experiment.name, alone.seed, alone.full) == (QUICK, 2, False)
    (again,) = room.reproduce([QUICK], seed=2)
    assert again.outcome.rows == alone.outcome.rows


def test_progress_and_a_folder_with_page_and_tables(tmp_path):
    reported: list[str] = []
    room.reproduce(QUICK, out=tmp_path / "out", progress=lambda what, share: reported.append(what))
    assert reported
    names = {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert f"{QUICK}.csv" in names
    (page,) = (tmp_path / "out").rglob("*.html")
    assert QUICK in page.read_text(encoding="utf-8")


def test_every_experiment_is_listed_once():
    names = [one.name for one in room.list_experiments()]
    assert len(set(names)) == len(names) > 20
    assert QUICK in names


@pytest.mark.parametrize(
    ("names", "more"),
    [("2099", {}), (QUICK, {"settings": {"no-such": "1"}}), (QUICK, {"data": "no such folder"})],
)
def test_what_is_not_there_is_refused_before_anything_runs(names, more):
    with pytest.raises(TrailprintError):
        room.reproduce(names, **more)


def test_the_refusal_of_a_name_says_where_to_look():
    with pytest.raises(OptionError, match="'trailprint reproduce --list' shows, a year or all"):
        room.reproduce("no-such-experiment")
