"""Handing over: what happened since a person looked, in at most five lines with their turns."""

from __future__ import annotations

from dataclasses import replace

from app.handover_summary import LINES, handover
from core.events import Notice
from core.log.recorder import Recorder
from core.state.state_reducer import fold_records
from core.text.vocabulary import Vocabulary
from tests.core.log import made

RECORDS = list(Recorder.without_log().record_events(made.episode(6, by="ada")))
WORDS = Vocabulary()


def test_that_the_lines_name_what_happened_and_where() -> None:
    state = fold_records(RECORDS[:-1])  # still running
    lines = {line.text: line for line in handover(state, -1.0, WORDS)}
    assert lines["1 contradiction, turn 6"].turn == 6
    assert lines["1 failed step, turn 6"].tone == "fault"
    assert lines["5 steps done, turns 1 to 5"].turn == 1
    assert "2 new plans, turns 0 to 4" in lines and len(lines) == LINES


def test_that_only_what_came_since_counts_and_the_end_comes_first() -> None:
    state = fold_records(RECORDS)
    assert handover(state, state.now + 1, WORDS) == ()
    lines = handover(state, -1.0, WORDS)
    assert lines[0].turn == state.turn and len(lines) == LINES
    assert [line.text.split(",")[0] for line in lines[1:3]] == ["1 contradiction", "1 failed step"]
    turn = next(m.start for m in state.marks if m.kind == "turn" and m.turn == 6)
    late = [line.text for line in handover(state, turn, WORDS)]
    assert not any("steps done" in words or "new plan" in words for words in late)


def test_that_what_is_recorded_after_the_end_makes_no_episode_longer() -> None:
    state = fold_records(RECORDS)
    late = replace(
        RECORDS[-1], number=99, monotonic=RECORDS[-1].monotonic + 99, event=Notice("info", "opened")
    )
    assert fold_records([*RECORDS, late]).now == state.now
