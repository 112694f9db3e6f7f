"""Say in the panels that are still empty what to do first, and what prevents it."""

from __future__ import annotations

from dataclasses import replace

from app.episode.session import START_CANCELLED
from app.main_window import MainWindow
from app.presentation.decision_section import DecisionSection
from core.config import Settings
from core.events import BeliefChanged, Event

TITLE = "Watch a whole episode in two minutes"
EXPLAINED = (
    "Questions about the picture are answered; where they do not fit the plan, the robot plans again. "
    "Nothing leaves this computer."
)


class Welcome:
    """Shows each of its texts once, so that a panel is not laid out anew at every refresh."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._shown = (False, "")

    def reset(self) -> None:
        """Forget what was shown, because the panels were cleared."""
        self._shown = (False, "")

    def show(self, known: bool, fault: str, newcomer: bool) -> None:
        """Show the fault, or a newcomer's first step once the set-up is `known` to work."""
        window, actions = self._window, self._window.actions_
        if (known, fault) == self._shown:
            return
        self._shown = (known, fault)
        if fault and fault != START_CANCELLED:  # which leaves nothing to mend
            window.plan.show_placeholder(
                "fault", "Cannot start", f"{fault}\nEarlier episodes are kept.", "fault"
            )
            window.plan.empty_state.set_actions((actions["setup"], "pencil", ""))
        elif known and newcomer:
            window.questions.show_placeholder("play", TITLE, EXPLAINED)
            start, setup = (actions["start"], "play", "Enter"), (actions["setup"], "pencil", "")
            window.questions.empty_state.set_actions(start, setup)


SEED = 6  # of a first episode: the cabinet does not open at once, and an answer shows it
PACE = 2.0  # times as slow as in reality, so that questions and answers can be read
LESSON = DecisionSection(
    "WHY IT PAUSED",
    "The picture contradicts the plan",
    (
        "An answer about the picture says otherwise than the plan assumes; where it no longer fits, "
        "the robot plans again. Press Enter to go on.",
    ),
    "doubt",
)


def slowed(settings: Settings) -> Settings:
    """Return the settings at a pace to follow, and with something to learn, unless a robot was chosen."""
    if settings.robot:
        return settings
    return replace(settings, pace=max(settings.pace, PACE), seed=settings.seed or SEED)


def contradicts(event: Event) -> DecisionSection | None:
    """Return what to say if an answer contradicts what was believed."""
    return LESSON if isinstance(event, BeliefChanged) and event.contradictions else None
