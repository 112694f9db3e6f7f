"""Additions of a robot's registry entry: what moves, and which tasks the conformance suite runs it on."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from core.arm.arm_capabilities import PreflightCheck
from core.belief import Atom
from core.domains import DomainSpec, Task
from core.ports import Embodiment, Robot
from core.registry import Entry, Options, Registry

if TYPE_CHECKING:  # numpy would cost each start of the program
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class ConformanceTrial:
    """A task that the conformance suite runs the robot on.

    `domain` is a domain folder, "" for the shipped ones; `task` "" is the folder's first.
    """

    task: str = ""
    domain: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


# Pictures (H x W x 3), each with whether each atom asked holds and can be seen there; None: hardly.
DrawnStates: TypeAlias = "Iterator[tuple[NDArray[np.uint8], Sequence[tuple[bool, bool | None]]]]"


@dataclass(frozen=True)
class StartFact:
    """What a robot whose world outlasts an episode tells of it before the next one.

    `words` say it to people ("the tap runs"), and `remedy` is the way out where a task begins otherwise.
    """

    atom: Atom
    holds: bool
    words: str
    remedy: str = ""


@dataclass(frozen=True)
class PreflightReport:
    """What was found at a robot before it is made. `embodiment` None: that is still not known.

    `start` is what it can tell of its world now. It is compared with a task's beginning where there is one.
    """

    embodiment: Embodiment | None = None
    checks: tuple[PreflightCheck, ...] = ()
    start: tuple[StartFact, ...] = ()


START, TABLE = "start", "table"  # the lines' names
_SHOWN = 3


def start_check(told: Iterable[StartFact], begins: Container[str], name: str = START) -> PreflightCheck:
    """Return the preflight's line on what is told otherwise than a task begins: `begins`, its true atoms."""
    unlike = [fact for fact in told if fact.holds is not (str(fact.atom) in begins)]
    remedies = dict.fromkeys(fact.remedy for fact in unlike[:_SHOWN] if fact.remedy)
    return left_over(name, [fact.words for fact in unlike], ", ".join(remedies))


def left_over(name: str, words: Sequence[str], remedy: str) -> PreflightCheck:
    """Return a line that fails if there are `words`: what an earlier episode has left, and the way out."""
    shown = ", ".join(words[:_SHOWN]) + (f", and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")
    return PreflightCheck(name, not words, shown, remedy if words else "", by_hand=False)


def show_nothing(text: str) -> None:
    """Discard what a robot says of its start."""


def simulated_embodiment(options: Options) -> Embodiment | None:
    return Embodiment.SIM


@dataclass(frozen=True)
class RobotEntry(Entry[Robot]):
    """`embodiment` returns what will move with these options, or None if that is known only once
    connected.

    `preflight` asks what is there, which may take seconds. It only listens: nothing moves, and no control is
    taken. Not on the GUI thread. Raises ConsoleError. `full_check`, for `doctor --full`, starts a simulator
    and tries everything once, which may take minutes. `draw` draws states of a task at random, those of one
    seed, to teach an eye with.
    """

    embodiment: Callable[[Options], Embodiment | None] = lambda options: None
    viewpoints: Sequence[str] = ()  # that it can look from without a step, as a forecast reckons
    trials: Sequence[ConformanceTrial] = ()
    preflight: Callable[[Options], PreflightReport] = lambda options: PreflightReport()
    full_check: Callable[[Options, Callable[[str], None]], tuple[PreflightCheck, ...]] | None = None
    draw: Callable[[DomainSpec, Task, int, Sequence[Atom]], DrawnStates] | None = None
    reports_progress: bool = False  # it may start slowly: `make` also takes `notify`, to show how far it is


class RobotRegistry(Registry[Robot]):
    """The registry of robots."""

    import_path: str

    def __init__(self, ours: Sequence[RobotEntry], import_path: str = "") -> None:
        """`import_path` ("robots.registry:ROBOTS") is where another process imports the registry from."""
        super().__init__("robot", ours, RobotEntry)
        object.__setattr__(self, "import_path", import_path)

    def __getitem__(self, name: str) -> RobotEntry:
        """Return the entry of this name. Raises UnknownName."""
        entry = super().__getitem__(name)
        assert isinstance(entry, RobotEntry)
        return entry

    def is_simulated(self, name: str, options: Mapping[str, str]) -> bool:
        """Return True if it certainly is a simulator or an emulator then. Raises UnknownName, BadValue."""
        entry = self[name]
        return entry.embodiment(entry.read_options(options)) in (Embodiment.SIM, Embodiment.EMULATED)

    def __iter__(self) -> Iterator[RobotEntry]:
        return (self[name] for name in self.names())
