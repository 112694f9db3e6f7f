"""The sections of the decision bar, and what several of them ask of a question's card. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from core.belief import Verdict
from core.episode_state import EpisodeState, PlanRowState, QuestionCard
from core.planning_model import Step


@dataclass(frozen=True)
class DecisionSection:
    """One third of the bar: a caption, a main line, and up to two muted lines."""

    word: str
    head: str
    lines: tuple[str, ...] = ()
    level: str = ""
    icon: str = "arrow"


@dataclass(frozen=True)
class DecisionSummary:
    next: DecisionSection
    because: DecisionSection
    doubt: DecisionSection


def suspicious(card: QuestionCard) -> bool:
    """Return True if a person should check the answer: it is UNKNOWN or not as expected."""
    model, expected = card.model, card.query.expected
    if model is None:
        return False
    unexpected = expected is not Verdict.UNKNOWN and model.verdict is not expected
    return model.verdict is Verdict.UNKNOWN or unexpected


def to_judge(cards: tuple[QuestionCard, ...]) -> tuple[QuestionCard, ...]:
    """Return the cards that a person must answer before all count: the doubtful ones, or else all."""
    return tuple(card for card in cards if suspicious(card)) or cards


def next_step(state: EpisodeState) -> Step | None:
    return next((ln.step for ln in state.plan_rows if ln.state is PlanRowState.NEXT), None)
