"""Running experiments: whose data, how long, and what is refused."""

import pytest

from trailprint.errors import OptionError, SourceError
from trailprint.papers.experiment import Comparison, Context, Experiment, Outcome, compare_share
from trailprint.papers.run import find_data, parse_settings, run_experiments


def make(name="2099-table-1", sources=(), settings=None, run=None) -> Experiment:
    def nothing(context: Context) -> Outcome:
        return Outcome(rows=[{"x": 1}], comparisons=(), reading="Nothing.")

    return Experiment(
        name=name,
        paper="Nobody 2099",
        title="Nothing",
        run=run or nothing,
        sources=sources,
        settings=settings or {},
    )


def test_difference_is_ours_minus_the_papers() -> None:
    assert compare_share("q", 50.0, 0.75).difference == pytest.approx(25.0)
    assert Comparison(quantity="q", paper=None, ours=1.0).difference is None
    assert compare_share("q", 50.0, None).to_dict()["difference"] is None


@pytest.mark.parametrize(
    ("there", "label"),
    [
        ((), "simulated"),
        (("geolife", "call-records"), "your data"),
        (("geolife",), "partly your data, partly simulated"),
    ],
)
def test_the_label_follows_from_the_data(tmp_path, there, label) -> None:
    experiment = make(sources=("geolife", "call-records"))
    context = Context(data=dict.fromkeys(there, tmp_path))
    (result,) = run_experiments([experiment], context)
    assert result.population == label
    assert result.to_dict()["population"] == label
    assert result.seconds >= 0


def test_progress_is_of_the_whole_and_names_the_experiment() -> None:
    told = []
    half = make(
        name="2099-b",
        run=lambda context: (
            context.tell("half", 0.5) or Outcome(rows=[], comparisons=(), reading="")
        ),
    )
    context = Context(progress=lambda what, done: told.append((what, done)))
    run_experiments([make(name="2099-a"), half], context)
    assert ("2099-b: half", 0.75) in told
    assert [done for _, done in told] == sorted(done for _, done in told)


def test_what_experiments_share_is_made_once() -> None:
    made = []
    context = Context()
    for _ in range(2):
        assert context.share("people", lambda: made.append(1) or "people") == "people"
    assert made == [1]


def test_each_result_is_handed_over_as_soon_as_it_is_there() -> None:
    def fails(context: Context) -> Outcome:
        raise OptionError("No.")

    seen = []
    with pytest.raises(OptionError):
        run_experiments([make(), make(name="2099-b", run=fails)], Context(), seen.append)
    assert [result.experiment.name for result in seen] == ["2099-table-1"]


def test_copies_are_found_by_name_whatever_their_ending(tmp_path) -> None:
    (tmp_path / "geolife").mkdir()
    (tmp_path / "call-records.csv.gz").touch()
    wanted = [make(sources=("geolife", "call-records", "web-history"))]
    found = find_data(tmp_path, wanted)
    assert found == {
        "geolife": tmp_path / "geolife",
        "call-records": tmp_path / "call-records.csv.gz",
    }


def test_a_folder_may_be_the_only_dataset_itself(tmp_path) -> None:
    assert find_data(tmp_path, [make(sources=("geolife",))]) == {"geolife": tmp_path}


@pytest.mark.parametrize("sources", [("geolife", "web-history"), ("geolife",)])
def test_a_folder_without_the_data_is_refused(tmp_path, sources) -> None:
    (tmp_path / "call-records.csv").touch()
    with pytest.raises(SourceError, match="geolife"):
        find_data(tmp_path, [make(sources=sources)])


def test_data_that_is_not_there_or_not_needed_is_refused(tmp_path) -> None:
    with pytest.raises(SourceError, match="exists"):
        find_data(tmp_path / "nowhere", [make(sources=("geolife",))])
    with pytest.raises(OptionError, match="need none"):
        find_data(tmp_path, [make()])


def test_settings_must_be_known() -> None:
    wanted = [make(settings={"cell-m": "metres, 1000"})]
    assert parse_settings(["cell-m = 500"], wanted) == {"cell-m": "500"}
    with pytest.raises(OptionError, match="NAME=VALUE"):
        parse_settings(["cell-m"], wanted)
    with pytest.raises(OptionError, match="cell-m"):
        parse_settings(["box=1"], wanted)
    with pytest.raises(OptionError, match="no settings"):
        parse_settings(["box=1"], [make()])
