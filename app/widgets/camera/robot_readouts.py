"""What the robot does, senses and did last."""

from __future__ import annotations

from app.controls.text_rows import TextRow
from app.presentation.formatting import age, duration, waits_for_person
from app.presentation.robot_words import RobotWords
from app.theme.states import LINE
from core.belief import BeliefSource, Verdict
from core.episode_state import EpisodeState, Phase, PlanRowState
from core.ports import StepStatus
from core.text.vocabulary import Vocabulary

NAME = 56  # px of the names
ENDED = {
    StepStatus.DONE: PlanRowState.DONE,
    StepStatus.FAILED: PlanRowState.FAILED,
    StepStatus.HALTED: PlanRowState.HALTED,
}


def readouts(
    state: EpisodeState, vocabulary: Vocabulary, robot: RobotWords | None = None
) -> tuple[TextRow, ...]:
    """Return what the robot does, senses, did last and waits for; `robot` is what its own data say."""
    level = robot.level if robot and robot.level else "text"
    if state.started is None:
        return (
            _line("Robot", robot.text if robot else "not started", "pause", level),
            _line("Waiting", "for Start", "person", "accent"),
        )
    still = robot.text if robot else "stands still"
    moving = vocabulary.describe_step(state.acting) if state.acting and level == "text" else still
    situation = vocabulary.in_words(state.last_step.situation) if state.last_step else ""
    return (
        _line("Robot", moving, "play" if state.acting else "pause", level),
        _line("Senses", _felt(state, vocabulary), "pulse"),
        _last(state, vocabulary),
        _line("Situation", situation or "none reported", "info" if situation else "dash"),
        _waited(state),
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


def _waited(state: EpisodeState) -> TextRow:
    if waits_for_person(state):
        return _line("Waiting", f"for you · {age(state.now - state.since)}", "person", "accent")
    if state.phase is Phase.ASKING:
        return _line("Waiting", "for the model", "eye")
    return _line("Waiting", "for nobody", "dash")
