"""A logged episode at any moment, and two of them side by side."""

from __future__ import annotations

import pytest

from core.belief import Verdict
from core.events import Record, StepFinished
from core.log.recorder import Recorder
from core.review.align import align_steps, executed_steps, first_divergence
from core.review.replay import KEYFRAME_EVERY, EpisodeReplay
from core.state.state_reducer import fold_records
from tests.core.log import made


def recorded(turns: int = 8, by: str = "ada") -> list[Record]:
    return list(Recorder.without_log().record_events(made.episode(turns, True, by)))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return recorded()


def test_that_every_position_is_the_live_story_of_that_moment(records: list[Record]) -> None:
    tape = EpisodeReplay(records)
    assert len(tape) > 2 * KEYFRAME_EVERY
    for index in (*range(len(tape) + 1), 3, len(tape), 0, KEYFRAME_EVERY, KEYFRAME_EVERY + 1, 5):
        assert tape.state_at(index) == fold_records(records[:index])


def test_that_a_time_between_two_records_is_the_earlier_story(records: list[Record]) -> None:
    tape = EpisodeReplay(records)
    a, b = tape.times[9], tape.times[10]
    assert tape.index_at((a + b) / 2) == 10
    assert tape.index_at(tape.seconds) == len(tape)


def test_that_jumps_find_overrides_contradictions_and_failures(records: list[Record]) -> None:
    tape = EpisodeReplay(records)
    override = tape.next_jump_target(0, ("override",))
    assert override and tape.state_at(override.index).counts.overrides == 1
    assert tape.state_at(override.index - 1).counts.overrides == 0
    failure = tape.next_jump_target(0, ("failure",))
    assert failure and isinstance(records[failure.index - 1].event, StepFinished)
    assert tape.next_jump_target(0, ("contradiction",)) is not None
    assert tape.next_jump_target(0, ("stop",)) is None
    assert tape.next_jump_target(len(tape), ("override",), back=True)
    assert tape.next_jump_target(override.index, ("override",), back=True) is None


def test_that_a_question_is_found_with_the_model_and_the_operator(records: list[Record]) -> None:
    tape = EpisodeReplay(records)
    assert len(tape.questions) == 8 * 4
    first, last = tape.questions[0], tape.questions[-4]
    assert (first.model.verdict, first.operator) == (Verdict.YES, None)
    assert last.operator and last.operator.verdict is Verdict.NO
    before = tape.state_at(first.index)
    assert before.cards and all(card.model is None for card in before.cards)


def test_that_equal_steps_stand_beside_each_other() -> None:
    short, long = EpisodeReplay(recorded(3)), EpisodeReplay(recorded(5))
    pairs = align_steps(short, long)
    assert [p.left for p in pairs if p.left] == list(executed_steps(short))
    assert [p.right for p in pairs if p.right] == list(executed_steps(long))
    assert all(p.left.step == p.right.step for p in pairs if p.left and p.right)
    assert first_divergence(align_steps(short, short)) is None
    assert first_divergence(pairs) is not None


def test_that_an_empty_tape_has_a_story_too() -> None:
    tape = EpisodeReplay(())
    assert (len(tape), tape.seconds, tape.state_at(3).started) == (0, 0.0, None)
