"""What the robot senses and did last."""

from __future__ import annotations

from app.controls.text_rows import TextRow
from app.presentation.formatting import duration
from app.theme.states import LINE
from core.belief import BeliefSource, Verdict
from core.episode_state import EpisodeState, PlanRowState
from core.ports import StepStatus
from core.text.vocabulary import Vocabulary

NAME = 56  # px of the names
ENDED = {
    StepStatus.DONE: PlanRowState.DONE,
    StepStatus.FAILED: PlanRowState.FAILED,
    StepStatus.HALTED: PlanRowState.HALTED,
}


def readouts(state: EpisodeState, vocabulary: Vocabulary) -> tuple[TextRow, ...]:
    """Return what the robot senses and did last, and what came of it."""
    situation = vocabulary.in_words(state.last_step.situation) if state.last_step else ""
    return (
        _line("Senses", _felt(state, vocabulary), "pulse"),
        _last(state, vocabulary),
        _line("Situation", situation or "none reported", "info" if situation else "dash"),
    )


def _line(name: str, words: str, icon: str, tone: str = "text") -> TextRow:
    return TextRow(words, name, icon, tone, tone if tone != "text" else "muted")


def _felt(state: EpisodeState, vocabulary: Vocabulary) -> str:
    sensed = (e.atom for e in state.belief if e.source is BeliefSource.SENSOR and e.verdict is Verdict.YES)
    return ", ".join(vocabulary.describe_literal(atom) for atom in sorted(sensed)) or "nothing sensed"


def _last(state: EpisodeState, vocabulary: Vocabulary) -> TextRow:
    last = state.last_step
    if last is None:
        return _line("Last", "no step yet", "dash")
    line = LINE[ENDED[last.result.status]]
    took = f" · {duration(last.result.seconds)}" if last.result.seconds >= 0.05 else ""
    tone = "text" if last.result.status is StepStatus.DONE else line.colour
    return _line("Last", f"{vocabulary.describe_step(last.step)} · {line.word}{took}", line.icon, tone)
