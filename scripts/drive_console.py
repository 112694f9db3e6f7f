"""Drives the real window on X with real key presses, and prints keys and seconds for what an operator does.

make drive [ARGS="--robot kitchen"]; it starts Xvfb by itself. One answer of the model is planted wrong. A
person is taken to need REACTION seconds from when the question is on the screen; these count. `busy` is the
GUI thread's own longest time between two beats of its event loop, which may be 50 ms, `late` the clock's on
this machine as it is. Held keys repeat.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from unittest.mock import patch

import main
from app.drafting.room import DraftingRoom
from app.main import Console
from app.presentation.formatting import offer_card, pending_cards, waits_for_person
from benchmarks.shared.harness import load
from benchmarks.shared.window import EventLoopMonitor, until, window
from core.belief import BeliefSource, Purpose, Query
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase, QuestionCard
from core.errors import AnswererError
from core.ports import Answerer, Frame, ModelCall
from core.stop import heartbeat
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from scripts import drive_arm
from scripts.drive_arm import ARM, enters, hands_the_arm_over, opens_the_gripper_after_the_end
from scripts.drive_room import LIMITS, ROOM
from scripts.driver import Driver, contrary
from tests.app.on_x import display
from tests.app.x11 import Hand

REACTION = 1.0  # seconds from a question on the screen to the key
HELD, REPEAT = 3.0, (200, 40)  # seconds that a key is held, and ms until it repeats, and from then on
LETTER = 0.2  # seconds a letter that is typed
FROM_TURN = 3  # in which the planted answer is given, or the first one after it
PACE = 3.0  # the symbolic robot's motions are short ones
STALL = 0.05  # seconds


class Planted:
    """Turns one answer about an effect round; with `gone` it cannot be reached from that turn on."""

    def __init__(self, answerer: Answerer, gone: bool) -> None:
        self._answerer, self._gone = answerer, gone
        self.name = answerer.name
        self.planted: Query | None = None

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        if self._gone and turn >= FROM_TURN:
            raise AnswererError(f"{self.name} cannot be reached.")
        call = self._answerer.answer(frame, queries, turn, cancel)
        if self.planted is None and turn >= FROM_TURN and not self._gone:
            said = {a.atom: a.verdict for a in call.answers}
            fit = (q for q in queries if q.purpose is Purpose.EFFECT)
            self.planted = next((q for q in fit if said.get(q.atom) is q.expected), None)
            atom = self.planted.atom if self.planted else None
            turned = (replace(a, verdict=a.verdict.opposite) if a.atom == atom else a for a in call.answers)
            call = replace(call, answers=tuple(turned))
        return call


class Person(Driver):
    """Someone at the keyboard of one window. `seconds` count from when the person could see it."""

    def __init__(self, console: Console, hand: Hand, answerer: Planted | None = None) -> None:
        super().__init__(console)
        self.hand, self._answerer = hand, answerer
        self.keys, self._began = 0, time.monotonic()
        self.monitor = EventLoopMonitor()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def trigger(self, command: str) -> None:
        """Do it as a person's key would: what is on the screen is not shown anew, all at once, before it."""
        self.at.window.actions_[command].trigger()

    def start(self) -> None:
        enters(self.at)
        self.tap("Return")
        assert until(lambda: self.state.started is not None), "the episode does not start"
        self.sees()

    def sees(self, keys: int = 0) -> None:
        """Count seconds from now on, and keys after so many."""
        self.keys, self._began = keys, time.monotonic()

    def pause(self, seconds: float = REACTION) -> None:
        self.do(seconds)

    def tap(self, *keys: str) -> None:
        """Press keys together, as one."""
        self.keys += 1
        for key in keys:
            self.hand.key(key, True)
        for key in reversed(keys):
            self.hand.key(key, False)

    def hold(self, key: str, seconds: float, enough: Callable[[], object] = lambda: False) -> None:
        """Hold a key, which the server repeats, until the screen says that it is enough."""
        self.keys += 1
        self.hand.key(key, True)
        until(enough, seconds)
        self.hand.key(key, False)

    def overruled(self, card: QuestionCard) -> bool:
        return self.state.belief.source(card.query.atom) is BeliefSource.OPERATOR

    def click(self, x: int, y: int, seconds: float = 0.0) -> None:
        self.keys += 1
        self.hand.move(x, y)
        self.hand.button(True)
        self.pause(seconds)
        self.hand.button(False)

    @property
    def room(self) -> DraftingRoom:
        return self.at.room

    def computed(self) -> bool:
        """Wait until the drafting room works on what it was asked for, and then until it is done."""
        run = self.room.runner
        until(lambda: run.working or self.state.is_running, 5)
        return until(lambda: run.desk is not None and not run.working, 300)

    def see_planted(self) -> None:
        """Wait until the card of the planted answer has the focus for the person's keys."""

        def has_focus() -> bool:
            assert self._answerer is not None
            query, card = self._answerer.planted, self.at.window.questions.focused_card
            return bool(query and card and card.query.atom == query.atom and card.model)

        assert self.pass_until(has_focus), "the planted answer never got the focus"
        self.sees()

    def disagree(self) -> bool:
        """Answer otherwise than the model; return True once that is believed."""
        card = offer_card(self.state) or self.card
        self.pause()
        self.tap(contrary(card)[0])
        return until(lambda: self.overruled(card), 15)


def corrects(person: Person) -> bool:
    person.see_planted()
    return person.disagree()


def corrects_an_offer(person: Person) -> bool:
    person.see_planted()  # and believes it at first
    assert person.pass_until(lambda: offer_card(person.state)), "no new plan is offered"
    person.sees()
    return person.disagree() and until(lambda: any(m.label == "withdrawn" for m in person.state.marks), 15)


def takes_it_back(person: Person) -> bool:
    corrects_an_offer(person)
    until(lambda: person.state.undo_count, 15)
    person.sees()
    person.pause()
    person.tap("Control", "z")
    return until(lambda: person.state.offered_change is not None, 15)


def rejects(person: Person) -> bool:
    person.see_planted()
    assert person.pass_until(lambda: offer_card(person.state)), "no new plan is offered"
    plans = person.state.plan_count
    person.sees()
    person.pause()
    person.tap("o")
    kept = until(lambda: person.state.offered_change is None, 15)
    waits = until(lambda: waits_for_person(person.state) or person.state.acting is not None, 15)
    return kept and waits and person.state.plan_count == plans


def tells(person: Person) -> bool:
    """Say what is unusual while the episode runs, with a method that hears it."""
    person.pass_until(lambda: person.state.turn > 1)
    person.sees()
    person.pause()
    person.tap("d")
    until(person.at.window.questions.situation_line.line.hasFocus, 5)
    for letter in "the cup is dirty":
        person.hand.type(letter)
        person.pause(LETTER)
    person.tap("Return")
    return until(lambda: bool(person.state.situations), 15)


def sees_the_model_gone(person: Person) -> bool:
    assert person.pass_until(lambda: any(c.error for c in person.state.cards)), "the model answers"
    person.sees()
    named = until(lambda: "no answer" in person.at.window.decision.views[0].reason.lines[0].lower(), 15)
    person.pause()
    for _ in [c for c in person.state.cards if c.pending]:
        person.tap("y")
        person.pause(0.3)
    return named and until(lambda: not any(c.pending for c in person.state.cards), 15)


def stops_in_the_past(person: Person) -> bool:
    person.pass_until(lambda: person.state.turn > FROM_TURN)
    person.tap("comma")
    shown = until(lambda: person.at.past.state is not None, 15)
    person.pass_until(lambda: person.state.acting is not None)
    person.sees(person.keys)
    person.tap("Escape")
    strip = person.at.window.decision.views[0]
    stopped = until(lambda: person.state.phase is Phase.STOPPED and strip.reason.head == "stopped", 15)
    still = person.at.past.state is not None
    person.tap("l")
    return shown and stopped and still and until(lambda: person.at.past.state is None, 5)


def answers_a_second_call(person: Person) -> bool:
    """Answer what the strip asks after a new plan, while the first call's doubtful answer is still there."""
    person.see_planted()
    turn, first = person.state.turn, {card.number for card in person.state.cards}
    strip = person.at.window.decision

    def second() -> set[int]:
        return {card.number for card in pending_cards(person.state)} - first

    assert person.pass_until(lambda: second() or person.state.turn > turn) and second(), "no second call"
    assert until(lambda: strip.asked.card and strip.asked.card.number in second(), 5), "it is not asked"
    person.sees()
    card = strip.asked.card
    assert until(lambda: strip.views[0].reason.head == card.query.text, 1), "the strip asks something else"
    person.pause()
    person.tap(contrary(card)[0])
    drafted = until(lambda: card.query.atom in person.at.window.questions.draft or person.overruled(card), 5)
    return drafted


def waits_for_a_step(person: Person) -> None:
    assert person.pass_until(lambda: person.state.phase is Phase.WAITING), "no step waits"
    person.pause()


def holds_enter(person: Person) -> bool:
    """Hold Enter, which X repeats: it approves one step and nothing else."""
    waits_for_a_step(person)
    person.sees()
    decided = len(person.state.marks)
    person.hold("Return", HELD)
    until(lambda: person.state.counts.steps, 15)
    person.pause()
    checks = [m for m in person.state.marks[decided:] if m.kind == "check"]
    return person.state.counts.steps == 1 and len(checks) <= 1


def holds_to_resume(person: Person) -> bool:
    """Hold Enter to release a stop, and go on holding it: nothing is approved by that."""
    waits_for_a_step(person)
    person.tap("Escape")
    assert until(lambda: person.state.phase is Phase.STOPPED, 15), "it does not stop"
    person.sees(person.keys)
    steps = person.state.counts.steps
    person.pause()
    person.hold("Return", HELD)
    return person.state.phase is not Phase.STOPPED and person.state.counts.steps == steps


SITUATIONS = (
    ("wrong answer, Watch", "Watch", corrects),
    ("wrong answer, Assist", "Assist", corrects),
    ("wrong answer, Approve", "Approve", corrects),
    ("correction while a plan is offered", "Assist", corrects_an_offer),
    ("undo after that", "Approve", takes_it_back),
    ("a new plan refused", "Assist", rejects),
    ("a situation told while it runs", "Assist", tells),
    ("model gone", "Assist", sees_the_model_gone),
    ("stop while the past is shown", "Watch", stops_in_the_past),
    ("second call in a turn", "Approve", answers_a_second_call),
    ("Enter held for 3 s at a step", "Approve", holds_enter),
    ("Enter held to resume, and on", "Approve", holds_to_resume),
)
WATER = Settings("serve_water", method="cowp", seed=1, pace=PACE, options={"robot.chance": "0"})
SETTINGS = {tells: WATER, **drive_arm.SETTINGS}
MOST = {
    **LIMITS,
    opens_the_gripper_after_the_end: (20, 60),
    hands_the_arm_over: (10, 90),
}  # keys and seconds; else 10 s


def measure(name: str, preset: str, situation: Callable[[Person], bool], robot: str, hand: Hand) -> bool:
    """Print what a situation took; return True if all of it was as it should be."""
    planted: list[Planted] = []

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, levels: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        made = main.make_components(settings, notify, levels)
        planted.append(Planted(made.answerer, situation is sees_the_model_gone))
        return replace(made, answerer=planted[0])

    settings = SETTINGS.get(situation, Settings(robot=robot, seed=3, openness=0.0, pace=PACE))
    with window(settings, preset, make) as console:
        person = Person(console, hand, planted[0])
        until(lambda: not console.window.decision.failed_checks, 10)
        enters(console) if any(situation is one for _, _, one in ROOM) else person.start()
        person.monitor = EventLoopMonitor()
        held = situation(person)
        seconds, busy, late = person.seconds, max(person.monitor.busy), max(person.monitor.gaps)
    note = "" if held else "  NOT REACHED"
    took = f"{seconds:7.1f}s {1000 * busy:5.0f} ms {1000 * late:5.0f} ms"
    print(f"{name:36} {person.keys:4} {took}{note}", flush=True)
    most, limit = MOST.get(situation, (person.keys, 10))
    return held and person.keys <= most and seconds <= limit and busy <= STALL


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="symbolic")
    parser.add_argument("--only", choices=("episode", "arm", "room"), help="what is driven, by default all")
    parser.add_argument("--named", default="", help="only situations with this in their name")
    args = parser.parse_args()
    heartbeat.HEARTBEAT_TIMEOUT = 20.0  # a machine that does other work may be late
    with display() as screen, tempfile.TemporaryDirectory(prefix="dkp-") as runtime:
        where = {"DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "XDG_RUNTIME_DIR": runtime}
        where["XDG_DATA_HOME"] = runtime  # for the domain that is saved
        with patch.dict(os.environ, where):
            print(f"{'situation':36} {'keys':>4} {'seconds':>8} {'busy':>8} {'late':>8}")
            parts = {"episode": SITUATIONS, "arm": ARM, "room": ROOM}
            chosen = [one for one in parts.get(args.only) or SITUATIONS + ARM + ROOM if args.named in one[0]]
            hand = Hand()
            hand.repeat(*REPEAT)
            bad = sum(not measure(*situation, args.robot, hand) for situation in chosen)
    print(f"{load()}; the seconds include {REACTION:.0f} s of reaction")
    return bad


if __name__ == "__main__":
    sys.exit(run())
