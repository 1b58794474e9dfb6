"""``trailprint protect``: what it writes, says and refuses."""

import csv
import datetime as dt
import re
from collections import Counter

import numpy as np
import pytest

SECRET = re.compile("SECRET")
FIELDS = {
    "applied",
    "information_loss",
    "events_kept",
    "users_kept",
    "locations_kept",
    "popularity_error",
}
POINT = {
    "parameters",
    "information_loss",
    "user_accuracy",
    "cluster_accuracy",
    "accuracy_interval",
}


@pytest.fixture
def data(write):
    """Thirty people with habits at twelve places, two weeks."""
    random = np.random.default_rng(2)
    habits = random.dirichlet(np.full(12, 0.3), 30)
    lines = ["user,location,start,end,lat,lon"]
    for day in range(14):
        for user, habit in enumerate(habits):
            for hour, place in zip((8, 11, 14, 17), random.choice(12, 4, p=habit), strict=True):
                start = dt.datetime(2024, 1, 1 + day, hour)
                end = start + dt.timedelta(hours=2)
                lines.append(
                    f"SECRETu{user:02},SECRETb{place // 4}.{place},{start.isoformat()},"
                    f"{end.isoformat()},{46 + place / 100},{7 + place / 90}"
                )
    return write("data.csv", "\n".join(lines) + "\n")


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_micro_aggregation_writes_k_anonymous_shares(run, data, tmp_path):
    out = tmp_path / "out.csv"
    finished = run("protect", data, "--apply", "microaggregate:k=5", "--out", out, "--json")
    assert finished.code == 0, finished.err
    found = finished.json
    assert FIELDS | {"k", "groups", "smallest_group"} <= found.keys()
    assert found["applied"] == [
        {
            "name": "microaggregate",
            "parameters": {"k": 5, "norm": "l1", "method": "group-selection"},
        }
    ]
    written = rows(out)
    assert written[0].keys() == {"user", "location", "share"}
    by_user: dict[str, list[tuple[str, float]]] = {}
    for row in written:
        by_user.setdefault(row["user"], []).append((row["location"], row["share"]))
    sizes = Counter(tuple(own) for own in by_user.values())
    assert min(sizes.values()) == found["smallest_group"] >= 5
    assert len(sizes) == found["groups"]


def test_what_is_written_can_be_read_again(run, data, tmp_path):
    out = tmp_path / "out.parquet"
    assert run("protect", data, "--apply", "microaggregate:k=5", "--out", out).code == 0
    finished = run("inspect", out, "--count-column", "share", "--json")
    assert finished.code == 0, finished.err
    assert finished.json["users"] == 30


def test_protected_events_are_events(run, data, tmp_path):
    out = tmp_path / "out.csv"
    chain = ("--apply", "coarsen-names:levels=1", "--apply", "perturb-times:sigma_s=600")
    finished = run("protect", data, *chain, "--out", out, "--json", "--seed", 7)
    assert finished.code == 0, finished.err
    assert [step["name"] for step in finished.json["applied"]] == ["coarsen-names", "perturb-times"]
    assert finished.json["released"] == "events"
    assert finished.json["time_error_s"] > 100
    written = rows(out)
    assert len(written) == 30 * 14 * 4
    assert {row["location"] for row in written} == {"SECRETb0", "SECRETb1", "SECRETb2"}
    # Positions would give away the rooms.
    assert written[0].keys() == {"user", "location", "start", "end"}


def test_the_same_seed_writes_the_same(run, data, tmp_path):
    outs = [tmp_path / f"{i}.csv" for i in range(3)]
    for out, seed, threads in zip(outs, (1, 1, 2), (1, 2, 2), strict=True):
        chain = ("--apply", "perturb-locations", "--apply", "noise:epsilon=20")
        arguments = ("--out", out, "--seed", seed, "--threads", threads)
        assert run("protect", data, *chain, *arguments).code == 0
    first, again, other = (sorted(map(repr, rows(out))) for out in outs)
    assert first == again
    assert first != other


def test_a_mapping_file(run, data, write, tmp_path):
    pairs = "".join(f"SECRETb{i // 4}.{i},SECRETr{i % 2}\n" for i in range(12))
    mapping = write("regions.csv", "location,region\n" + pairs)
    finished = run("protect", data, "--apply", f"coarsen-regions:mapping={mapping}", "--json")
    assert finished.code == 0, finished.err
    assert finished.json["applied"][0]["parameters"] == {"mapped_locations": 12, "regions": 2}
    assert not SECRET.search(finished.out)
    short = write("short.csv", "location,region\nSECRETb0.0,SECRETr0\n")
    finished = run("protect", data, "--apply", f"coarsen-regions:mapping={short}")
    assert finished.code == 2
    assert "a region for every location, but 11 have none" in finished.err
    assert not SECRET.search(finished.err)


def test_a_sweep_with_a_target(run, data):
    finished = run(
        "protect", data, "--apply", "microaggregate", "--sweep", "k=1,2,10",
        "--target-risk", "0.3", "--json",
    )  # fmt: skip
    assert finished.code == 0, finished.err
    found = finished.json
    assert "median event" in found["split"]
    assert [point["parameters"]["k"] for point in found["sweep"]] == [1, 2, 10]
    assert all(point.keys() >= POINT for point in found["sweep"])
    assert found["sweep"][0]["user_accuracy"] > 0.5
    assert found["target"]["user_accuracy"] <= 0.3
    assert found["target"]["parameters"]["k"] <= 10


@pytest.mark.parametrize(
    ("protection", "values", "advice"),
    [
        ("microaggregate", "k=1,2", "Try larger values of k"),
        ("top-locations", "n=11,12", "Try smaller values of n"),
        ("weekdays", "days=mon+tue,mon+wed", "Try other values of days"),
    ],
)
def test_where_no_value_suffices_it_says_where_to_look(run, data, protection, values, advice):
    arguments = ("--apply", protection, "--sweep", values, "--target-risk", "0")
    finished = run("protect", data, *arguments)
    assert finished.code == 0, finished.err
    assert f"none of the values tried suffices. {advice}, or another" in finished.out


@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize(
    "arguments",
    [
        ("--apply", "coarsen-grid:cell_m=2000"),
        ("--apply", "coarsen-names"),
        ("--apply", "coarsen-time"),
        ("--apply", "top-locations:n=5"),
        ("--apply", "common-locations:min_users=3"),
        ("--apply", "weekdays:days=mon+tue"),
        ("--apply", "period:between=2024-01-02..2024-01-09"),
        ("--apply", "active-users"),
        ("--apply", "perturb-locations", "--apply", "perturb-times"),
        ("--apply", "microaggregate:k=3,method=mdav", "--weight", "duration"),
        ("--apply", "noise:epsilon=10,kind=geometric", "--apply", "microaggregate:k=3"),
        ("--apply", "microaggregate", "--sweep", "k=2,5", "--ranges",
         "2024-01-01..2024-01-05,2024-01-06..2024-01-14", "--target-risk", "0.01"),
        ("--apply", "coarsen-grid", "--sweep", "cell_m=100,5000", "--metrics", "l1"),
    ],
)  # fmt: skip
def test_nothing_of_the_data_is_said(run, data, arguments, form):
    finished = run("protect", data, *arguments, *form)
    assert finished.code == 0, finished.err
    assert not SECRET.search(finished.out + finished.err)
    assert finished.out


def test_the_privacy_statement_is_printed(run, data):
    finished = run("protect", data, "--apply", "noise:epsilon=2")
    text = " ".join(finished.out.split())
    assert "2-differentially private" in text
    assert "Not covered" in text


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_list(run, form):
    finished = run("protect", "--list", *form)
    assert finished.code == 0
    for name in ("coarsen-grid", "top-locations", "microaggregate", "perturb-times", "noise"):
        assert name in finished.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--apply is needed"),
        (("--apply", "microaggregate:k=31"), "k must be at most the number of users, 30, got 31"),
        (("--apply", "noise:epsilon=-1"), "epsilon must be a positive number"),
        (("--apply", "perturb-times:sigma_s=-5"), "sigma_s must be a positive number"),
        (("--apply", "magic"), "A protection must be one of"),
        (("--apply", "microaggregate", "--apply", "coarsen-time"), "Change the order"),
        (("--apply", "microaggregate", "--target-risk", "0.1"), "--target-risk needs --sweep"),
        (("--apply", "microaggregate", "--at", "median"), "A split goes with --sweep"),
        (("--apply", "microaggregate", "--active-both"), "A split goes with --sweep"),
        (("--apply", "microaggregate", "--metrics", "l1"), "--metrics goes with --sweep"),
        (("--apply", "microaggregate", "--metrics", "l1,x"), "--metrics must be one of jensen"),
        (("--apply", "microaggregate", "--sweep", "k"), "must look like k=2,5,10"),
        (("--apply", "microaggregate", "--sweep", "q=1"), "exactly one protection"),
        (("--apply", "microaggregate", "--sweep", "k=1", "--out", "x.csv"), "only measures"),
        (("--apply", "microaggregate", "--sweep", "k=2", "--target-risk", "7"), "from 0 to 1"),
        (("--apply", "microaggregate", "--out", "x.doc"), "must end in one of"),
        (("--apply", "coarsen-regions:mapping=nothing.csv"), "nothing.csv"),
    ],
)
def test_mistakes_get_one_sentence(run, data, arguments, message):
    finished = run("protect", data, *arguments)
    assert finished.code == 2
    assert message in finished.err
    assert finished.err.count("\n") == 1
    assert finished.out == ""


def test_data_is_needed_and_not_overwritten(run, data):
    assert run("protect").code == 2
    finished = run("protect", data, "--apply", "coarsen-time", "--out", data)
    assert finished.code == 2
    assert "must not overwrite" in finished.err


@pytest.mark.parametrize(
    "apply",
    [("weekdays:days=mon+tue then coarsen-grid",), ("coarsen-time", " coarsen-grid:cell_m=900")],
)
def test_positions_are_kept_for_a_protection_that_comes_later(run, write, apply):
    path = write(
        "fixes.csv",
        "user,lat,lon,start\n"
        + "".join(
            f"u{n % 4},46.5{n % 7},6.6{n % 5},2024-01-0{1 + n % 9}T10:00:00\n" for n in range(60)
        ),
    )
    finished = run("protect", path, *(word for text in apply for word in ("--apply", text)))
    assert finished.code == 0, finished.err
