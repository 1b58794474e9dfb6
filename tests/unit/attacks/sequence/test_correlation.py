"""Sequence correlation: scores by definition, shortcuts that change nothing, laws."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.oracles.sequences import correct_by_model
from tests.presence import present

from trailprint.attacks.candidate_scores import choose_jointly
from trailprint.attacks.options import CorrelateOptions, TrainingOptions
from trailprint.attacks.sequence import worker_processes
from trailprint.attacks.sequence.correlation import correlate_sequences, describe_training
from trailprint.attacks.sequence.crf_files import is_whole
from trailprint.attacks.sequence.models import train_models
from trailprint.attacks.sequence.scores import ModelScores
from trailprint.attacks.sequence.workers import train_model
from trailprint.errors import InputError, OptionError, OutputError
from trailprint.features.sequences import NA, Sequences
from trailprint.features.templates import build_template_pair
from trailprint.kernels.threads import available_threads
from trailprint.store import MemoryStore

EDGES_S = CorrelateOptions().duration_edges_s

N_PLACES = 12


def draw_sequences(seed, n_users=8, n_days=6, n_places=N_PLACES, first_day=0) -> Sequences:
    """People who follow a timetable of their own most of the time."""
    habits = np.random.default_rng(99).integers(0, n_places, (n_users, 7, 4))
    random = np.random.default_rng(seed)
    rows = []
    for user in range(n_users):
        for day in range(first_day, first_day + n_days):
            for slot in range(random.integers(1, 5)):
                place = habits[user, day % 7, slot]
                if random.random() < 0.3:
                    place = random.integers(n_places)
                rows.append((user, day, slot, int(place), random.choice([90.0, 2000.0, 9000.0])))
    return sequences_of(rows, n_users, n_places)


def sequences_of(rows, n_users, n_places=N_PLACES) -> Sequences:
    """Rows (user, day, slot, place, seconds) as sequences; sorted by user, day and order given."""
    rows = sorted(rows, key=lambda row: (row[0], row[1]))
    user, day, slot, place, seconds = (np.array(column) for column in zip(*rows, strict=True))

    def neighbour(step):
        other = np.full(len(user), NA)
        for i in range(len(user)):
            j = i + step
            if 0 <= j < len(user) and (user[i], day[i]) == (user[j], day[j]):
                other[i] = place[j]
        return other

    return Sequences(
        user=user,
        location=place,
        day=day,
        duration_s=seconds.astype(float),
        weekday=day % 7,
        slot=slot,
        previous=neighbour(-1),
        next_to_previous=neighbour(-2),
        next=neighbour(1),
        users=pa.array([f"u{n:03}" for n in range(n_users)]),
        locations=pa.array([f"p{n:03}" for n in range(n_places)]),
    )


def all_ranks(linkage, n_auxiliary, n_released):
    auxiliary, released = (part.ravel() for part in np.indices((n_auxiliary, n_released)))
    found = linkage.rank(released, auxiliary)
    return found.n_better, found.n_tied


def mscis(linkage, n):
    found = linkage.rank(np.arange(n), np.arange(n))
    return (found.n_better + found.n_tied).tolist()


def model_scores(released, auxiliary) -> ModelScores:
    sides = build_template_pair(released, auxiliary)
    models = train_models(sides[0], TrainingOptions(), MemoryStore())
    return ModelScores(models, sides[1])


@pytest.mark.parametrize("seed", range(4))
def test_scores_and_ranks_equal_the_definition(seed) -> None:
    released, auxiliary = draw_sequences(seed), draw_sequences(seed + 50, n_days=3, first_day=7)
    expected = correct_by_model(released, auxiliary, EDGES_S)
    n = len(expected)
    np.testing.assert_array_equal(model_scores(released, auxiliary).rows(np.arange(n)), expected)
    linkage = correlate_sequences(released, auxiliary)
    n_better, n_tied = all_ranks(linkage, n, n)
    for a in range(n):
        own = expected[a]
        assert n_better[a * n : a * n + n].tolist() == [int((own > s).sum()) for s in own]
        assert n_tied[a * n : a * n + n].tolist() == [int((own == s).sum()) for s in own]
    best = expected.max(axis=1)
    np.testing.assert_array_equal(expected[linkage.auxiliary, linkage.released], best)
    np.testing.assert_array_equal(linkage.weight, np.bincount(auxiliary.user) - best)


@pytest.mark.parametrize("seed", range(6))
def test_shortcuts_change_nothing(seed, monkeypatch) -> None:
    monkeypatch.setattr("trailprint.attacks.sequence.scores.N_GUESSES", 1)
    released = draw_sequences(seed, n_users=15, n_places=40)
    auxiliary = draw_sequences(seed + 50, n_users=15, n_days=4, n_places=40, first_day=7)
    quick = correlate_sequences(released, auxiliary)
    slow = correlate_sequences(released, auxiliary, CorrelateOptions(all_pairs=True))
    assert mscis(quick, 15) == mscis(slow, 15)
    np.testing.assert_array_equal(quick.released, slow.released)
    np.testing.assert_array_equal(quick.confidence, slow.confidence)
    assert slow.facts["taggings"] == slow.facts["taggings_all_pairs"] == 15 * 15
    assert quick.facts["taggings"] < 15 * 15


def test_ranks_run_only_models_that_could_reach_the_counterpart() -> None:
    released, auxiliary = draw_sequences(1), draw_sequences(2, n_days=3, first_day=7)
    scores = model_scores(released, auxiliary)
    expected = correct_by_model(released, auxiliary, EDGES_S)
    bound = np.zeros_like(expected)
    for a, r in np.ndindex(bound.shape):
        seen = set(released.location[released.user == r])
        bound[a, r] = sum(place in seen for place in auxiliary.location[auxiliary.user == a])
    n = len(expected)
    scores.rank(np.arange(n), np.arange(n))
    reaching = bound >= np.maximum(np.diag(expected), 1)[:, None]
    reaching[np.arange(n), np.arange(n)] |= np.diag(bound) > 0
    assert scores.n_taggings == reaching.sum() < n * n


def test_relabelling_users_and_locations_changes_no_score() -> None:
    released, auxiliary = draw_sequences(3), draw_sequences(4, n_days=3, first_day=7)
    n = len(released.users)
    before = model_scores(released, auxiliary).rows(np.arange(n))
    random = np.random.default_rng(5)
    people, places = random.permutation(n), random.permutation(N_PLACES)

    def relabel(side):
        rows = [
            (people[u], day, slot, places[p], s)
            for u, day, slot, p, s in zip(
                side.user, side.day, side.slot, side.location, side.duration_s, strict=True
            )
        ]
        return sequences_of(rows, n)

    after = model_scores(relabel(released), relabel(auxiliary)).rows(np.arange(n))
    np.testing.assert_array_equal(after[np.ix_(people, people)], before)


def test_the_same_days_with_other_places_give_the_same_weights() -> None:
    def weights(side):
        model = train_model(build_template_pair(side, side)[0].of_user(0), {})
        # The features, with their weights, come right after the header, before any name.
        start, end = (int.from_bytes(model[at : at + 4], "little") for at in (28, 32))
        return model[start:end]

    side = draw_sequences(6, n_users=1, n_days=20)
    places = np.random.default_rng(0).permutation(N_PLACES)
    rows = zip(side.user, side.day, side.slot, places[side.location], side.duration_s, strict=True)
    other = sequences_of(list(rows), 1)
    assert weights(side) == weights(other)
    assert len(weights(side)) > 1000


def test_other_peoples_days_score_at_chance() -> None:
    n, n_right, n_single = 12, 0, 0
    rounds = 20
    random = np.random.default_rng(0)
    for seed in range(rounds):
        released = draw_sequences(seed, n_users=n, n_days=4)
        strangers = draw_sequences(seed + 50, n_users=n, n_days=2, first_day=7)
        shuffled = replace(strangers, location=random.permutation(N_PLACES)[strangers.location])
        linkage = correlate_sequences(released, shuffled, CorrelateOptions(seed=seed))
        partner = random.permutation(n)
        n_right += int((linkage.released == partner[linkage.auxiliary]).sum())
        found = linkage.rank(partner, np.arange(n))
        n_single += int((found.n_better + found.n_tied == 1).sum())
    expected = rounds
    assert abs(n_right - expected) < 4 * np.sqrt(expected)
    # Ties count in full, so that being pinned down is rarer than a lucky guess.
    assert n_single < expected + 4 * np.sqrt(expected)


def test_a_user_who_was_always_at_one_place_predicts_it() -> None:
    rows = [(0, day, 2, 3, 900.0) for day in range(5)] + [(1, day, 2, 4, 900.0) for day in range(5)]
    released = sequences_of(rows, 2)
    auxiliary = sequences_of([(0, 9, 2, 3, 60.0), (0, 9, 3, 5, 60.0), (1, 9, 2, 7, 60.0)], 2)
    linkage = correlate_sequences(released, auxiliary)
    n_better, n_tied = all_ranks(linkage, 2, 2)
    assert (n_better.tolist(), n_tied.tolist()) == ([0, 1, 0, 0], [1, 1, 2, 2])
    assert linkage.released[0] == 0
    assert linkage.weight.tolist() == [1, 1]
    assert linkage.confidence.tolist() == [1, 0.5]


def test_a_user_without_training_data_is_never_linked_and_ranks_last() -> None:
    released = draw_sequences(7, n_users=4)
    idle = released.at_days(released.user != 2)
    auxiliary = draw_sequences(8, n_users=4, n_days=2, first_day=7)
    linkage = correlate_sequences(idle, auxiliary)
    assert (linkage.n_released, linkage.n_auxiliary) == (3, 4)
    assert 2 not in linkage.released
    assert mscis(linkage, 4)[2] == 4
    assert linkage.facts["models_trained"] == 3
    compact = correlate_sequences(idle.without_idle_users(), auxiliary)
    np.testing.assert_array_equal(np.array([0, 1, 3])[compact.released], linkage.released)


def test_a_user_without_auxiliary_data_is_not_linked() -> None:
    released = draw_sequences(7, n_users=4)
    auxiliary = draw_sequences(8, n_users=4, n_days=2, first_day=7)
    linkage = correlate_sequences(released, auxiliary.at_days(auxiliary.user != 0))
    assert linkage.auxiliary.tolist() == [1, 2, 3]
    assert linkage.n_auxiliary == 3


def test_joint_links_take_everybody_once_for_the_greatest_total() -> None:
    from scipy.optimize import linear_sum_assignment

    released, auxiliary = draw_sequences(9), draw_sequences(10, n_days=3, first_day=7)
    linkage = correlate_sequences(released, auxiliary, CorrelateOptions(joint=True))
    scores = correct_by_model(released, auxiliary, EDGES_S)
    rows, columns = linear_sum_assignment(scores, maximize=True)
    assert sorted(linkage.released) == list(range(8))
    assert scores[linkage.auxiliary, linkage.released].sum() == scores[rows, columns].sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n_released", "n_auxiliary"), [(15, 15), (9, 15), (15, 9)])
def test_joint_links_need_no_more_scores_than_matter(seed, n_released, n_auxiliary) -> None:
    released = draw_sequences(seed, n_users=n_released, n_days=4, n_places=40)
    auxiliary = draw_sequences(seed + 50, n_users=n_auxiliary, n_days=3, n_places=40, first_day=7)
    scores = model_scores(released, auxiliary)
    chosen = scores.best_jointly(seed)
    everything = model_scores(released, auxiliary)
    table = everything.rows(np.arange(n_auxiliary))
    assert scores.n_taggings <= everything.n_taggings
    assert len(set(chosen.released)) == len(chosen.released) == min(n_released, n_auxiliary)
    np.testing.assert_array_equal(table[chosen.auxiliary, chosen.released], chosen.score)
    assert chosen.score.sum() == choose_jointly(everything, seed).score.sum()
    n_tied = (table[chosen.auxiliary] >= chosen.score[:, None]).sum(axis=1)
    np.testing.assert_array_equal(chosen.n_tied, n_tied)


def test_processes_change_nothing(monkeypatch) -> None:
    for module in ("models", "scores"):
        monkeypatch.setattr(f"trailprint.attacks.sequence.{module}._WORTH_PROCESSES", 0)
    released, auxiliary = draw_sequences(11), draw_sequences(12, n_days=3, first_day=7)
    one, two = (correlate_sequences(released, auxiliary, n_threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one.released, two.released)
    assert mscis(one, 8) == mscis(two, 8)
    assert one.facts["taggings"] == two.facts["taggings"]


def test_kept_models_are_not_trained_again() -> None:
    released, auxiliary = draw_sequences(13), draw_sequences(14, n_days=3, first_day=7)
    store = MemoryStore()
    reported = []
    first = correlate_sequences(
        released, auxiliary, store=store, n_threads=1, progress=lambda *step: reported.append(step)
    )
    again = correlate_sequences(released, auxiliary, store=store)
    assert (first.facts["models_trained"], again.facts["models_trained"]) == (8, 0)
    np.testing.assert_array_equal(first.released, again.released)
    assert [done for what, done in reported if what == "Training 8 models"][-1] == 1.0
    assert {what for what, _ in reported} >= {"Scoring likely candidates"}
    assert first.seconds.keys() == {"train", "score"}


@pytest.mark.parametrize("broken", [b"", b"lCRF", b"junk" * 99, None])
def test_a_broken_model_is_trained_again(broken) -> None:
    """Half a model, as a crash of the computer may leave it, would make CRFsuite crash, too."""
    released, auxiliary = draw_sequences(13), draw_sequences(14, n_days=3, first_day=7)
    store = MemoryStore()
    first = correlate_sequences(released, auxiliary, store=store)
    whole = present(store.get("models/3"))
    store.put("models/3", whole[: len(whole) // 2] if broken is None else broken)
    again = correlate_sequences(released, auxiliary, store=store)
    assert again.facts["models_trained"] == 1
    assert store.get("models/3") == whole
    np.testing.assert_array_equal(first.released, again.released)


def test_a_model_that_goes_bad_between_training_and_use_is_trained_again() -> None:
    released, auxiliary = draw_sequences(13), draw_sequences(14, n_days=3, first_day=7)
    first = correlate_sequences(released, auxiliary, n_threads=1)

    class Forgetful(MemoryStore):
        """Loses a model once it was kept."""

        def put(self, name: str, content: bytes) -> None:
            super().put(name, content if name != "models/3" else b"lCRF")

    again = correlate_sequences(released, auxiliary, store=Forgetful(), n_threads=1)
    np.testing.assert_array_equal(first.released, again.released)


def test_a_model_has_its_five_parts_where_its_header_says() -> None:
    store = MemoryStore()
    correlate_sequences(draw_sequences(13), draw_sequences(14, n_days=3), store=store, n_threads=1)
    whole = present(store.get("models/3"))
    assert whole is not None
    assert is_whole(whole)
    # All of the header but the counts of features, labels and attributes.
    for place in (*range(16), *range(28, 48)):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        assert not is_whole(bytes(damaged)), place


def test_no_room_for_a_model_is_said(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(OutputError, match="folder of temporary files"):
        correlate_sequences(draw_sequences(13), draw_sequences(14))


def test_more_threads_than_processors_start_no_more_processes(monkeypatch) -> None:
    asked = []

    @contextmanager
    def processes(n_workers, prepare, *shared):
        asked.append(n_workers)
        with only_here(1, prepare, *shared) as run:
            yield run

    only_here = worker_processes.processes
    for module in ("models", "scores"):
        monkeypatch.setattr(f"trailprint.attacks.sequence.{module}._WORTH_PROCESSES", 0)
    monkeypatch.setattr(worker_processes, "processes", processes)
    correlate_sequences(draw_sequences(13), draw_sequences(14), n_threads=1000)
    assert max(asked) <= available_threads()


def test_what_models_depend_on_is_described_without_the_data() -> None:
    released = draw_sequences(15)
    options = CorrelateOptions()
    described = describe_training(released, options)
    assert described == describe_training(released, replace(options, seed=9, days=2, joint=True))
    other = replace(options, training=TrainingOptions(c2=0.5))
    assert described != describe_training(released, other)
    assert described["released"] != describe_training(draw_sequences(16), options)["released"]


def test_only_the_first_days_count_when_asked() -> None:
    released, auxiliary = draw_sequences(17), draw_sequences(18, n_days=5, first_day=7)
    short = correlate_sequences(released, auxiliary, CorrelateOptions(days=2))
    same = correlate_sequences(released, auxiliary.first_days(2))
    np.testing.assert_array_equal(short.released, same.released)
    assert mscis(short, 8) == mscis(same, 8)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"model": "oracle"}, "model must be one of crf"),
        ({"days": 0}, "days must be at least 1"),
        ({"model": "distance", "all_pairs": True}, "all_pairs goes with model crf"),
        ({"duration_edges_s": (5.0, 1.0)}, "growing order"),
    ],
)
def test_wrong_options_are_explained(wrong, words) -> None:
    with pytest.raises(OptionError, match=words):
        CorrelateOptions(**wrong)


@pytest.mark.parametrize("wrong", [{"c1": -1.0}, {"c2": float("nan")}, {"max_iterations": 0}])
def test_wrong_training_options_are_explained(wrong) -> None:
    with pytest.raises(OptionError, match=f"{next(iter(wrong))} must be"):
        TrainingOptions(**wrong)


def test_a_side_without_visits_is_an_error() -> None:
    side = draw_sequences(0)
    with pytest.raises(InputError, match="one has none"):
        correlate_sequences(side, side.at_days(np.zeros(side.n_visits, dtype=bool)))
