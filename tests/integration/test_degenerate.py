"""Datasets at the edge of having nothing: every command answers, in numbers or in one sentence."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pytest

import trailprint as tp
from trailprint.errors import InputError, OptionError, TrailprintError
from trailprint.events.periods import periods_overlap
from trailprint.features.histograms import build_histograms
from trailprint.features.options import HistogramOptions
from trailprint.protections.chain import apply_protections
from trailprint.protections.microaggregate import Microaggregate
from trailprint.protections.noise import Noise

HEAD = "user,location,start\n"
COUNTS = "user,location,count\n"
ORDINARY = HEAD + "".join(
    f"u{i},l{(i + d) % 3},2024-05-{d:02}T08:00:00\n" for i in range(4) for d in range(1, 15)
)

#: What the released and the auxiliary file hold.
DATASETS = {
    "one user": (HEAD + "a,x,2024-05-01\na,y,2024-05-09\n", HEAD + "a,x,2024-05-20\n"),
    "one location": (
        HEAD + "a,x,2024-05-01\nb,x,2024-05-02\n",
        HEAD + "a,x,2024-05-11\nb,x,2024-05-12\n",
    ),
    "one instant": (HEAD + "a,x,2024-05-01\nb,y,2024-05-01\n",) * 2,
    "nobody on both": (HEAD + "a,x,2024-05-01\nb,x,2024-05-02\n", HEAD + "c,x,2024-05-11\n"),
    "no place on both": (HEAD + "a,x,2024-05-01\n", HEAD + "a,y,2024-05-11\n"),
    "no rows on one side": (ORDINARY, HEAD),
    "all counts zero": (COUNTS + "a,x,0\nb,y,0\n",) * 2,
    "counts zero on one side": (COUNTS + "a,x,2\nb,y,1\n", COUNTS + "a,x,0\n"),
    "tiny counts": (COUNTS + "a,x,1e-310\na,y,3e-310\nb,y,5e-324\n",) * 2,
    "huge counts": (COUNTS + "a,x,1e308\na,y,1e308\nb,y,1e308\n",) * 2,
}

COMMANDS = {
    "match": ("match", "R", "A", "--margins"),
    "match cosine": ("match", "R", "A", "--metric", "cosine", "--method", "one-by-one"),
    "match likelihood": ("match", "R", "A", "--metric", "likelihood", "--precision", "0.9"),
    "match slots": ("match", "R", "A", "--slots", "weekday", "--margins"),
    "match rejection": ("match", "R", "A", "--reject-lambda", "1", "--string-length", "10"),
    "match split": ("match", "R", "--at", "median", "--active-both"),
    "trails": ("trails", "R", "A"),
    "trails locations": ("trails", "R", "A", "--sensitivity", "locations"),
    "trails popularity": ("trails", "R", "A", "--sensitivity", "popularity"),
    "points": ("points", "R"),
    "points in order": ("points", "R", "--knowledge", "sequence"),
    "correlate": ("correlate", "R", "A", "--model", "markov"),
    "correlate folds": ("correlate", "R", "--folds", "2", "--model", "markov"),
    "inspect": ("inspect", "R"),
    "inspect other": ("inspect", "A"),
    "split": ("split", "R", "--at", "median", "--released", "OUT1", "--auxiliary", "OUT2"),
    "microaggregate": ("protect", "R", "--apply", "microaggregate:k=2"),
    "noise": ("protect", "R", "--apply", "noise:epsilon=1"),
    "noise whole": ("protect", "R", "--apply", "noise:epsilon=0.5,kind=geometric"),
    "top": ("protect", "R", "--apply", "top-locations:n=1"),
    "perturb": ("protect", "R", "--apply", "perturb-locations"),
    "sweep": ("protect", "R", "--apply", "microaggregate", "--sweep", "k=2,3"),
}

FILTERS = (
    ("--top-locations", "1"),
    ("--min-active-days", "30"),
    ("--min-events", "99"),
    ("--between", "1999-01-01..1999-01-02"),
    ("--weekdays", "sun", "--hours", "01:00-01:30"),
)


def check(run, *words) -> None:
    """Numbers, or one sentence; never a defect, and JSON that every program can read."""
    done = run(*words, "--threads", 1, "--json")
    assert done.code in (0, 2), done.err
    if done.code == 2:
        assert done.err.count("\n") == 1
        assert done.err.startswith("trailprint: ")
        assert done.out == ""
        return
    json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    shown = run(*words, "--threads", 1)
    assert shown.code == 0
    assert not re.search(r"\bnan\b|\binf\b|\d[eE][+-]\d", shown.out)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_answers(run, write, tmp_path, command, dataset):
    released, auxiliary = DATASETS[dataset]
    places = {
        "R": write("r.csv", released),
        "A": write("a.csv", auxiliary),
        "OUT1": str(tmp_path / "1.csv"),
        "OUT2": str(tmp_path / "2.csv"),
    }
    words = [places.get(word, word) for word in COMMANDS[command]]
    check(run, *words)


@pytest.mark.parametrize("filters", FILTERS, ids=" ".join)
@pytest.mark.parametrize(
    "command", ["match", "trails", "points", "correlate", "inspect", "noise", "split"]
)
def test_filters_that_leave_little_are_answered(run, write, tmp_path, command, filters):
    """One side's places are not among the most visited of both."""
    other = HEAD + "".join(f"u{i},far,2024-06-0{i + 1}\n" for i in range(4))
    places = {
        "R": write("r.csv", ORDINARY),
        "A": write("a.csv", other),
        "OUT1": str(tmp_path / "1.csv"),
        "OUT2": str(tmp_path / "2.csv"),
    }
    words = [places.get(word, word) for word in COMMANDS[command]] + list(filters)
    check(run, *words)


def test_an_infinite_margin_is_null(run, write):
    """A single user can be linked in one way only: no other matching is worse."""
    released, auxiliary = (
        write(f"{n}.csv", text) for n, text in zip("ra", DATASETS["one user"], strict=True)
    )
    found = run("match", released, auxiliary, "--margins", "--json").json

    assert found["precision_at_coverage"][0]["margin"] is None
    assert found["correct"] == 1


@pytest.mark.parametrize("epsilon", ["1e-320", "1e-7", "0", "nan", "inf"])
def test_noise_wider_than_numbers_is_refused(run, write, epsilon):
    done = run("protect", write("r.csv", ORDINARY), "--apply", f"noise:epsilon={epsilon}")

    assert done.code == 2
    assert "epsilon must be a positive number" in done.err


def test_what_is_empty_is_refused_or_unknown_in_python(make_events):
    nothing = make_events([("a", "x", 0.0), ("b", "y", 0.0)], "user", "location", "count")
    something = make_events([("a", "x", 1.0), ("b", "y", 2.0)], "user", "location", "count")
    with pytest.raises(InputError, match="At least one event must be there to protect"):
        tp.protect(nothing, "microaggregate:k=2")
    with pytest.raises(InputError, match="At least one event must be there to protect"):
        apply_protections(build_histograms(nothing), [Noise()])
    with pytest.raises(InputError, match="one has none"):
        tp.match(something, nothing)
    with pytest.raises(OptionError, match="epsilon"):
        Noise(epsilon=1e-320)
    assert tp.inspect(nothing).to_dict()["events"] == 0
    assert (
        apply_protections(build_histograms(something), [Microaggregate(k=2)]).loss.users_kept == 1
    )


def test_periods_of_nothing_are_unknown(make_events):
    import datetime as dt

    events = make_events([("a", "x", dt.datetime(2024, 5, 1))], "user", "location", "start")
    assert periods_overlap(events, events.having("false")) is None
    assert periods_overlap(events.having("false"), events) is None


@pytest.mark.parametrize("weight", ["visits", "day-balanced"])
def test_verbs_on_an_empty_side_raise_ours_only(make_events, weight):
    import datetime as dt

    rows = [(f"u{i}", f"l{i % 2}", dt.datetime(2024, 5, 1 + i)) for i in range(4)]
    events = make_events(rows, "user", "location", "start")
    empty = events.having("false")
    calls = (
        lambda: tp.match(events, empty, histograms=HistogramOptions(weight=weight)),
        lambda: tp.trails(empty, events),
        lambda: tp.correlate(events, empty, tp.CorrelateOptions(model="markov")),
        lambda: tp.protect(empty, "microaggregate:k=2"),
        lambda: tp.split(empty, tp.SplitOptions(at="median")),
        lambda: tp.split(empty, tp.SplitOptions(busiest_weeks=True)),
        lambda: tp.audit(empty),
    )
    for call in calls:
        with pytest.raises(TrailprintError):
            call()
    assert tp.inspect(empty).users == 0
    assert isinstance(tp.read(pa.table({"user": ["a"], "location": ["x"]})), tp.Events)
