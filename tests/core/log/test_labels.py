"""Correcting afterwards: kept apart from what happened, and turned into what is known of a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.belief import Verdict
from core.errors import BadValue, UnknownName
from core.events import AnswersReceived, Record
from core.log.annotations import EpisodeAnnotations
from core.log.labels import JUDGED, AnswerCounts, _rates, add_label, answer_counts, labels, profile_toml
from core.log.recorder import Recorder
from core.log.store import Store
from core.vqa.answerers.profiles import UNSTATED, load_profile
from tests.core.log import made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "log.db") as store:
        yield store


@pytest.fixture
def given(store: Store) -> list[Record]:
    """In each of 4 turns 4 answers, all YES; in the last turn a person said NO to the first."""
    with Recorder.open(store.path) as recorder:
        return list(recorder.record_events(made.episode(4, by="ada")))


def answered(given: list[Record]) -> list[int]:
    return [r.number for r in given if isinstance(r.event, AnswersReceived)]


def test_that_a_label_stands_beside_what_happened_and_the_latest_counts(
    store: Store, given: list[Record]
) -> None:
    id, number = given[0].episode, answered(given)[0]
    add_label(store, id, number, 1, Verdict.NO, "bob", blind=True)
    add_label(store, id, number, 1, Verdict.YES, "eve")
    assert list(store.records(id)) == given
    assert [(x.place, x.verdict, x.by, x.blind) for x in labels(store, id)] == [
        (1, Verdict.NO, "bob", True),
        (1, Verdict.YES, "eve", False),
    ]
    said = store.db.execute(
        "select place, predicate, model_verdict, verdict, judge, as_what, blind from judged order by number"
    ).fetchall()
    assert said == [
        (1, "ontop", "yes", "yes", "eve", "reviewer", 0),
        (0, "inside", "yes", "no", "ada", "operator", None),
    ]


def test_that_agreement_follows_per_predicate_model_and_judge(store: Store, given: list[Record]) -> None:
    for number in answered(given)[:3]:
        add_label(store, given[0].episode, number, 0, Verdict.YES, "bob", blind=True)
    add_label(store, given[0].episode, answered(given)[3], 0, Verdict.NO, "bob", blind=True)
    add_label(store, given[0].episode, answered(given)[3], 0, Verdict.YES, "eve")
    assert store.db.execute("select * from judgement").fetchall() == [
        ("inside", "gpt", "ada", "operator", 0, 1, 0, 0.0, 0, 0),
        ("inside", "gpt", "bob", "reviewer", 1, 4, 3, 0.75, 0, 0),
        ("inside", "gpt", "eve", "reviewer", 0, 1, 1, 1.0, 0, 0),
    ]
    looked = "select reviewed, agreed, share from agreement where predicate = 'inside'"
    assert store.db.execute(looked).fetchall() == [(4, 4, 1.0)], "the last word on each answer"


@pytest.mark.parametrize(("number", "place"), [(1, 0), (9999, 0), (5, 4), (5, -1)])
def test_that_only_an_answer_can_be_labelled(
    store: Store, given: list[Record], number: int, place: int
) -> None:
    assert answered(given)[0] == 6
    with pytest.raises(BadValue, match="no answer"):
        add_label(store, given[0].episode, number, place, Verdict.NO, "bob")


def test_that_a_profile_made_of_judged_answers_can_be_loaded(
    store: Store, given: list[Record], tmp_path: Path
) -> None:
    for number in answered(given)[:3]:
        add_label(store, given[0].episode, number, 0, Verdict.YES, "bob")
        add_label(store, given[0].episode, number, 2, Verdict.NO, "bob")
        add_label(store, given[0].episode, number, 3, Verdict.UNKNOWN, "bob")  # the picture does not say
    inside, opened = answer_counts(store, "gpt")
    assert (inside.predicate, inside.true, inside.yes_if_true, inside.false, inside.yes_if_false) == (
        *("inside", 3, 3),
        *(1, 1),
    )
    assert (opened.predicate, opened.true, opened.false, opened.yes_if_false) == ("open", 0, 3, 3)
    file = tmp_path / "mine.toml"
    file.write_text(profile_toml(store, "gpt", "mine"))
    loaded = load_profile(file)
    assert loaded.name == "mine"
    assert loaded.rests_on_few and loaded.default.yes_if_true == round((3 + 9 * 0.7) / 12, 3)
    inside_, opened_ = loaded.rates_for("inside"), loaded.rates_for("open")
    assert loaded.rates_for("never seen") == loaded.default
    assert 0.7 < loaded.default.yes_if_true < inside_.yes_if_true < 1, "drawn to what all have"
    assert 0.25 < loaded.default.yes_if_false < opened_.yes_if_false < 1
    with pytest.raises(UnknownName, match="did you mean gpt"):
        profile_toml(store, "gpd", "mine")


def test_that_a_rate_of_one_answer_is_not_measured() -> None:
    lone = _rates(AnswerCounts("", 26, 22, 1, 1, 0), UNSTATED, JUDGED)
    assert (lone.basis, round(lone.yes_if_true, 1)) == ("few", 0.8)
    assert 0.25 < lone.yes_if_false < 0.35, "near what is assumed of any model, whatever the one answer was"
    assert lone.note.endswith("1 false (21 to 100 % affirmed)")
    assert _rates(AnswerCounts("", 26, 22, 10, 1, 0), UNSTATED, JUDGED).basis == "measured"
    assert _rates(AnswerCounts("", 12, 9, 12, 1, 0), UNSTATED, JUDGED).basis == "few", "24 in all"


def test_that_labels_go_with_their_episode(store: Store, given: list[Record]) -> None:
    add_label(store, given[0].episode, answered(given)[0], 1, Verdict.NO, "bob")
    with EpisodeAnnotations(store) as annotations:
        annotations.delete(given[0].episode)
    assert store.db.execute("select count(*) from label").fetchone() == (0,)
