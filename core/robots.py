"""What a robot's entry also says: what moves, and on which tasks the conformance suite tries it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.ports import Robot, World
from core.registry import Entry, Options, Registry


@dataclass(frozen=True)
class Trial:
    """A task that the conformance suite runs the robot on.

    `domain` is a domain folder, "" for the shipped ones; `task` "" is the folder's first.
    """

    task: str = ""
    domain: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def unknown(options: Options) -> World | None:
    """Only the robot itself can say it, once it is there."""
    return None


def simulated(options: Options) -> World | None:
    return World.SIM


@dataclass(frozen=True)
class RobotEntry(Entry[Robot]):
    """`world` is what will move with these options, None where that is known only once it is connected."""

    world: Callable[[Options], World | None] = unknown
    trials: Sequence[Trial] = ()


class Robots(Registry[Robot]):
    """The table of robots."""

    where: str

    def __init__(self, ours: Sequence[RobotEntry], where: str = "") -> None:
        """`where` is its own name, "robots.registry:ROBOTS": another process finds it there."""
        super().__init__("robot", ours, RobotEntry)
        object.__setattr__(self, "where", where)

    def __getitem__(self, name: str) -> RobotEntry:
        """Raises UnknownName."""
        entry = super().__getitem__(name)
        assert isinstance(entry, RobotEntry)
        return entry

    def __iter__(self) -> Iterator[RobotEntry]:
        return (self[name] for name in self.names())
