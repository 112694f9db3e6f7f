"""What a robot's entry also says: what moves, and on which tasks the conformance suite tries it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.ports import Embodiment, Robot
from core.registry import Entry, Options, Registry


@dataclass(frozen=True)
class ConformanceTrial:
    """A task that the conformance suite runs the robot on.

    `domain` is a domain folder, "" for the shipped ones; `task` "" is the folder's first.
    """

    task: str = ""
    domain: str = ""
    options: Mapping[str, str] = field(default_factory=dict)


def unknown_embodiment(options: Options) -> Embodiment | None:
    """Only the robot itself can say it, once it is there."""
    return None


def simulated_embodiment(options: Options) -> Embodiment | None:
    return Embodiment.SIM


@dataclass(frozen=True)
class RobotEntry(Entry[Robot]):
    """`embodiment` is what will move with these options, None where that is known only once it is
    connected.
    """

    embodiment: Callable[[Options], Embodiment | None] = unknown_embodiment
    trials: Sequence[ConformanceTrial] = ()


class RobotRegistry(Registry[Robot]):
    """The table of robots."""

    import_path: str

    def __init__(self, ours: Sequence[RobotEntry], import_path: str = "") -> None:
        """`import_path` names the table itself, "robots.registry:ROBOTS", so that another process can
        import it.
        """
        super().__init__("robot", ours, RobotEntry)
        object.__setattr__(self, "import_path", import_path)

    def __getitem__(self, name: str) -> RobotEntry:
        """Raises UnknownName."""
        entry = super().__getitem__(name)
        assert isinstance(entry, RobotEntry)
        return entry

    def __iter__(self) -> Iterator[RobotEntry]:
        return (self[name] for name in self.names())
