"""What is a label, whose word counts, and that what an eye is measured with it has not learnt."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Atom, Verdict
from core.episode import with_unasked
from core.errors import BadValue
from core.events import EpisodeEnded, EpisodeResult, FrameCaptured, GroundTruthRecorded
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import Store
from core.planning.domain_library import load_task
from core.vqa.eye.eye import NO, UNSEEN, YES
from core.vqa.eye.teaching.labels import (
    LabelSource,
    PictureLabel,
    choose,
    count_labels,
    one_moment,
    read_labels,
)
from core.vqa.eye.teaching.teach import split
from tests.core.log.made import started
from tests.core.vqa.eye.teaching.kit import LAMP, lamp_picture, write_log

ALL = tuple(LabelSource)


def label(
    picture: str, answer: int, source: LabelSource = LabelSource.TRUTH, episode: str = "e", by: str = ""
) -> PictureLabel:
    return PictureLabel(episode, picture, LAMP, answer, source, by)


def test_that_overrides_reviews_and_the_truth_are_labels_with_who_said_so(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.db", episodes=1, turns=1, by="ada")
    with Store.open(path) as store:
        (episode,) = store.episodes()
        add_label(store, episode.episode, 4, 0, Verdict.NO, "bob", blind=True)
        add_label(store, episode.episode, 4, 0, Verdict.UNKNOWN, "eve")
        found = read_labels(store)
    assert {(x.source, x.by, x.answer) for x in found} == {
        (LabelSource.BLIND, "bob", NO),
        (LabelSource.REVIEW, "eve", UNSEEN),
        (LabelSource.OVERRIDE, "ada", YES),
        (LabelSource.TRUTH, "simulator", YES),
    }
    assert {(x.picture, x.atom) for x in found} == {(lamp_picture(True, 0).id, LAMP)}


def test_that_a_blind_review_counts_before_an_override_and_that_before_the_truth() -> None:
    said = [
        label("a", YES, LabelSource.TRUTH),
        label("a", NO, LabelSource.BLIND),
        label("a", YES, LabelSource.OVERRIDE),
        label("b", YES, LabelSource.TRUTH),
    ]
    assert [x.answer for x in choose(said, ALL)] == [NO, YES]
    assert [x.answer for x in choose(said, {LabelSource.TRUTH})] == [YES, YES]


def test_that_nothing_is_learnt_where_two_people_contradict_each_other() -> None:
    said = [
        label("a", YES, LabelSource.BLIND, by="bob"),
        label("a", NO, LabelSource.BLIND, by="eve"),
        label("a", YES),
    ]
    assert choose(said, ALL) == ()


def test_that_labels_are_counted_by_predicate_and_answer() -> None:
    said = [label("a", YES), label("b", NO), label("c", UNSEEN), label("d", YES)]
    assert count_labels(said) == {"lit": (1, 2, 1)}


def made(episodes: Sequence[Sequence[str]]) -> list[PictureLabel]:
    return [label(p, YES, episode=f"e{n}") for n, pictures in enumerate(episodes) for p in pictures]


def test_that_no_episode_and_no_picture_is_in_two_parts() -> None:
    """A fork repeats the pictures of the episode that it continues."""
    labels = made([[f"p{n} {turn}" for turn in range(4)] for n in range(8)] + [["p0 0", "p8 1"], ["p3 1"]])
    parts = split(labels)
    groups = (parts.training, parts.validation, parts.held_out)
    assert sorted(map(str, (x for part in groups for x in part))) == sorted(map(str, labels))
    for what in ("episode", "picture"):
        sets = [{getattr(x, what) for x in part} for part in groups]
        assert not (sets[0] & sets[1] or sets[0] & sets[2] or sets[1] & sets[2])
    assert len(parts.held_out) >= 0.2 * len(labels) and parts == split(labels)


@pytest.mark.parametrize(("labels", "words"), [([], "no label"), (made([["a"], ["b"]]), "are from 2")])
def test_that_too_few_labels_are_one_sentence(labels: list[PictureLabel], words: str) -> None:
    with pytest.raises(BadValue, match=words):
        split(labels)


def test_that_questions_about_steps_are_no_labels(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.db", 1, 1, atom=Atom("worked", ("open", "lamp_1")))
    with Store.open(path) as store:
        assert read_labels(store) == ()


def test_that_an_answer_that_is_known_from_one_moment_only_is_named() -> None:
    def seen(answer: int, *after: str) -> list[PictureLabel]:
        return [PictureLabel("e", "p", LAMP, answer, LabelSource.TRUTH, "", action) for action in after]

    biased = [*seen(NO, *["pick"] * 10), *seen(YES, "find", "pick")]
    assert one_moment(biased) == {LAMP.predicate: (NO, "pick")}
    assert one_moment([*biased, *seen(NO, "find")]) == {}
    assert one_moment([*seen(NO, *["pick"] * 9), *seen(YES, "find")]) == {}


VISIBLE = {"inhand", "ontable", "ingoal", "inside", "inview", "collected"}


class Table:
    """A simulator in which the robot holds the block, and the carrot cannot be seen."""

    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset({Atom("inhand", ("robot", "toy_block")), Atom("ontable", ("nobody_knows",))})

    def is_observable(self, atom: Atom) -> bool:
        return "toy_carrot" not in atom.args


def test_that_what_nobody_asked_about_a_picture_is_a_label_too(tmp_path: Path) -> None:
    folder, task = load_task("collect_toys")
    frames = [FrameCaptured(n, lamp_picture(True, n)) for n in range(40)]
    unseen = FrameCaptured(40, replace(lamp_picture(True, 40), png=b""))
    told = list(with_unasked((e for e in [*frames, unseen]), Table(), folder, task.problem))
    asked = [{q.atom for q in e.review} for e in told if isinstance(e, FrameCaptured)]
    assert {len(atoms) for atoms in asked} == {3, 0} and asked[40] == set()
    assert {atom.predicate for atoms in asked for atom in atoms} == VISIBLE
    assert all("?" in q.text for e in told if isinstance(e, FrameCaptured) for q in e.review)
    without = list(with_unasked((e for e in frames), object(), folder, task.problem))
    assert without == [e for e in told[:-1] if isinstance(e, FrameCaptured)]
    assert [type(e) for e in told] == [FrameCaptured, GroundTruthRecorded] * 40 + [FrameCaptured]
    with Recorder.open(tmp_path / "log.db") as recorder:
        ended = EpisodeEnded(EpisodeResult.SUCCEEDED, "", True, True)
        list(recorder.record_events(iter([started(), *told, ended])))
    with Store.open(tmp_path / "log.db") as store:
        found = read_labels(store)
    assert {label.source for label in found} == {LabelSource.TRUTH}
    assert {label.atom for label in found if label.answer == YES} == {Atom("inhand", ("robot", "toy_block"))}
    assert {"toy_carrot" in label.atom.args for label in found if label.answer == UNSEEN} == {True}
    noes = {label.atom.predicate for label in found if label.answer == NO}
    assert noes == VISIBLE, "a sensor's are none"
