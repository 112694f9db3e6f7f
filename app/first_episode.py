"""The first episode that a newcomer sees: slow enough to follow, with a pause at the first contradiction."""

from __future__ import annotations

from dataclasses import replace

from app.presentation.decision_section import DecisionSection
from core.config import Settings
from core.events import BeliefChanged, Event

PACE = 2.0  # times as slow as in reality, so that questions and answers can be read
LESSON = DecisionSection(
    "WHY IT PAUSED",
    "The picture contradicts the plan",
    (
        "A step failed and did not say so, but an answer about the picture showed it, so the robot "
        "plans again. Press Enter to go on.",
    ),
    "doubt",
)


def slowed(settings: Settings) -> Settings:
    """Return the settings at a pace to follow, unless a robot was chosen."""
    return settings if settings.robot else replace(settings, pace=max(settings.pace, PACE))


def contradicts(event: Event) -> bool:
    """Return True if an answer contradicts what was believed."""
    return isinstance(event, BeliefChanged) and bool(event.contradictions)
