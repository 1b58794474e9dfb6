"""Running experiments: whose data, how long, and what is refused."""

from dataclasses import replace

import pytest
from tests.presence import present

from trailprint.errors import InputError, OptionError, SourceError
from trailprint.events.options import ReadOptions
from trailprint.papers.comparison import PREDICTED, compare_share, forced
from trailprint.papers.experiment import Context, Experiment, ExperimentOutcome, Reproduction
from trailprint.papers.run import check_before, find_data, parse_settings, run_experiments


def make(name="2099-table-1", sources=(), settings=None, run=None) -> Experiment:
    def nothing(context: Context) -> ExperimentOutcome:
        return ExperimentOutcome(rows=[{"x": 1}], comparisons=(), reading="Nothing.")

    return Experiment(
        name=name,
        paper="Nobody 2099",
        title="Nothing",
        run=run or nothing,
        sources=sources,
        settings=settings or {},
    )


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


def test_a_figure_is_of_own_data_where_its_own_dataset_is(tmp_path) -> None:
    def run(context: Context) -> ExperimentOutcome:
        figures = [
            compare_share("both", 50.0, 0.5, PREDICTED),
            compare_share("geolife", 50.0, 0.5, PREDICTED, source="geolife"),
            compare_share("calls", 50.0, 0.5, PREDICTED, source="call-records"),
            compare_share("always", 50.0, 0.5, forced("It must.", on_any_data=True)),
        ]
        return ExperimentOutcome(rows=[], comparisons=figures, reading="")

    experiment = make(sources=("geolife", "call-records"), run=run)
    standings = {
        there: [
            each["standing"]
            for each in run_experiments([experiment], Context(data=dict.fromkeys(there, tmp_path)))[
                0
            ].to_dict()["comparisons"]
        ]
        for there in ((), ("geolife",), ("geolife", "call-records"))
    }
    assert standings == {
        (): ["predicted", "predicted", "predicted", "forced"],
        ("geolife",): ["predicted", "own data", "predicted", "forced"],
        ("geolife", "call-records"): ["own data", "own data", "own data", "forced"],
    }


def refuses(context: Context) -> ExperimentOutcome:
    raise InputError("There must be two weeks, but there is one.")


def test_others_go_on_when_own_data_do_not_suit_one(tmp_path) -> None:
    wanted = [
        make(name="2099-a", sources=("geolife",), run=refuses),
        make(name="2099-b", sources=("geolife",)),
        make(name="2099-c"),
    ]
    seen: list[Reproduction] = []
    results = run_experiments(wanted, Context(data={"geolife": tmp_path}), seen.append)
    assert seen == results
    assert [each.refused is None for each in results] == [False, True, True]
    assert results[0].to_dict()["refused"] == "There must be two weeks, but there is one."
    assert results[0].outcome.comparisons == ()


def test_a_complaint_is_raised_where_nothing_could_run_or_people_are_simulated(tmp_path) -> None:
    asked = [make(sources=("geolife",), run=refuses)]
    with pytest.raises(InputError, match="two weeks"):
        run_experiments(asked, Context(data={"geolife": tmp_path}))
    with pytest.raises(InputError, match="two weeks"):
        run_experiments([make(), *asked], Context())


def test_progress_is_of_the_whole_and_names_the_experiment() -> None:
    reported = []
    half = make(
        name="2099-b",
        run=lambda context: (
            context.report("half", 0.5) or ExperimentOutcome(rows=[], comparisons=(), reading="")
        ),
    )
    context = Context(progress=lambda what, done: reported.append((what, done)))
    run_experiments([make(name="2099-a"), half], context)
    assert ("2099-b: half", 0.75) in reported
    shares = [present(done) for _, done in reported]
    assert shares == sorted(shares)


def test_what_experiments_share_is_made_once() -> None:
    made = []

    def make_people() -> str:
        made.append(1)
        return "people"

    context = Context()
    assert [context.share("people", make_people) for _ in range(2)] == ["people"] * 2
    assert made == [1]


def test_each_result_is_handed_over_as_soon_as_it_is_there() -> None:
    def fails(context: Context) -> ExperimentOutcome:
        raise OptionError("No.")

    seen: list[Reproduction] = []
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


def test_settings_and_limits_are_checked_before_anything_runs() -> None:
    seen: list[Context] = []
    wanted = [replace(make(name=name), check=seen.append) for name in ("2099-a", "2099-b")]
    context = Context()
    check_before([*wanted, make()], context)
    assert seen == [context]
    with pytest.raises(OptionError, match="threads"):
        check_before([make()], Context(n_threads=0))


def test_rows_of_own_data_that_cannot_be_used_are_noted(tmp_path) -> None:
    path = tmp_path / "call-records.csv"
    good = [f"u{n},a,2020-01-01T00:00:00Z" for n in range(300)]
    path.write_text("\n".join(["user,location,start", *good, "u,a,noon", "u,a,late"]) + "\n")

    def run(context: Context) -> ExperimentOutcome:
        n_rows = context.share("events", lambda: context.read("call-records")).count()
        return ExperimentOutcome(
            rows=[{"n": n_rows}], comparisons=(), reading="", notes=("First.",)
        )

    wanted = [make(name=name, sources=("call-records",), run=run) for name in ("2099-a", "2099-b")]
    results = run_experiments(wanted, Context(data={"call-records": path}))
    for result in results:
        assert result.outcome.rows == [{"n": 300}]
        first, unused = result.outcome.notes
        assert first == "First."
        assert unused == ("call-records.csv: 2 of 302 rows were not used (unreadable time: 2).")


def test_own_data_is_read_as_asked_for(tmp_path) -> None:
    path = tmp_path / "call-records.csv"
    path.write_text("who;place;when\nu;a;2020-01-01 00:00\n")
    reading = ReadOptions(
        column_names={"user": "who", "location": "place", "start": "when"}, delimiter=";"
    )
    context = Context(data={"call-records": path}, reading=reading)
    events = context.read("call-records", timezone="Asia/Tokyo")
    assert events.timezone == "Asia/Tokyo"
    assert events.count() == 1
    assert context.notes_on(["call-records"]) == []
