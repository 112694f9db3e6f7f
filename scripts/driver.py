"""Do in the real window what a person does, by its commands, in steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from app.commands import just_appeared
from app.episode.session import SessionStage
from app.main import Console
from benchmarks.shared.window import until
from core.belief import Verdict
from core.config import Settings
from core.episode_state import EpisodeState, Phase, QuestionCard
from core.supervision import SUPERVISION_PRESETS

KITCHEN = Settings(robot="kitchen", seed=3, pace=0.4)
PASSING = {Phase.REVIEWING: "use", Phase.OFFERED: "take", Phase.WAITING: "approve", Phase.STOPPED: "go_on"}


class Driver:
    """Drives one window. `panel` is one that is closed by default and to be seen in the next pictures."""

    def __init__(self, console: Console) -> None:
        self.at, self.panel = console, ""

    @property
    def state(self) -> EpisodeState:
        return self.at.controller.state

    @property
    def dialog(self) -> Any:
        return self.at.controller.dialog

    @property
    def parts(self) -> Any:
        return self.at.controller.session.components

    @property
    def card(self) -> QuestionCard:
        card = self.at.window.questions.focused_card
        assert card is not None, "no question has the focus"
        return card

    def do(self, step: Step) -> None:
        """Trigger a command, wait for seconds, or take another step."""
        if isinstance(step, str):
            self.trigger(step)
        elif isinstance(step, float):
            until(lambda: False, step)
        else:
            step(self)

    def trigger(self, command: str) -> None:
        self.at.controller.refresh()
        self.at.window.actions_[command].trigger()

    def wait_until(self, seen: Callable[[], object], seconds: float = 60.0) -> bool:
        until(seen, seconds)
        self.do(0.1)  # so that a slow machine gets as far as a fast one
        return bool(seen())

    def pass_until(self, seen: Callable[[], object]) -> bool:
        """Start, and let everything pass until this is seen or the episode has ended."""
        if not self.state.started:
            self.do("start")

        def look() -> bool:
            if seen():
                return True
            if self.state.phase in PASSING and not just_appeared(self.state):
                self.do(PASSING[self.state.phase])
            return bool(self.state.ended)

        self.wait_until(look, 120)
        return bool(seen())


Step = str | float | Callable[[Driver], object]
Seen = Callable[[EpisodeState], object]


def waits(seen: Callable[[Driver], object], seconds: float = 60.0) -> Step:
    """Wait, while nobody does anything."""
    return lambda s: s.wait_until(lambda: seen(s), seconds)


def passes(seen: Seen) -> Step:
    return lambda s: s.pass_until(lambda: seen(s.state))


def to(phase: Phase, turn: int = 0, where: Seen = bool) -> Step:
    return passes(lambda state: state.phase is phase and state.turn >= turn and where(state))


def ready(s: Driver) -> None:
    s.wait_until(lambda: s.at.controller.session.stage is SessionStage.READY)


def prepare(s: Driver, settings: Settings, preset: str = "Approve") -> None:
    """Set up another episode in the same window."""
    s.at.controller.prepare(settings)
    ready(s)
    s.at.bindings.set_supervision(SUPERVISION_PRESETS[preset])


def contrary(card: QuestionCard) -> str:
    """Return the command that answers otherwise than the model did."""
    said = card.query.text_verdict(card.model.verdict) if card.model else Verdict.UNKNOWN
    return "no" if said is Verdict.YES else "yes"


def override(s: Driver) -> None:
    """Answer otherwise than the model did, unless all is over."""
    if not s.state.ended:
        s.do(contrary(s.card))


def stop(s: Driver) -> None:
    s.at.controller.stop()
    s.wait_until(lambda: s.state.phase is Phase.STOPPED)


def end(s: Driver) -> None:
    if s.state.is_running:
        s.do("end")
        if s.state.acting is not None:
            s.at.controller.stop()
        s.wait_until(lambda: s.state.ended)


def opened(command: str) -> Step:
    """Open a dialog, in place of one that is open."""
    return lambda s: (close(s), s.do(command), s.wait_until(lambda: s.dialog is not None))


def close(s: Driver) -> None:
    if s.dialog is not None:
        s.dialog.reject()


def list_episodes(s: Driver) -> None:
    """Open the review, and wait for the list of episodes in it."""
    model = s.at.review.episode_list.model
    s.do("episodes")
    s.wait_until(lambda: model.rowCount() and model.entry(0))


def replay(s: Driver) -> None:
    """Open the latest episode in the review."""
    s.at.review.open(s.at.review.episode_list.model.entry(0).summary.episode)
    s.wait_until(lambda: s.at.review.replay.opened is not None)


def panel(name: str) -> Step:
    return lambda s: setattr(s, "panel", name)


class Scene(NamedTuple):
    name: str
    settings: Any  # `Settings`, or a context that yields them
    preset: str
    pictures: tuple[tuple[Any, ...], ...]  # the name, and the steps before it
