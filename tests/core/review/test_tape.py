"""A logged episode at any moment, and two of them side by side."""

from __future__ import annotations

import pytest

from core.events import Acted, Record
from core.facts import Verdict
from core.log.recorder import Recorder
from core.review.align import aligned, done, parted
from core.review.tape import EVERY, Tape
from core.telling import told
from tests.core.log import made


def recorded(turns: int = 8, by: str = "ada") -> list[Record]:
    return list(Recorder.nowhere().record_events(made.episode(turns, True, by)))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return recorded()


def test_that_every_position_is_the_live_story_of_that_moment(records: list[Record]) -> None:
    tape = Tape(records)
    assert len(tape) > 2 * EVERY
    for index in (*range(len(tape) + 1), 3, len(tape), 0, EVERY, EVERY + 1, 5):
        assert tape.story(index) == told(records[:index])


def test_that_a_time_between_two_records_is_the_earlier_story(records: list[Record]) -> None:
    tape = Tape(records)
    a, b = tape.times[9], tape.times[10]
    middle = tape.at((a + b) / 2)
    assert middle.belief == tape.story(10).belief and a <= middle.now <= b
    assert tape.index(tape.seconds) == len(tape)


def test_that_jumps_find_overrides_contradictions_and_failures(records: list[Record]) -> None:
    tape = Tape(records)
    override = tape.next(0, ("override",))
    assert override and tape.story(override.index).counts.overrides == 1
    assert tape.story(override.index - 1).counts.overrides == 0
    failure = tape.next(0, ("failure",))
    assert failure and isinstance(records[failure.index - 1].event, Acted)
    assert tape.next(0, ("contradiction",)) is not None
    assert tape.next(0, ("stop",)) is None
    assert tape.next(len(tape), ("override",), back=True)
    assert tape.next(override.index, ("override",), back=True) is None


def test_that_a_question_is_found_with_the_model_and_the_operator(records: list[Record]) -> None:
    tape = Tape(records)
    assert len(tape.questions) == 8 * 4
    first, last = tape.questions[0], tape.questions[-4]
    assert (first.model.verdict, first.operator) == (Verdict.YES, None)
    assert last.operator and last.operator.verdict is Verdict.NO
    before = tape.story(first.index)
    assert before.cards and all(card.model is None for card in before.cards)


def test_that_equal_steps_stand_beside_each_other() -> None:
    short, long = Tape(recorded(3)), Tape(recorded(5))
    pairs = aligned(short, long)
    assert [p.left for p in pairs if p.left] == list(done(short))
    assert [p.right for p in pairs if p.right] == list(done(long))
    assert all(p.left.step == p.right.step for p in pairs if p.left and p.right)
    assert parted(aligned(short, short)) is None
    assert parted(pairs) is not None


def test_that_an_empty_tape_has_a_story_too() -> None:
    tape = Tape(())
    assert (len(tape), tape.seconds, tape.story(3).started) == (0, 0.0, None)
