"""A whole audit: what it keeps, what it redoes, and that names do not matter."""

import datetime as dt
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from trailprint.audit import AuditOptions, audit
from trailprint.audit.attacks.registry import attack_names
from trailprint.audit.planning.plan import Plan
from trailprint.errors import InputError
from trailprint.events.reading.read import read
from trailprint.events.split import SplitOptions, split
from trailprint.simulate.campus import CampusOptions, simulate_campus
from trailprint.store import MemoryStore

QUICK: dict[str, Any] = {"attacks": ("histogram", "trail"), "protections": ("microaggregate:k=3",)}


@pytest.fixture(scope="module")
def campus(engine):
    table = simulate_campus(CampusOptions(n_users=40, n_days=14, seed=2))
    return read(table, engine=engine).materialise()


def run(released, auxiliary=None, *, store=None, truth=None, progress=None, **options):
    """An audit, and the plan it reported."""
    plans: list[Plan] = []
    result = audit(
        released,
        auxiliary,
        options=AuditOptions(**{**QUICK, **options}),
        store=store,
        truth=truth,
        n_threads=1,
        on_plan=plans.append,
        progress=progress,
    )
    return result, plans[0]


class _Planned(Exception):  # noqa: N818
    """Stops an audit before it begins."""


def plan_only(released, *, store, **options):
    """What an audit would do."""

    def stop(plan):
        raise _Planned(plan)

    asked = AuditOptions(**{**QUICK, **options})
    with pytest.raises(_Planned) as stopped:
        audit(released, options=asked, store=store, n_threads=1, on_plan=stop)
    return stopped.value.args[0]


def plain(result, *without):
    values = {key: value for key, value in result.to_dict().items() if key not in without}
    values.pop("seconds")
    for attack in values["attacks"]:
        attack["seconds"] = None
    return json.dumps(values)


@pytest.fixture(scope="module")
def shares():
    """How far the audit was, each time it said so."""
    return []


@pytest.fixture(scope="module")
def audited(campus, shares):
    store = MemoryStore()
    return *run(campus, store=store, progress=lambda _, share: shares.append(share)), store


def test_progress_never_goes_back(audited, shares):
    reported = [share for share in shares if share is not None]
    assert reported == sorted(reported)
    assert 0 <= reported[0] <= reported[-1] <= 1


def test_finished_parts_are_not_redone(audited, campus):
    result, first, store = audited
    again, second = run(campus, store=store)
    assert first.kept == frozenset()
    assert second.kept == {part.name for part in first.parts}
    assert second.seconds == 0
    assert plain(again) == plain(result)


@pytest.mark.parametrize(
    ("change", "redone"),
    [
        ({"protections": ("microaggregate:k=4",)}, {"protect/microaggregate:k=4", "search"}),
        ({"target_risk": 0.5}, {"search"}),
        ({"name_locations": True}, set()),
        (
            {"attacks": ("histogram", "trail", "sequence")},
            {
                "attack/sequence",
                "control/sequence",
                "protect/none",
                "protect/microaggregate:k=3",
                "search",
            },
        ),
    ],
)
def test_only_what_depends_on_a_change_is_redone(audited, campus, change, redone):
    plan = plan_only(campus, store=audited[2], **change)
    assert {part.name for part in plan.parts} - plan.kept == redone


def test_other_data_or_another_seed_redoes_everything(audited, campus):
    store = audited[2]
    assert plan_only(campus, store=store, seed=1).kept == frozenset()
    fewer = campus.having("location <> (SELECT min(location) FROM (" + campus.query + "))")
    assert plan_only(fewer, store=store).kept == frozenset()


def test_rows_in_another_order_are_the_same_data(audited, campus):
    turned = campus.derive(f'SELECT * FROM ({campus.query}) ORDER BY "end" DESC, "user"')
    plan = plan_only(turned, store=audited[2])
    assert plan.kept == {part.name for part in plan.parts}


@pytest.fixture(scope="module")
def halves(campus):
    sides = split(campus, SplitOptions(halves_of_weeks=True))
    return sides.released, sides.auxiliary


@pytest.fixture(scope="module")
def two_sided(halves):
    return run(*halves)[0]


def test_two_datasets_are_audited_as_one_that_is_cut(audited, two_sided):
    result = two_sided
    assert result.to_dict()["data"]["sides"] == "two"
    without = ("data",)
    assert plain(result, *without) == plain(audited[0], *without)


def test_names_do_not_matter_where_the_truth_is_known(halves, two_sided):
    released, auxiliary = halves
    others = ", ".join(f'"{column}"' for column in sorted(auxiliary.columns - {"user"}))
    named = auxiliary.derive(
        f'SELECT \'name-\' || "user" AS "user", {others} FROM ({auxiliary.query})'
    )
    users = [f"user{number:05}" for number in range(40)]
    truth = pa.table({"released": users, "auxiliary": [f"name-{user}" for user in users]})
    result, _ = run(released, named, truth=truth)
    assert result.to_dict()["data"]["truth"] == "file"
    assert plain(result, "data") == plain(two_sided, "data")
    assert set(result.links()["auxiliary"].to_pylist()) <= set(truth["auxiliary"].to_pylist())
    assert set(result.per_user()["user"].to_pylist()) <= set(users)


def test_people_of_one_side_only_are_not_scored(halves):
    released, auxiliary = halves
    result, _ = run(released.having("\"user\" > 'user00010'"), auxiliary)
    found = result.to_dict()
    assert found["data"]["released"]["users"] < found["data"]["auxiliary"]["users"]
    for attack in found["attacks"]:
        if attack["ran"]:
            assert attack["people"] == found["data"]["common_users"]
    assert found["worst_case"]["people"] == found["data"]["common_users"]


def test_durations_can_be_counted(campus, audited):
    found = run(campus, weight="duration")[0].to_dict()
    plain_one = audited[0].to_dict()
    assert found["attacks"][0]["variant"].startswith("joint matching of durations")
    first, before = (values["why"]["locations"][0] for values in (found, plain_one))
    assert first["contribution"] != before["contribution"]
    assert found["attacks"][1]["correct"] == plain_one["attacks"][1]["correct"]
    none, before = (values["protections"]["points"][0] for values in (found, plain_one))
    assert none["name"] == before["name"] == "none"
    assert none["accuracy"] >= found["attacks"][0]["accuracy"]


def test_without_times(make_events):
    random = np.random.default_rng(0)
    rows = [
        (f"u{user:02}", f"p{place}")
        for user, habit in enumerate(random.dirichlet(np.full(12, 0.2), 20))
        for place in random.choice(12, 40, p=habit)
    ]
    result, _ = run(make_events(rows, "user", "location"), attacks=attack_names())
    found = result.to_dict()
    assert found["data"]["split"]["kind"] == "random-events"
    assert found["data"]["periods_overlap"] is None
    assert [attack["ran"] for attack in found["attacks"]] == [True, False, True, False]
    assert "has none" in found["attacks"][3]["why_not"]
    assert {row["study"] for row in found["growth"]["left_out"]} >= {"time"}
    assert found["headline"]["share"] > 5 * found["headline"]["chance"]


def test_positions_only(make_events):
    random = np.random.default_rng(1)
    homes = random.uniform(0, 0.2, (20, 2))
    monday = dt.datetime(2024, 1, 1, 8, tzinfo=dt.UTC)
    rows = [
        (f"u{user:02}", 46 + lat, 7 + lon, monday + dt.timedelta(days=day, hours=hour))
        for user, home in enumerate(homes)
        for day in range(14)
        for hour in range(3)
        for lat, lon in [home + random.normal(0, 0.01, 2)]
    ]
    result, _ = run(make_events(rows, "user", "lat", "lon", "start"))
    found = result.to_dict()
    assert found["data"]["has"]["positions"]
    assert found["settings"]["data_notes"][0] == "Cells of 1,000 m."
    assert found["growth"]["resolution"]["points"]


def test_a_result_shows_itself(audited):
    result = audited[0]
    sentence = result.to_dict()["headline"]["sentence"]
    assert sentence in repr(result)
    assert sentence in result._repr_html_()
    assert "user0" not in result._repr_html_() + repr(result)


def test_shuffled_ids_score_at_chance(halves):
    """Links that are right by the truth of other people's names are luck."""
    released, auxiliary = halves
    users = [f"user{number:05}" for number in range(40)]
    turned = np.random.default_rng(3).permutation(users).tolist()
    truth = pa.table({"released": users, "auxiliary": turned})
    found = run(released, auxiliary, truth=truth)[0].to_dict()
    # Fewer than ten of forty: how many is not shown.
    assert (found["headline"]["linked"], found["headline"]["share"]) == ("<10", None)
    assert found["headline"]["at_most"] == 9 / 40
    assert found["headline"]["sentence"].startswith("Fewer than 10 of 40 people (at most 22.5 %)")


def test_nothing_to_score(make_events, campus):
    other = make_events(
        [("x", "p", dt.datetime(2024, 1, 1, tzinfo=dt.UTC))], "user", "location", "start"
    )
    with pytest.raises(InputError, match="An audit needs to know who is who"):
        run(campus, other)


def test_an_audit_says_what_is_odd_in_the_data():
    table = simulate_campus(CampusOptions(n_users=20, n_days=14))
    places = np.random.default_rng(1).random((len(table), 2))
    places[:7] = 0
    table = table.append_column("lat", pa.array(places[:, 0])).append_column(
        "lon", pa.array(places[:, 1])
    )
    options = AuditOptions(attacks=("histogram",), time_limit_s=0.001)
    notes = audit(read(table.drop_columns("location")), options=options).findings.data_notes
    assert any(note.startswith("7 of ") and "--box" in note for note in notes)
