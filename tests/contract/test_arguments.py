"""Python calls with arguments of a wrong kind: one sentence, and nothing of the data in it."""

from __future__ import annotations

import traceback
from dataclasses import fields
from functools import partial
from typing import Any, cast

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import trailprint as tp
from trailprint import options, simulate
from trailprint.arguments import check_argument, check_fields
from trailprint.errors import OptionError, OutputError
from trailprint.events.engine import translate
from trailprint.protections import registry, suppress
from trailprint.protections.coarsen import CoarsenRegions
from trailprint.protections.microaggregate import Microaggregate

ID = "SEC" + "RET"  # In two parts, so that a traceback's lines of this file do not hold it.
ROWS = [
    (f"{ID}U{i % 7}", f"{ID}P{i % 5}", f"2024-01-{1 + i % 20:02}T0{i % 9}:00:00")
    for i in range(140)
]
FRAME = pd.DataFrame(ROWS, columns=["user", "location", "start"])

WRONG = {
    "None": None,
    "a number": 3,
    "bytes": ID.encode(),
    "an empty list": [],
    "a list of dicts": [{"user": ID, "location": "x"}],
    "a dict": {"user": ID},
    "text": ID,
    "a generator": (i for i in range(3)),
    "a frame": FRAME,
    "a function": lambda: ID,
    "NaN": float("nan"),
    "True": True,
}


#: Kinds that can be made a table, though not a useful one.
TABLE_LIKE = ("a frame", "a dict", "a list of dicts", "an empty list")


@pytest.fixture(scope="module")
def sides():
    cut = tp.split(tp.read(FRAME), tp.SplitOptions(at="median"))
    return cut.released, cut.auxiliary


def refused(call, *arguments, **named):
    with pytest.raises(tp.TrailprintError) as caught:
        call(*arguments, **named)
    error = caught.value
    assert str(error).count("\n") == 0
    assert str(error).endswith((".", "?"))
    for text in (str(error), repr(error), "".join(traceback.format_exception(error))):
        assert ID not in text
    return str(error)


@pytest.mark.parametrize("case", [case for case in WRONG if case not in ("text", "a frame")])
def test_what_is_no_dataset(case):
    assert " must " in refused(tp.read, WRONG[case])


TABLES = {
    "no columns": (pd.DataFrame(), "must have columns"),
    "no columns of Arrow": (pa.table({}), "must have columns"),
    "no columns of polars": (pl.DataFrame(), "must have columns"),
    "no rows": (pd.DataFrame(columns=["user", "location"]), "it has none"),
    "a name twice": (pd.DataFrame([[ID, ID, 1]], columns=["user", "user", "x"]), "2 times"),
    "a name twice in Arrow": (
        pa.table([[ID], [ID], [ID]], names=["user", "user", "location"]),
        "2 times",
    ),
    "a name in two cases": (pd.DataFrame({"User": [ID], "user": [1], "location": [2]}), "2 times"),
    "mixed values": (pd.DataFrame({"user": [ID, 1], "location": [ID, ID]}), "one kind"),
    "a series": (pd.Series([ID]), "."),
    "names that are numbers": (pd.DataFrame({1: [ID], 2: [ID]}), "column for the user"),
    "a relation without a user": (duckdb.sql("SELECT 1 AS a"), "column for the user"),
    "a column for each person": (pd.DataFrame({f"{ID}A": [1], f"{ID}B": [2]}), "may be data"),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_that_are_no_dataset(case):
    table, says = TABLES[case]
    assert says in refused(tp.read, table)


@pytest.mark.parametrize("case", [case for case in WRONG if case not in ("text", "a frame")])
def test_what_is_no_source(sides, case):
    wrong = WRONG[case]
    says = "dataset must" if case not in TABLE_LIKE else "."
    for call in (tp.inspect, tp.audit):
        assert says in refused(call, wrong)
    refused(tp.split, wrong, tp.SplitOptions(at="median"))
    refused(tp.workflows.apply_filters, wrong, tp.FilterOptions())
    refused(tp.protect, wrong, ["microaggregate:k=2"])
    for linking in (tp.match, tp.trails, tp.correlate):
        refused(linking, wrong, sides[1])
        assert says in refused(linking, sides[0], wrong)
    if wrong is not None:
        refused(tp.audit, sides[0], wrong)


@pytest.mark.parametrize("case", [case for case in WRONG if case != "None"])
def test_what_is_no_option_and_no_truth(sides, case):
    wrong = WRONG[case]
    refused(tp.read, FRAME, wrong)
    refused(tp.read, FRAME, engine=wrong)
    refused(tp.split, sides[0], wrong)
    refused(tp.workflows.apply_filters, sides[0], wrong)
    for call in (tp.match, tp.trails, tp.correlate, tp.audit):
        assert "options must be" in refused(call, *sides, wrong)
        if case == "text":
            continue
        said = refused(call, *sides, truth=wrong)
        reads_as_pairs = case in set(TABLE_LIKE) - {"a list of dicts"}
        assert ("truth must be a path or a table" in said) == (not reads_as_pairs)
        if case != "a number":
            assert "n_threads" in refused(call, *sides, n_threads=wrong)
    refused(tp.audit, *sides, store=wrong)
    if case != "text":
        refused(tp.correlate, *sides, work=wrong)


def test_options_in_the_place_of_a_dataset_are_named(sides):
    wrong: Any
    for wrong in (tp.AuditOptions(), tp.AuditOptions):
        said = refused(tp.audit, sides[0], wrong)
        assert said.endswith("Options are given by name, such as options=AuditOptions(…).")


def test_what_is_no_store_says_where_there_are_some(sides):
    said = refused(tp.audit, sides[0], store="a folder")
    assert said.endswith("Make one with trailprint.store.FolderStore or MemoryStore.")


TRUTHS = {
    "no such columns": pa.table({"a": [ID], "b": [ID]}),
    "one side only": pa.table({"released": [ID]}),
    "a side twice": pa.table([[ID], [ID], [ID]], names=["released", "released", "auxiliary"]),
    "ids that are lists": pa.table({"released": [[ID]], "auxiliary": [[ID]]}),
    "ids that are nobody's": pa.table({"released": [1], "auxiliary": [2]}),
    "no rows": pa.table({"released": pa.array([], pa.string()), "auxiliary": pa.array([], "u1")}),
}


@pytest.mark.parametrize("case", TRUTHS)
def test_truths_that_are_none(sides, case):
    for call in (tp.match, tp.trails, tp.correlate):
        assert "A truth must" in refused(call, *sides, truth=TRUTHS[case])


def test_a_truth_may_hold_numbers():
    table = pd.DataFrame({"user": [1, 2, 3], "location": ["x", "y", "z"]})
    same = pa.table({"released": [1, 2, 3], "auxiliary": [1, 2, 3]})
    assert tp.match(tp.read(table), tp.read(table), truth=same).truth.n_common == 3


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (tp.ReadOptions, {"timezone": None}),
        (tp.ReadOptions, {"layout": 5}),
        (tp.ReadOptions, {"column_names": ["user"]}),
        (tp.ReadOptions, {"column_names": {"user": 3}}),
        (tp.ReadOptions, {"column_names": {"usr": "x"}}),
        (tp.ReadOptions, {"allow_bad_rows": "no"}),
        (tp.ReadOptions, {"window": ("09:00", "17:00")}),
        (tp.FilterOptions, {"min_events": "3"}),
        (tp.SplitOptions, {"at": 2024}),
        (tp.SplitOptions, {"seed": "x", "at": "median"}),
        (tp.MatchOptions, {"metric": 3}),
        (tp.MatchOptions, {"margins": 1}),
        (tp.TrailOptions, {"algorithm": 1}),
        (tp.CorrelateOptions, {"days": 1.5}),
        (tp.AuditOptions, {"attacks": 3}),
        (tp.AuditOptions, {"target_risk": "0.1"}),
        (tp.AuditOptions, {"users": True}),
        (tp.AuditOptions, {"split": "median"}),
        (tp.Engine, {"memory": 5}),
        (tp.Engine, {"threads": "2"}),
    ],
)
def test_options_of_wrong_types(make, wrong):
    assert next(iter(wrong)) in refused(make, **wrong)


def test_numbers_of_numpy_and_lists_are_taken():
    given: dict[str, Any] = {
        "users": np.int64(5),
        "target_risk": np.float32(0.5),
        "attacks": ["trail"],
    }
    made = tp.AuditOptions(**given)
    assert (type(made.users), type(made.target_risk)) == (int, float)
    assert made.attacks == ("trail",)
    assert made == tp.AuditOptions(users=5, target_risk=0.5, attacks=("trail",))
    check_fields(made)


#: Typed loosely: arrays are understood, but not announced in the annotations.
PointsOptions: Any = options.PointsOptions
UNDERSTOOD = [
    (PointsOptions(points="1-4"), PointsOptions(points=(1, 2, 3, 4))),
    (PointsOptions(points=4), PointsOptions(points=(4,))),
    (PointsOptions(points=np.int64(4)), PointsOptions(points=(4,))),
    (PointsOptions(points=range(1, 3)), PointsOptions(points=(1, 2))),
    (PointsOptions(points=np.array([1, 2])), PointsOptions(points=(1, 2))),
    (PointsOptions(points=pd.Series([1, 2])), PointsOptions(points=(1, 2))),
    (PointsOptions(points=pl.Series([1, 2])), PointsOptions(points=(1, 2))),
    (PointsOptions(points=pa.array([1, 2])), PointsOptions(points=(1, 2))),
    (PointsOptions(populations="1000"), PointsOptions(populations=(1000,))),
    (
        tp.CorrelateOptions(duration_edges_s="60,300"),
        tp.CorrelateOptions(duration_edges_s=(60.0, 300.0)),
    ),
    (tp.FilterOptions(hours="09:00-17:00"), tp.FilterOptions(hours=options.Window(540, 1020))),
    (tp.ReadOptions(window="9:00-17:00"), tp.ReadOptions(window=options.Window(540, 1020))),
    (tp.ReadOptions(keep_columns="a, b"), tp.ReadOptions(keep_columns=("a", "b"))),
]


@pytest.mark.parametrize(("given", "meant"), UNDERSTOOD)
def test_what_the_command_line_understands_is_understood(given, meant):
    assert given == meant
    assert repr(given) == repr(meant)


@pytest.mark.parametrize(
    ("make", "wrong", "says"),
    [
        (options.PointsOptions, {"points": {1, 2}}, "whole numbers, such as (1, 2, 4), got set"),
        (options.PointsOptions, {"points": [1.5]}, "(1, 2, 4), got list of float instead."),
        (options.PointsOptions, {"points": ["1", 2]}, "got list of str and int instead."),
        (options.PointsOptions, {"points": np.zeros((2, 2))}, "(1, 2, 4), got ndarray instead."),
        (options.PointsOptions, {"points": "1-x"}, "must be a number or a range such as 1-10"),
        (options.PointsOptions, {"points": True}, "(1, 2, 4), got bool instead."),
        (options.PointsOptions, {"populations": "many"}, "must be numbers of people such as"),
        (options.PointsOptions, {"knowledge": 3}, "knowledge must be text, got int instead."),
        (tp.CorrelateOptions, {"duration_edges_s": "a"}, "must be numbers such as 0.5,1,2, got"),
        (tp.CorrelateOptions, {"duration_edges_s": {60}}, "such as (0.5, 1, 2), got set instead."),
        (tp.FilterOptions, {"hours": "nine"}, "must look like 09:00-17:00"),
        (options.SweepOptions, {"parameter": "k", "values": {2}}, "must be a list, got set"),
        (tp.ReadOptions, {"header": FRAME["user"]}, "such as ('a', 'b'), got Series instead."),
    ],
)
def test_lists_of_options_that_are_not_understood(make, wrong, says):
    assert says in refused(make, **wrong)


SEEDED = [
    *(tp.MatchOptions, partial(tp.SplitOptions, at="median"), tp.CorrelateOptions),
    *(tp.AuditOptions, options.PointsOptions, options.Knowledge),
    partial(options.SweepOptions, parameter="k", values=(2,)),
    *(simulate.CampusOptions, simulate.GpsOptions, simulate.WebOptions),
    *(simulate.HouseholdOptions, simulate.WeekdayCampusOptions),
    partial(simulate.simulate_calls, 3, n_cities=1, n_antennas=1),
]


@pytest.mark.parametrize("make", SEEDED)
def test_seeds_have_one_range(make):
    for seed in (-1, 2**63):
        assert refused(make, seed=seed).startswith(
            "seed must be from 0 to 9,223,372,036,854,775,807, got"
        )
    make(seed=2**63 - 1)


def test_the_largest_seed_is_accepted_by_what_draws(sides):
    released, auxiliary = sides
    seed = 2**63 - 1
    match = tp.MatchOptions(seed=seed)
    assert tp.match(released, auxiliary, match, knows="points:2").options.seed == seed
    assert tp.match(released, auxiliary, match, views=options.ViewOptions()).options.seed == seed
    assert tp.points(released, options.PointsOptions(seed=seed)).options.seed == seed
    tp.protect(released, ["perturb-locations", "noise"], seed=seed)
    cut = tp.SplitOptions(at="median", seed=seed, released_users=3, auxiliary_users=3)
    audit = tp.AuditOptions(seed=seed, split=cut, knows="points:2", attacks="histogram,combined")
    assert tp.audit(FRAME, options=audit).findings.seed == seed
    sweep = options.SweepOptions(parameter="k", values=(2,), seed=seed)
    tp.workflows.trade_off(released, auxiliary, "microaggregate", sweep)


def test_values_of_a_sweep_are_numbers_where_they_are_written_so():
    sweep: Any = partial(options.SweepOptions, parameter="k")
    assert sweep(values="2,5").values == (2, 5)
    assert sweep(values=" 0.5, x").values == (0.5, "x")
    assert sweep(values=range(2, 4)) == sweep(values=(2, 3)) == sweep(values=np.array([2, 3]))


@pytest.mark.parametrize("values", [["a"], [None], [float("nan")], [2.5], "a", "2,nan", [True]])
def test_values_of_a_sweep_have_the_type_of_the_parameter(sides, values):
    sweep = options.SweepOptions(parameter="k", values=values)
    for call in (tp.workflows.trade_off, tp.workflows.plan_trade_off):
        says = refused(call, *sides, "microaggregate", sweep)
        assert says.startswith("k must be a whole number, got")


PROTECTIONS = [kind for kind in registry.PROTECTIONS.values() if kind is not CoarsenRegions]
NUMBERS = [
    (kind, field.name)
    for kind in PROTECTIONS
    for field in fields(kind)
    if field.type in ("int", "float")
]


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
@pytest.mark.parametrize("wrong", ["5", None, float("nan"), True, [5]])
def test_protections_check_the_types_of_their_parameters(kind, name, wrong):
    assert refused(kind, **{name: wrong}).startswith(name) or name in ("previous", "next")


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_protections_take_numbers_of_numpy(kind, name):
    made = kind(**{name: np.int64(name not in ("previous", "next"))})
    assert type(made.parameters()[name]) is int


def test_protections_check_what_is_not_a_number():
    assert "between must be text, got int" in refused(suppress.Period, between=3)
    assert "mapping must be Table, got str" in refused(CoarsenRegions, mapping="x.csv")
    assert "norm must be one of l1, l2, got 'x'" in refused(Microaggregate, norm="x")
    with pytest.raises(tp.TrailprintError) as caught:
        Microaggregate(norm=cast(Any, "x"))
    assert caught.value.for_command_line().startswith("norm must be")


def test_a_release_is_written_to_a_path(sides, tmp_path):
    result = tp.protect(sides[0], "top-locations:n=3")
    assert "out must be text or a path, got NoneType" in refused(result.release, None)
    assert "keys must be text or a path or None, got int" in refused(
        result.release, tmp_path / "r", keys=3
    )
    assert not (tmp_path / "r").exists()
    result.release(tmp_path / "r", keys=tmp_path / "keys.csv")
    assert (tmp_path / "keys.csv").exists()


@pytest.mark.parametrize("wrong", [None, 3, {"seed": 1}, b"settings.toml"])
def test_what_is_read_from_text_or_a_file_is_text_or_a_path(wrong):
    assert "path must be text or a path, got" in refused(tp.AuditOptions.from_settings, wrong)
    for kind in (options.Box, options.Window, options.Knowledge):
        assert "text must be text, got" in refused(kind.parse, wrong)


@pytest.mark.parametrize("n_threads", [0, -1, 10**9])
def test_threads_that_cannot_be(sides, n_threads):
    assert "from 1 to 1,024" in refused(tp.match, *sides, n_threads=n_threads)


def test_the_value_itself_is_not_shown():
    with pytest.raises(OptionError, match=r"^seed must be a whole number, got str instead\.$"):
        check_argument("seed", ID, int)


@pytest.mark.parametrize("why", ["No space left on device", "Disk quota exceeded"])
def test_a_full_disk_is_not_a_damaged_input(why):
    error = translate(duckdb.IOException(f'Could not write file "/{ID}/x.tmp": {why}'))
    assert isinstance(error, OutputError)
    assert "the disk is full" in str(error)
    assert ID not in str(error)


def test_a_missing_or_unknown_argument_is_refused_with_the_name_of_the_function():
    with pytest.raises(TypeError, match=r"^match\(\) missing a required argument: 'auxiliary'$"):
        tp.match(FRAME)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^points\(\) got an unexpected keyword argument 'many'$"):
        tp.points(FRAME, many=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pd.Series([ID]), "One column is not enough"),
        (pl.Series([ID]), "One column is not enough"),
        (pd.DataFrame, "got the class DataFrame"),
        ({"user": [ID, ID], "location": [ID]}, "equally many values"),
        (["a.csv", "b.csv"], "as a folder or by a pattern"),
    ],
)
def test_what_looks_like_a_table(table, says):
    assert says in refused(tp.read, table)


def test_events_are_read_already(sides):
    assert tp.read(sides[0]) is sides[0]
    assert "first trailprint.read" in refused(tp.read, sides[0], tp.ReadOptions())


@pytest.mark.parametrize("progress", [lambda: None, lambda what: None, 3, "x"])
def test_a_progress_function_takes_its_arguments(sides, progress):
    for call in (tp.match, tp.trails, tp.correlate, tp.audit):
        assert "progress must be a function" in refused(call, *sides, progress=progress)
    assert "progress must be a function" in refused(tp.inspect, sides[0], progress=progress)


@pytest.mark.parametrize("name", ["delimiter", "encoding", "timezone", "header", "keep_columns"])
@pytest.mark.parametrize("wrong", [FRAME, FRAME["user"], np.zeros(3), pl.DataFrame()])
def test_a_frame_is_no_option(name, wrong):
    assert name in refused(tp.ReadOptions, **{name: wrong})


def test_a_window_says_how_it_is_made():
    assert "Window.parse" in refused(tp.FilterOptions, hours=9)


PLACES = {
    tp.places.to_cells: (tp.places.GridOptions(),),
    tp.places.within_box: (tp.places.Box(46, 6, 47, 7),),
    tp.places.to_h3: (9,),
    tp.places.to_regions: ("regions.csv",),
    tp.places.truncate_names: (1,),
    tp.places.to_stays: (),
}


@pytest.mark.parametrize("case", [case for case in WRONG if case not in ("a frame", "text")])
@pytest.mark.parametrize("call", PLACES, ids=lambda call: call.__name__)
def test_steps_of_places_take_what_is_read(call, case):
    assert refused(call, WRONG[case], *PLACES[call]) == refused(tp.read, WRONG[case])


@pytest.mark.parametrize("case", [case for case in WRONG if "list" not in case])
def test_places_of_all_take_a_list_of_datasets(case):
    for call in (tp.places.place, tp.places.extent):
        assert "datasets must be a list, got" in refused(call, WRONG[case])


def test_every_step_of_places_takes_a_frame(tmp_path):
    positions = {"user": ["a", "a"], "lat": [46.5, 46.6], "lon": [6.5, 6.6]}
    times = {"start": ["2024-05-13 08:00", "2024-05-13 09:00"]}
    frame = pd.DataFrame({**positions, **times, "location": ["x.1", "x.2"]})
    pd.DataFrame({"location": ["x.1", "x.2"], "region": "x"}).to_csv(tmp_path / "r.csv")
    steps: dict[Any, Any] = {**PLACES, tp.places.to_regions: (tmp_path / "r.csv",)}
    for call, arguments in steps.items():
        assert call(frame, *arguments) is not None
    assert tp.places.extent([frame]).south < 46.5
    assert tp.places.place([frame])[0].count() == 2
    assert "at least one dataset" in refused(tp.places.extent, [])


SIMULATED = {
    tp.simulate.simulate_campus: tp.simulate.CampusOptions,
    tp.simulate.simulate_gps: tp.simulate.GpsOptions,
    tp.simulate.simulate_households: tp.simulate.HouseholdOptions,
    tp.simulate.simulate_web: tp.simulate.WebOptions,
    tp.simulate.simulate_weekday_campus: tp.simulate.WeekdayCampusOptions,
}


@pytest.mark.parametrize("call", SIMULATED, ids=lambda call: call.__name__)
def test_simulations_take_their_options(call):
    options = SIMULATED[call]
    for case, wrong in WRONG.items():
        if case != "None":
            assert f"options must be {options.__name__}" in refused(call, wrong)
        if case != "a number":
            assert "n_users must be a whole number" in refused(options, n_users=wrong)


@pytest.mark.parametrize("wrong", [None, "x", FRAME, True])
def test_numbers_of_boxes_windows_and_calls(wrong):
    assert "north must be a number" in refused(tp.places.Box, 46, 6, wrong, 7)
    assert "end must be a whole number" in refused(tp.options.Window, 60, wrong)
    assert "n_users must be a whole number" in refused(tp.simulate.simulate_calls, wrong)


def test_a_window_ends_after_it_starts():
    assert "end after it starts" in refused(tp.options.Window, 600, 540)
    assert "end after it starts" in refused(tp.options.Window.parse, "10:00-09:00")
    assert "text must be text" in refused(tp.options.Window.parse, 9)


def test_what_a_store_depends_on_is_plain(tmp_path):
    assert "plain JSON values" in refused(tp.store.FolderStore, tmp_path / "a", {"x": FRAME})
    assert "manifest must be" in refused(tp.store.FolderStore, tmp_path / "a", [ID])
    assert not (tmp_path / "a").exists()


def test_values_of_a_sweep_may_be_of_any_kind():
    options = tp.options.SweepOptions
    assert options(parameter="k", values=({"a": 1}, {"a": 2})).values == ({"a": 1}, {"a": 2})
    assert "once" in refused(options, parameter="k", values=(2, 5, 2))


@pytest.mark.parametrize(
    ("make", "wrong", "says"),
    [
        (tp.AuditOptions, {"protections": "foo"}, "A protection must be one of coarsen-grid"),
        (tp.AuditOptions, {"protections": "noise then foo"}, "got 'foo' instead"),
        (tp.AuditOptions, {"protections": ["microaggregate:k=0"]}, "k must be at least 1 user"),
        (tp.AuditOptions, {"protections": ["period:between=2024"]}, "between must look like"),
        (tp.FilterOptions, {"time_range": "2024-05-01"}, "A range must look like 2024-05-01..2024"),
        (tp.FilterOptions, {"time_range": "..tomorrow"}, "A time must look like 2024-05-17"),
        (tp.SplitOptions, {"at": "mean"}, "A time must look like 2024-05-17"),
        (tp.SplitOptions, {"ranges": "2024-05-01..2024-05-02"}, "must be two ranges A..B,C..D"),
        (tp.SplitOptions, {"ranges": "2024-05-01,2024-05-02"}, "A range must look like"),
        (tp.SplitOptions, {"fold": "3/2"}, "fold must be k/n with 1 ≤ k ≤ n"),
        (tp.SplitOptions, {"fold": f"1/{'9' * 5000}"}, "fold must be k/n with 1 ≤ k ≤ n"),
    ],
)
def test_options_are_checked_when_they_are_created(make, wrong, says):
    assert says in refused(make, **wrong)


def test_no_file_is_opened_when_options_are_created():
    named = tp.AuditOptions(protections="coarsen-regions:mapping=no-such-file.csv")
    assert named.protections == ("coarsen-regions:mapping=no-such-file.csv",)
