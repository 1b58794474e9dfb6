"""``trailprint trails`` as a user runs it, on the 2005 paper's own examples."""

import csv
import json
import stat
from typing import Any

import pytest

import trailprint
from trailprint.cli.main import main

FIELDS = {
    "algorithm",
    "reserved",
    "released",
    "auxiliary",
    "locations",
    "null_trails",
    "reidentified",
    "correct",
    "accuracy",
    "accuracy_interval",
    "upper_bound",
    "assumptions_hold",
    "seconds",
}
ADDRESS_OF = {"john": "ip1", "mary": "ip2", "bob": "ip3", "kate": "ip4"}
COMPLETE = {"john": (1, 2), "mary": (1, 3), "bob": (2, 3), "kate": (3,)}
INCOMPLETE = {"john": (1, 2), "mary": (1,), "bob": (2,), "kate": (3,)}


Printed = pytest.CaptureFixture[str]


def run(capsys: Printed, *arguments) -> dict[str, Any]:
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments), "--json"])
    printed = capsys.readouterr()
    assert stop.value.code == 0, printed.err
    found: dict[str, Any] = json.loads(printed.out)
    return found


def show(capsys: Printed, *arguments) -> str:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    assert stop.value.code == 0, printed.err
    return printed.out


def fails(capsys: Printed, *arguments) -> str:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert printed.err.count("\n") == 1
    return printed.err


def write_folder(folder, column, entries) -> str:
    """One file per location with the entries seen there."""
    folder.mkdir()
    for location in sorted({k for places in entries.values() for k in places}):
        listed = [entry for entry, places in entries.items() if location in places]
        (folder / f"l{location}.csv").write_text("\n".join([column, *listed, ""]))
    return str(folder)


@pytest.fixture
def figure(tmp_path):
    """Make the folders of Figure 4 (complete names) or Figure 5 (incomplete names)."""

    def make(names):
        addresses = {ADDRESS_OF[name]: places for name, places in COMPLETE.items()}
        (tmp_path / "truth.csv").write_text(
            "released,auxiliary\n" + "".join(f"{ip},{name}\n" for name, ip in ADDRESS_OF.items())
        )
        return (
            write_folder(tmp_path / "addresses", "ip", addresses),
            write_folder(tmp_path / "names", "name", names),
            "--released-columns",
            "ip",
            "--auxiliary-columns",
            "name",
        )

    return make


def test_figure_4_complete_trails_identify_all_four(capsys, figure, tmp_path) -> None:
    found = run(capsys, "trails", *figure(COMPLETE), "--truth", tmp_path / "truth.csv")
    assert found.keys() >= FIELDS
    assert (found["algorithm"], found["reserved"]) == ("complete", "none")
    assert (found["reidentified"], found["correct"], found["accuracy"]) == (4, 4, 1.0)
    assert found["assumptions_hold"] is True
    assert found["upper_bound"] == 4
    assert found["null_trails"] == {"released": 0, "auxiliary": 0}
    assert found["seconds"].keys() == {"read", "build", "link", "total"}


def test_figure_5_incomplete_trails_identify_all_four_by_removal(capsys, figure, tmp_path) -> None:
    links = tmp_path / "links.csv"
    found = run(
        capsys, "trails", *figure(INCOMPLETE), "--truth", tmp_path / "truth.csv", "--links", links
    )
    assert (found["algorithm"], found["reserved"]) == ("incomplete", "auxiliary")
    assert (found["reidentified"], found["correct"]) == (4, 4)
    observed = found["assumptions"]["tactics_observed"]
    assert (observed["pairs"], observed["equal"], observed["auxiliary_within"]) == (4, 2, 4)
    with links.open() as file:
        written = {row["auxiliary"]: row["released"] for row in csv.DictReader(file)}
    assert written == ADDRESS_OF
    assert stat.S_IMODE(links.stat().st_mode) == 0o600


def test_figure_2_names_missing_at_a_place_are_a_reserved_release(capsys, tmp_path) -> None:
    pseudonyms = tmp_path / "pseudonyms.csv"
    pseudonyms.write_text("user,location\nip1,site\nip2,site\nip3,site\nip4,site\n")
    names = tmp_path / "names.csv"
    names.write_text("user,location\njohn,site\nmary,site\n")
    possible = run(capsys, "trails", pseudonyms, names)["assumptions"]["tactics_possible"]
    assert possible == {"auxiliary": True, "released": False, "none": False}


def test_the_same_names_without_removal_stay_ambiguous(capsys, figure) -> None:
    found = run(
        capsys, "trails", *figure(INCOMPLETE), "--algorithm", "multiple", "--reserved", "auxiliary"
    )
    assert found["reidentified"] == 1


def test_a_household_is_found_by_m_and_not_by_i(capsys, tmp_path) -> None:
    """Section 4.1.3: two people behind one address, each seen at some of its sites."""
    people = "user,location\na1,x\na1,y\na2,y\na2,z\nb1,w\nb1,z\n"
    path, homes = tmp_path / "people.csv", tmp_path / "homes.csv"
    path.write_text(people)
    homes.write_text("user,household\na1,A\na2,A\nb1,B\n")
    whole = run(capsys, "trails", path, path, "--households", homes)
    assert (whole["algorithm"], whole["reserved"]) == ("multiple", "auxiliary")
    assert (whole["released"], whole["reidentified"], whole["correct"]) == (2, 3, 3)
    single = run(
        capsys,
        "trails",
        path,
        path,
        "--households",
        homes,
        "--algorithm",
        "incomplete",
        "--reserved",
        "auxiliary",
    )
    assert single["reidentified"] < 3


def test_identities_of_several_columns_are_one_entity(capsys, tmp_path) -> None:
    names = tmp_path / "names.csv"
    names.write_text("first,last,location\nann,lee,x\nann,ray,y\nann,lee,y\n")
    pseudonyms = tmp_path / "pseudonyms.csv"
    pseudonyms.write_text("user,location\np,x\np,y\nq,y\n")
    for columns in ((), ("--auxiliary-columns", "first,last")):
        found = run(capsys, "trails", pseudonyms, names, *columns)
        assert (found["auxiliary"], found["reidentified"]) == (2, 2)


def test_neither_side_reserved_is_said_and_not_guaranteed(capsys, tmp_path) -> None:
    sides = tmp_path / "a.csv", tmp_path / "b.csv"
    sides[0].write_text("user,location\na,x\na,y\nb,y\nb,z\n")
    sides[1].write_text("user,location\na,x\na,z\nb,x\nb,y\n")
    found = run(capsys, "trails", *sides)
    assert (found["contradicted"], found["guaranteed"]) == (True, False)
    assert found["assumptions_hold"] is False
    assert found["assumptions"]["tactics_observed"]["neither"] == 2
    assert "No guarantee" in show(capsys, "trails", *sides)


@pytest.mark.parametrize(
    ("auxiliary", "truth", "guaranteed", "says"),
    [
        ("p,x\nq,x\nq,y\n", "none", None, "only a truth (--truth) could confirm it"),
        ("a,x\nb,x\nb,y\n", "same-ids", True, "The truth confirms"),
        ("b,x\na,x\na,y\n", "same-ids", False, "the truth shows that"),
    ],
)
def test_a_guarantee_needs_the_truth(capsys, tmp_path, auxiliary, truth, guaranteed, says) -> None:
    """Nothing contradicts equal lists; only with ids on both sides can anything be confirmed."""
    sides = tmp_path / "a.csv", tmp_path / "b.csv"
    sides[0].write_text("user,location\na,x\nb,x\nb,y\n")
    sides[1].write_text(f"user,location\n{auxiliary}")

    found = run(capsys, "trails", *sides)

    assert found["contradicted"] is False
    assert (found["truth"], found["guaranteed"]) == (truth, guaranteed)
    assert says in " ".join(show(capsys, "trails", *sides).split())


def test_links_made_are_distinguished_from_those_that_are_right(capsys, tmp_path) -> None:
    """Both links are wrong: each name went where the other's pseudonym did."""
    sides = tmp_path / "a.csv", tmp_path / "b.csv"
    sides[0].write_text("user,location\na,x\nb,y\n")
    sides[1].write_text("user,location\na,y\nb,x\n")
    lines = [line.split("  ") for line in show(capsys, "trails", *sides).splitlines()]
    values = {" ".join(filter(None, line[:-1])).strip(): line[-1].strip() for line in lines}
    assert (values["links made"], values["right"]) == ("2", "0")
    assert values["re-identified, of those on both sides"] == "0.0 %"
    assert values["by chance"] == "50.0 %"


def test_without_truth_nothing_is_called_right(capsys, figure) -> None:
    shown = show(capsys, "trails", *figure(COMPLETE))
    assert "links made" in shown
    assert "right" not in shown
    assert "by chance" not in shown


def test_one_dataset_is_split(capsys, tmp_path) -> None:
    path = tmp_path / "visits.csv"
    lines = [f"u{u},l{(u + d) % 9},2024-01-{d:02}" for u in range(6) for d in range(1, 15)]
    path.write_text("\n".join(["user,location,start", *lines, ""]))
    found = run(capsys, "trails", path, "--at", "median")
    assert found["truth"] == "same-ids"
    assert found["assumptions"]["duplicate_tuples"]["auxiliary"] >= 0


def test_leaving_a_location_out_names_it_only_when_asked(capsys, figure, tmp_path) -> None:
    sides = figure(INCOMPLETE)
    truth = ("--truth", tmp_path / "truth.csv", "--sensitivity", "locations")
    ranked = run(capsys, "trails", *sides, *truth)["sensitivity"]
    named = run(capsys, "trails", *sides, *truth, "--name-locations")["sensitivity"]
    assert [row["location"] for row in ranked] == ["#1", "#2", "#3"]
    assert [row["location"] for row in named] == ["l3", "l1", "l2"]
    assert [row["reidentified"] for row in named] == [3, 0, 0]
    assert all(row["population"] == 3 for row in named)


def test_popularity_adds_locations_in_both_orders_and_fits_zipf(capsys, figure) -> None:
    found = run(capsys, "trails", *figure(COMPLETE), "--sensitivity", "popularity")
    orders = [row["order"] for row in found["sensitivity"]]
    assert orders == ["least-visited"] * 3 + ["most-visited"] * 3
    assert found["sensitivity"][-1]["reidentified"] == 4
    assert found["zipf"]["n_locations"] == 3


def test_withholding_is_seeded_and_costs_links(capsys, figure) -> None:
    study = ("--sensitivity", "withholding", "--withhold", "0,0.9", "--runs", "20")
    first = run(capsys, "trails", *figure(COMPLETE), *study)["sensitivity"]
    assert {row["withheld"] for row in first} == {0, 0.9}
    everything = [row for row in first if row["locations"] == 3]
    assert everything[0]["reidentified"] == 4
    assert everything[1]["reidentified"] < 2
    assert everything[1]["reidentified_low"] <= everything[1]["reidentified"]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--algorithm", "best"),
        ("--reserved", "sideways"),
        ("--algorithm", "complete", "--reserved", "both"),
        ("--algorithm", "complete", "--reserved", "auxiliary"),
        ("--algorithm", "incomplete", "--reserved", "none"),
        ("--sensitivity", "mood"),
        ("--sensitivity", "withholding", "--withhold", "2"),
        ("--sensitivity", "withholding", "--withhold", "many"),
        ("--sensitivity", "withholding", "--runs", "0"),
        ("--sensitivity", "locations", "--withhold", "0.5"),
        ("--withhold-by", "person"),
        ("--runs", "5"),
        ("--name-locations",),
        ("--households", "nowhere.csv"),
        ("--truth", "nowhere.csv"),
        ("--links", "nowhere/links.csv"),
    ],
)
def test_wrong_options_get_one_sentence(capsys, figure, wrong) -> None:
    assert fails(capsys, "trails", *figure(COMPLETE), *wrong).startswith("trailprint: ")


def test_sides_without_a_common_location_are_an_error(capsys, tmp_path) -> None:
    sides = tmp_path / "a.csv", tmp_path / "b.csv"
    sides[0].write_text("user,location\na,x\n")
    sides[1].write_text("user,location\na,y\n")
    assert "share none" in fails(capsys, "trails", *sides)


def test_an_empty_side_is_an_error(capsys, tmp_path) -> None:
    sides = tmp_path / "a.csv", tmp_path / "b.csv"
    sides[0].write_text("user,location\na,x\n")
    sides[1].write_text("user,location\n")
    assert "it has none" in fails(capsys, "trails", *sides)


def test_duplicates_and_lonely_locations_are_counted(capsys, tmp_path) -> None:
    sides = tmp_path / "a.csv", tmp_path / "b.csv"
    sides[0].write_text("user,location\na,x\na,x\nb,y\nc,z\n")
    sides[1].write_text("user,location\na,x\nb,y\n")
    found = run(capsys, "trails", *sides)
    assert found["assumptions"]["duplicate_tuples"] == {"released": 1, "auxiliary": 0}
    assert found["assumptions"]["unique_tuples"] is False
    assert found["unshared_locations"] == {"released": 1, "auxiliary": 0}
    assert found["null_trails"] == {"released": 1, "auxiliary": 0}
    assert found["reidentified"] == 2


def test_python_says_the_same_as_the_command(capsys, tmp_path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("user,location\na,x\na,y\nb,y\nc,z\n")
    events = trailprint.read(str(path))
    result = trailprint.trails(events, events).to_dict()
    printed = run(capsys, "trails", path, path)
    assert {**result, "seconds": 0} == {**printed, "seconds": 0}


def test_a_side_file_without_its_names_is_explained(capsys, tmp_path) -> None:
    path, homes = tmp_path / "people.csv", tmp_path / "homes.csv"
    path.write_text("user,location\na,x\n")
    homes.write_text("person,home\na,A\n")
    message = fails(capsys, "trails", path, path, "--households", homes)
    assert "named user and household" in message
    assert "person" not in message
