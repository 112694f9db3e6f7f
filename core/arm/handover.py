"""One arm and several consoles: the first moves it, and the others watch, until its person gives it up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Protocol, runtime_checkable

from core.events import ArmHandover


@dataclass(frozen=True)
class ArmConsole:
    """A console at an arm, and the name of the socket at which it listens. `started` is Unix time."""

    operator: str
    kind: str  # "window" or "terminal"
    host: str
    pid: int
    started: float
    seat: str = ""

    def __str__(self) -> str:
        return f"{self.operator} ({self.kind} {self.pid})"

    @property
    def since(self) -> str:
        """Return where and since when it has been there, for people."""
        return f"on {self.host} since {datetime.fromtimestamp(self.started):%H:%M}"


class HandoverChoice(Enum):
    """What the person at a console can do about who moves the arm."""

    ASK = "Ask for it"
    GIVE = "Give it up"
    TAKE = "Hold to take it"


@dataclass(frozen=True)
class SharedArm:
    """Who moves an arm, as one of its consoles knows it.

    `mover` is None if that is not known; with `free` it is the one that ended without giving the arm up.
    """

    mover: ArmConsole | None
    moves: bool  # this console is the mover
    free: bool = False  # no console moves the arm
    asker: str = ""  # who asked this console for the arm, or this console once it has asked; for a while
    still: bool = True  # the arm is seen to stand, and nothing here moves it
    busy: bool = False  # the arm is being given up

    @property
    def state(self) -> str:
        """Return who moves the arm, as a clause for people."""
        if self.busy:
            return "The arm is being given up"
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
        if self.moves and not self.busy:
            when = "" if self.still else ", to be given up at standstill"
            return f"{self.asker} asks for the arm{when}." if self.asker else ""
        asked = self.asker and not self.moves and not self.free
        return f"{self.state}. You have asked for it." if asked else f"{self.state}."

    @property
    def choices(self) -> tuple[HandoverChoice, ...]:
        """Return what can be chosen now; GIVE and TAKE only while the arm stands still."""
        if self.busy:
            return ()
        if self.moves:
            return (HandoverChoice.GIVE,) if self.asker and self.still else ()
        if self.free:
            return (HandoverChoice.TAKE,) if self.still else ()
        return () if self.asker or self.mover is None else (HandoverChoice.ASK,)


@dataclass(frozen=True)
class HandoverNews:
    """What another console, the arm or its guard caused here. `halt` is the number of the stop that came
    with it, 0 for none.

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

    def choose(self, choice: HandoverChoice) -> str:
        """Do what the person at this console chose. Return "" if it began, else why not.

        Whoever gets the arm finds it halted, by a number that only a person releases.
        """

    def attend(self, kind: str, listener: Callable[[HandoverNews], None]) -> None:
        """Call `listener` from now on, from a thread of its own; at once if this console only watches.

        `kind` is what this console is: "window" or "terminal".
        """
