"""What an episode shows of the rates is kept, and nothing that was only expected."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.episode.kept_knowledge import KeptKnowledge, known_before
from core.config import Settings
from core.domains import Situation
from core.episode import with_knowledge
from core.episode_state import EpisodeState
from core.knowledge.changes import A_FALL, Knowledge, LearntChange, SideEffect
from core.log.knowledge_store import KnowledgeStore, switched
from core.methods.careful.hypotheses import Part, untold_of
from core.methods.careful.learnt_rates import (
    NO_EFFECT,
    WEIGHT,
    learnt_situations,
    meaning,
    reason_words,
    seen,
)
from core.methods.careful.untold import Count, Kind
from core.planning.domain_library import find_task
from core.ports import StepResult, StepStatus
from main import make_components
from robots.registry import ROBOTS
from tests.core import tiny
from tests.core.methods.careful.conftest import feeling
from tests.core.methods.careful.test_bayes_filter import OPEN
from tests.episodes import events_of

FAILED, DONE = StepStatus.FAILED, StepStatus.DONE


def test_that_only_what_was_seen_counts() -> None:
    rate, tries = 0.25, 10.0
    mean, spread = tries * rate, tries * rate * (1 - rate)  # as the hypotheses differ where nothing was seen
    assert seen(Count(mean, tries, spread + mean**2), rate, 20) == pytest.approx((0, 0), abs=1e-9)
    for happened in (0.0, 2.0, 10.0):  # all hypotheses agree
        assert seen(Count(happened, tries, happened**2), rate, 20) == pytest.approx((happened, tries))
    happened, times = seen(Count(1.8, 4.25, 4.0), 0.1, 20)  # a surprise in doubt moves the mean in full
    assert (2 + happened) / (20 + times) == pytest.approx((2 + 1.8) / 24.25) and happened <= times < 4.25


def test_that_the_folder_counts_as_so_many_tries_and_no_rate_passes_one() -> None:
    told = (Situation("sticks", 0.5), Situation("falls", 0.4))
    kept = {Kind("open", "sticks", None): Count(40.0, 40.0), Kind("open", "falls", None): Count(0.0, 20.0)}
    (sticks, falls) = learnt_situations("open", told, kept)
    assert sticks.rate / falls.rate == pytest.approx(((0.5 * WEIGHT + 40) / (WEIGHT + 40)) / 0.2)
    assert sticks.rate + falls.rate <= 1 and learnt_situations("open", told, {}) == told


def test_that_a_reason_means_what_went_with_it_before() -> None:
    said = {("jam", "sticks"): 6.0, ("jam", "falls"): 1.0, ("slip", "falls"): 5.0}
    kept = {Kind("open", situation, None, words): Count(n, n) for (words, situation), n in said.items()}
    assert meaning(kept, "open", "jam", "sticks") > 2 * meaning(kept, "open", "jam", "falls")
    assert meaning(kept, "open", "new", "sticks") == meaning(kept, "close", "jam", "sticks") == 1
    del kept[Kind("open", "falls", None, "slip")]  # one reason for everything tells nothing
    assert meaning(kept, "open", "jam", "sticks") == meaning(kept, "open", "jam", "falls") == 1
    assert reason_words("error 17 at 3.2 mm") == reason_words("error 5 at 0.1 mm")


def test_that_every_hypothesis_counts_what_happened_in_it_and_why_the_robot_says_it_failed(careful) -> None:
    method = careful(feeling(tiny.folder(0.25, 0.1))).knowing(Knowledge())
    joint = {method.world.number(tiny.PROBLEM.state): Part(method.errors.prior)}
    for result in (StepResult(FAILED, "error 7"), StepResult(FAILED, "stays closed"), StepResult(DONE)):
        joint = method.filter.done(joint, OPEN, result)
    counts = untold_of(joint)
    happened, times, _ = counts[Kind("open", "stays closed", None)]
    assert times == pytest.approx(3, abs=0.1) and happened == pytest.approx(2, abs=0.1)
    assert counts[Kind("open", "stays closed", None, "error #")].happened > 0.8
    assert counts[Kind("open", NO_EFFECT, None)].happened < 0.1


SETTINGS = Settings("one", "rack", robot="symbolic", method="careful", answerer="perfect", pictures=False)


def play(folder: Path, settings: Settings = SETTINGS, number: int = 0) -> Knowledge:
    """Begin an episode, run it if it has a number, and return what it began with."""
    kept = KeptKnowledge(KnowledgeStore(folder / "knowledge"), pytest.fail)
    with closing(kept.begin(make_components(settings))) as parts:
        if number:
            events_of(parts)
            kept.keep(EpisodeState(episode=f"e{number}"), parts)
        return parts.knowledge


def test_that_the_next_episode_begins_with_the_counts_of_its_own_world_only(tmp_path: Path) -> None:
    def forecast_with(settings: Settings = SETTINGS) -> Knowledge:
        return known_before(tmp_path, settings, *find_task(*settings.task_place), ROBOTS)

    assert not play(tmp_path, number=1).changes
    first = forecast_with()
    assert first.changes and {one.episode for one in first.changes} == {"e1"}
    assert play(tmp_path, number=2) == first
    again = {one.change: one.change for one in forecast_with().changes}
    for one in (learnt.change for learnt in first.changes):
        assert again[one].episodes == 2 and again[one].times > one.times
    assert not forecast_with(replace(SETTINGS, openness=1.5)).changes
    for unlike in ({"options": {"method.learn_rates": "no"}}, {"method": "dkprompt"}):
        assert not play(tmp_path, replace(SETTINGS, **unlike)).changes
    with closing(make_components(SETTINGS)) as parts:  # as a fork does
        assert with_knowledge(parts, first).method.world.kept and not parts.method.world.kept


def test_that_what_is_forgotten_is_neither_used_nor_counted_on(tmp_path: Path) -> None:
    play(tmp_path, number=1)
    store = KnowledgeStore(tmp_path / "knowledge")
    every = [one.learnt.change for one in store.load("rack")]
    store.update("rack", lambda old: switched(old, every, False))
    off = store.load("rack")
    assert not play(tmp_path, number=2).changes and store.load("rack") == off
    store.update("rack", lambda old: switched(old, every, True))
    assert len(play(tmp_path).changes) == len(every)


def test_that_the_method_reckons_with_what_was_counted() -> None:
    spilt = SideEffect(A_FALL, "filled", True, 4, 5, "symbolic")
    stuck = SideEffect("cap", "the cap does not catch", None, 20, 20, "symbolic")
    with closing(make_components(SETTINGS)) as parts:
        knowing = parts.method.knowing(Knowledge((LearntChange(spilt), LearntChange(stuck))))
    was, now = (m.world.expected(Kind("cap", stuck.predicate, None)) for m in (parts.method, knowing))
    assert now == pytest.approx(((20 * was[0] + 20) / 40, 40)) and was[1] == 20
    assert knowing.world.expected(Kind(A_FALL, "filled"))[0] == pytest.approx(4.1 / 5.5)
