"""Drives the real window on X with real key presses, and prints keys and seconds for what an operator does.

make drive [ARGS="--robot kitchen"]; it starts Xvfb by itself. One answer of the model is planted wrong. A
person is taken to need REACTION seconds from when the question is on the screen; these count. `busy` is the
GUI thread's own longest time between two beats of its event loop, which may be 50 ms.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QApplication

import main
from app.main import SWITCH, Console
from app.presentation.formatting import offer_card
from benchmarks.console import EventLoopMonitor, until, window
from core.belief import BeliefSource, Purpose, Query, Verdict
from core.cancel import Cancel
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import EpisodeState, Phase, QuestionCard
from core.errors import AnswererError
from core.ports import Answerer, Frame, ModelCall
from core.stop import heartbeat
from core.supervision import WATCH, SupervisionLevels
from tests.app.x11 import Hand

REACTION = 1.0  # seconds from a question on the screen to the key
FROM_TURN = 3  # in which the planted answer is given, or the first one after it
PASSING = {Phase.REVIEWING: "use", Phase.OFFERED: "take", Phase.WAITING: "approve"}
PACE = 3.0  # the symbolic robot's motions are short ones
STALL = 0.05  # seconds


class Planted:
    """Turns one answer about an effect round; with `gone` it cannot be reached from that turn on."""

    def __init__(self, answerer: Answerer, gone: bool) -> None:
        self._answerer, self._gone = answerer, gone
        self.name = answerer.name
        self.planted: Query | None = None

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> ModelCall:
        if self._gone and turn >= FROM_TURN:
            raise AnswererError(f"{self.name} cannot be reached.")
        call = self._answerer.answer(frame, queries, turn, cancel)
        if self.planted is None and turn >= FROM_TURN and not self._gone:
            fit = (q for q in queries if q.purpose is Purpose.EFFECT)
            self.planted = next((q for q in fit if _verdict(call, q) is q.expected), None)
            atom = self.planted.atom if self.planted else None
            turned = (replace(a, verdict=a.verdict.opposite) if a.atom == atom else a for a in call.answers)
            call = replace(call, answers=tuple(turned))
        return call


def _verdict(call: ModelCall, query: Query) -> Verdict:
    return next((a.verdict for a in call.answers if a.atom == query.atom), Verdict.UNKNOWN)


@dataclass
class Measured:
    """What one situation took. `seconds` count from when the person could see it."""

    name: str
    keys: int
    seconds: float
    held: bool
    busy: float = 0.0


class Person:
    """Someone at the keyboard of one window."""

    def __init__(self, console: Console, hand: Hand, planted: list[Planted]) -> None:
        self.console, self.hand, self._planted = console, hand, planted
        self.keys = 0

    @property
    def state(self) -> EpisodeState:
        return self.console.controller.state

    def start(self) -> None:
        self.console.window.activateWindow()
        self.console.window.setFocus()
        until(lambda: QApplication.focusWindow() is not None)
        self.tap("Return")
        assert until(lambda: self.state.started is not None), "the episode does not start"
        self.keys = 0

    def tap(self, *keys: str) -> None:
        """Press keys together, as one."""
        self.keys += 1
        for key in keys:
            self.hand.key(key, True)
        for key in reversed(keys):
            self.hand.key(key, False)

    def pass_until(self, seen: Callable[[], object]) -> bool:
        """Let everything pass until this is seen; what the program did for it is no key of the person."""

        def look() -> bool:
            if seen():
                return True
            if command := PASSING.get(self.state.phase):
                self.console.window.actions_[command].trigger()
            return bool(self.state.ended)

        until(look, 120)
        return bool(seen())

    def see_planted(self) -> QuestionCard:
        """Return the card of the planted answer, once it has the focus for the person's keys."""

        def has_focus() -> bool:
            query, card = self._planted[0].planted, self.console.window.questions.focused_card
            return bool(query and card and card.query.atom == query.atom and card.model)

        assert self.pass_until(has_focus), "the planted answer never got the focus"
        card = self.console.window.questions.focused_card
        assert card is not None
        return card

    def disagree(self, card: QuestionCard) -> bool:
        """Answer otherwise than the model; return True once that is believed."""
        said = card.query.text_verdict(card.model.verdict) if card.model else Verdict.UNKNOWN
        until(lambda: False, REACTION)
        self.tap("n" if said is Verdict.YES else "y")
        return until(lambda: self.state.belief.source(card.query.atom) is BeliefSource.OPERATOR, 15)


def corrects(person: Person) -> tuple[float, bool]:
    card = person.see_planted()
    began = time.monotonic()
    return began, person.disagree(card)


def corrects_an_offer(person: Person) -> tuple[float, bool]:
    person.see_planted()  # and believes it at first
    assert person.pass_until(lambda: offer_card(person.state)), "no new plan is offered"
    card, began = offer_card(person.state), time.monotonic()
    assert card is not None
    believed = person.disagree(card)
    return began, believed and until(lambda: any(m.label == "withdrawn" for m in person.state.marks), 15)


def takes_it_back(person: Person) -> tuple[float, bool]:
    corrects_an_offer(person)
    until(lambda: person.state.undo_count, 15)
    person.keys, began = 0, time.monotonic()
    until(lambda: False, REACTION)
    person.tap("Control", "z")
    return began, until(lambda: person.state.offered_change is not None, 15)


def sees_the_model_gone(person: Person) -> tuple[float, bool]:
    assert person.pass_until(lambda: any(c.error for c in person.state.cards)), "the model answers"
    began = time.monotonic()
    named = until(lambda: "no answer" in person.console.window.decision.views[0].reason.lines[0].lower(), 15)
    until(lambda: False, REACTION)
    waiting = [c for c in person.state.cards if c.pending]
    for _ in waiting:
        person.tap("y")
        until(lambda: False, 0.3)
    return began, named and until(lambda: not any(c.pending for c in person.state.cards), 15)


def stops_in_the_past(person: Person) -> tuple[float, bool]:
    person.pass_until(lambda: person.state.turn > FROM_TURN)
    person.tap("comma")
    shown = until(lambda: person.console.past.state is not None, 15)
    person.pass_until(lambda: person.state.acting is not None)
    began = time.monotonic()
    person.tap("Escape")
    strip = person.console.window.decision.views[0]
    stopped = until(lambda: person.state.phase is Phase.STOPPED and strip.reason.head == "nothing moves", 15)
    still = person.console.past.state is not None
    person.tap("l")
    back = until(lambda: person.console.past.state is None, 5)
    return began, shown and stopped and still and back


SITUATIONS = (
    ("wrong answer, Watch", "Watch", corrects),
    ("wrong answer, Assist", "Assist", corrects),
    ("wrong answer, Approve", "Approve", corrects),
    ("correction while a plan is offered", "Assist", corrects_an_offer),
    ("undo after that", "Approve", takes_it_back),
    ("model gone", "Assist", sees_the_model_gone),
    ("stop while the past is shown", "Watch", stops_in_the_past),
)


def drive(robot: str, hand: Hand) -> Iterator[Measured]:
    for name, preset, situation in SITUATIONS:
        planted: list[Planted] = []

        def make(
            settings: Settings,
            on_notice: Callable[[str], None] = ignore,
            levels: SupervisionLevels = WATCH,
            planted: list[Planted] = planted,
            gone: bool = situation is sees_the_model_gone,
        ) -> EpisodeComponents:
            made = main.make_components(settings, on_notice, levels)
            planted.append(Planted(made.answerer, gone))
            return replace(made, answerer=planted[0])

        settings = Settings(robot=robot, seed=3, openness=0.0, pace=PACE)
        with window(settings, preset, make) as console:
            person = Person(console, hand, planted)
            person.start()
            monitor = EventLoopMonitor()
            began, held = situation(person)
            yield Measured(name, person.keys, time.monotonic() - began, held, max(monitor.busy))


@contextmanager
def display() -> Iterator[None]:
    """Give the program a screen of its own."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        os.environ["DISPLAY"] = f":{pipe.readline().strip()}"
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    try:
        yield
    finally:
        server.terminate()
        server.wait(10)


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="symbolic")
    robot = parser.parse_args().robot
    sys.setswitchinterval(SWITCH)
    heartbeat.HEARTBEAT_TIMEOUT = 20.0  # a machine that does other work may be late
    bad = 0
    with display(), tempfile.TemporaryDirectory(prefix="dkp-") as runtime:
        os.environ["XDG_RUNTIME_DIR"] = runtime
        app = QApplication(sys.argv[:1])
        print(f"{'situation':36} {'keys':>4} {'seconds':>8} {'busy':>8}")
        for m in drive(robot, Hand()):
            bad += not m.held or m.seconds > 10 or m.busy > STALL
            note = "" if m.held else "  NOT REACHED"
            print(f"{m.name:36} {m.keys:4} {m.seconds:7.1f}s {1000 * m.busy:5.0f} ms{note}", flush=True)
        app.quit()
    load = os.getloadavg()[0]
    print(f"load {load:.1f}; the seconds include {REACTION:.0f} s of reaction")
    return bad


if __name__ == "__main__":
    sys.exit(run())
