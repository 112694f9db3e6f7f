"""Before an episode begins, one sentence says which of its questions the eye cannot answer."""

from dataclasses import replace

import pytest

from app.cli.eye import replaces_a_good_one
from core import events as ev
from core.config import Settings
from core.planning import domain_library
from core.vqa.eye.coverage import gap_sentence
from core.vqa.eye.eye_file import PredicateFigures, verdict
from main import make_components
from tests.core.vqa.eye.kit import CARD
from tests.core.vqa.eye.test_coverage import ASKED, FOLDER, KITCHEN_EYE, TASK
from tests.episodes import events_of


def said(card=KITCHEN_EYE, robot="kitchen", method="dkprompt", pictures=True) -> str:
    return gap_sentence([card], FOLDER, TASK.problem, robot, method, pictures)


def test_that_an_eye_that_knows_all_of_it_has_nothing_to_say() -> None:
    assert said() == ""
    measured = replace(KITCHEN_EYE, figures={"closed": PredicateFigures(121, 0.36, 0.008, 0, 0)})
    assert "not shown that the eye tiny 1 is good enough" in said(measured)
    assert "36.0 % right (at least 28.3 %) and 0.8 % opposite (at most 4.5 %) of 121 facts" in said(measured)
    assert "eye teach" in said(measured) and "eye profile" not in said(measured)
    drawn = said(replace(KITCHEN_EYE, drawn=True))
    assert (
        "measured on drawn pictures (98.0 % right, 1.0 % opposite, of what they show), not in episodes"
        in drawn
    )
    assert "Nobody has measured the eye tiny 1" in said(replace(KITCHEN_EYE, figures={}))
    assert said(CARD, method="classical") == "", "it asks nothing"


def test_that_only_the_interval_by_episode_shows_that_it_is_good_enough() -> None:
    share = {"closed": PredicateFigures(2000, 0.97, 0.01, 0, 0, 100, 0.95)}
    few = replace(KITCHEN_EYE, figures=share, episodes=6, right_from=0.931, opposite_to=0.019)
    assert "97.0 % right (at least 93.1 %)" in said(few) and "2,000 facts in 6 new episodes" in said(few)
    assert "after more episodes may show it" in said(few) and "weakest" not in said(few)
    assert "not shown" in said(replace(few, right_from=0.951, opposite_to=0.021))
    assert said(replace(few, right_from=0.951)) == ""
    hidden = {**share, "halved": PredicateFigures(600, 0.99, 0.0, 0, 0, 24, 0.75)}
    assert said(replace(few, right_from=0.951, figures=hidden)) == (
        "It is weakest at halved which is so (18 of 24 right); else it was wrong or not sure."
    )


def test_that_what_it_was_not_trained_on_is_counted_and_named() -> None:
    gone = [question for question in ASKED if "halved" not in question]
    predicates = tuple(p for p in KITCHEN_EYE.predicates if p != "halved")
    told = said(replace(KITCHEN_EYE, questions=tuple(gone), predicates=predicates))
    lacking = len(ASKED) - len(gone)
    assert f"not trained on {lacking} of the {len(ASKED)} questions of this task (about: halved)" in told
    foreign = said(CARD)
    assert f"{len(ASKED)} of the {len(ASKED)} questions" in foreign and "of things: " in foreign


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"pictures": False}, "There are no pictures"),
        ({"method": "suc-qa"}, "questions about steps, as suc-qa asks"),
        ({"robot": "symbolic"}, "pictures of kitchen, not of symbolic"),
    ],
)
def test_that_other_reasons_to_stay_mute_are_said_too(changed: dict, words: str) -> None:
    assert words in said(**changed)


def test_that_it_stands_in_the_log_before_anything_else_happens() -> None:
    parts = make_components(
        Settings("halve_egg", robot="symbolic", answerer="eye", pictures=False, max_steps=1)
    )
    try:
        happened = events_of(parts)
    finally:
        parts.close()
    notice = happened[1]
    assert isinstance(notice, ev.Notice) and "the eye can answer nothing" in notice.text


def test_that_a_huge_task_is_not_counted_question_by_question() -> None:
    folder, task = domain_library.load_task("boil_water")
    many = tuple(
        replace(thing, name=f"{thing.name}_{n}") for n in range(60) for thing in task.problem.objects
    )
    told = gap_sentence([CARD], folder, replace(task.problem, objects=many), "kitchen", "dkprompt", True)
    assert "many questions of this task" in told


def test_that_a_good_eye_is_told_with_its_figures_also_where_it_is_weak_at_something() -> None:
    lit = PredicateFigures(2000, 0.99, 0.0, 0, 0.0, true=20, true_right=0.5)
    card = replace(CARD, figures={"lit": lit}, episodes=9, right_from=0.96, opposite_to=0.01, parent="1")
    told = verdict(card)
    assert "is good enough: 99.0 % right (at least 96.0 %)" in told and "weakest at lit which is so" in told
    doubtful = replace(card, right_from=0.9)
    assert "not shown" in verdict(doubtful)
    assert replaces_a_good_one(card, doubtful) and not replaces_a_good_one(doubtful, card)
    assert not replaces_a_good_one(replace(card, parent=""), doubtful), (
        "the shipped one was never measured here"
    )
