"""One arm and several consoles: one of them moves it, the others watch and may ask for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Protocol, runtime_checkable

from core.events import ArmHandover

ANSWER_TIMEOUT = 60.0  # seconds after which a question for the arm that nobody answered counts as refused


@dataclass(frozen=True)
class ArmConsole:
    """A console at an arm. `number` tells those at the same arm apart, `started` is Unix time."""

    operator: str
    kind: str  # "window" or "terminal"
    number: int
    host: str
    pid: int
    started: float

    def __str__(self) -> str:
        return f"{self.operator} ({self.kind} {self.number})"

    @property
    def since(self) -> str:
        """Return where and since when it has been there, for people."""
        return f"on {self.host} since {datetime.fromtimestamp(self.started):%H:%M}"


class HandoverChoice(Enum):
    """What the person at a console can do about who moves the arm."""

    ASK = "Ask for it"
    GIVE = "Give"
    REFUSE = "Refuse"
    TAKE = "Take it"


@dataclass(frozen=True)
class SharedArm:
    """Who moves an arm, as one of its consoles knows it.

    `mover` is None if that is not known; with `free` it is the one that ended without giving the arm away.
    """

    mover: ArmConsole | None
    moves: bool  # this console is the mover
    free: bool = False  # no console moves the arm
    asker: str = ""  # who asks this console for the arm, or this console once it has asked
    seconds_left: float = 0.0  # until the question counts as refused
    still: bool = True  # the arm is seen to stand, and nothing here moves it
    busy: bool = False  # the arm is being handed over
    outcome: str = ""  # of the last question, in a sentence, for a while

    @property
    def state(self) -> str:
        """Return who moves the arm, as a clause for people."""
        if self.busy:
            return f"The arm is being given to {self.asker}"
        if self.moves:
            return "This console moves the arm"
        if self.free:
            return f"{self.mover} moved this arm and is gone" if self.mover else "Nobody moves this arm"
        return f"{self.mover or 'Another console'} moves this arm"

    @property
    def refusal(self) -> str:
        """Return why nothing may be moved from here, and the remedy; "" if it may."""
        if self.moves and not self.busy:
            return ""
        remedy = "wait a moment" if self.busy else "take it first" if self.free else "ask for it first"
        return f"{self.state}: {remedy}"

    @property
    def sentence(self) -> str:
        """Return who moves the arm or what is asked, for people; "" if there is nothing to say."""
        left = f"({self.seconds_left:.0f} s)"
        if self.moves and not self.busy:
            when = "" if self.still else ", to be given at standstill"
            return f"{self.asker} asks for the arm{when} {left}." if self.asker else self.outcome
        if self.asker and not self.busy:
            return f"{self.state}. Asked for it {left}."
        return f"{self.state}." if self.free else self.outcome or f"{self.state}."

    @property
    def choices(self) -> tuple[HandoverChoice, ...]:
        """Return what can be chosen now; GIVE and TAKE only while the arm stands still."""
        if self.busy:
            return ()
        if self.moves:
            give = (HandoverChoice.GIVE,) if self.still else ()
            return (*give, HandoverChoice.REFUSE) if self.asker else ()
        if self.free:
            return (HandoverChoice.TAKE,) if self.still else ()
        return () if self.asker or self.mover is None else (HandoverChoice.ASK,)


@dataclass(frozen=True)
class HandoverNews:
    """What another console caused here. `halt` is the number of the stop that came with it, 0 for none.

    `stopped_by` names who stopped the arm itself; "" if only this console is barred from moving it.
    """

    event: ArmHandover | None = None
    halt: int = 0
    reason: str = ""  # of the halt, for people
    stopped_by: str = ""


@runtime_checkable
class SharesArm(Protocol):
    """An arm that finds the other consoles of this machine that name it. Any thread."""

    @property
    def shared(self) -> SharedArm | None:
        """Return who moves the arm; None if that is not known, because no other console can be reached."""
        ...

    def choose(self, choice: HandoverChoice) -> str:
        """Do what the person at this console chose. Return "" if it began, else why not.

        Whoever gets the arm finds it halted, by a number that only a person releases.
        """
        ...

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
        """Call `listener` from now on, from a thread of its own; at once if this console only watches.

        `kind` is what this console is: "window" or "terminal".
        """
