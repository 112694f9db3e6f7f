"""Hand what `main.py` knows to the commands, which find it as their context's `obj`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # what most commands do without takes a third of their start
    from core.arm.arm_capabilities import ArmByHand
    from core.arm.hand_eye import CalibrationSession
    from core.arm.table_things import TableThings
    from core.config import ComponentFactory, Settings
    from core.drafting.source import DraftSource, Paint
    from core.drafting.world import Games
    from core.loop.permit_issuer import PermitIssuer
    from core.registry import Registries

# a robot's name, its options, host, port, token file ("": the user's own), and what prints a line
Serve = Callable[[str, Mapping[str, str], str, int, str, Callable[[str], None]], None]


class OpenConsole(Protocol):
    def __call__(
        self,
        settings: Settings,
        database: Path,
        reset: bool = False,
        demo: str = "",
        draft: DraftSource | None = None,
    ) -> int:
        """Open the window; return an exit code when it is closed. Raises BadValue."""


@dataclass(frozen=True)
class Program:
    """`make` makes the components of an episode; `console` opens the window, with default preferences if its
    third argument is True, as a demo if the word that leaves it is not "", in the drafting room if a draft is
    given, and returns an exit code; `emulate_arm(address, scene, gripper)` emulates
    a UR5e until Ctrl+C; `open_calibration(camera, square, marker, arm)` connects to both, and
    `draw_board(path, ...)` makes a board to print; `tables` are the registries; `serve` serves a simulator
    to other consoles; `games` are those whose rules are known, and `paint` gives the PNG of a state of
    a world, by default its first, in a look; `open_arm(arm)` connects it, to be moved by hand;
    `look_at_table(arm)` takes a picture of its table.
    """

    make: ComponentFactory
    console: OpenConsole
    emulate_arm: Callable[[str, str, str], None]
    open_calibration: Callable[[str, float, float, str], CalibrationSession]
    draw_board: Callable[[Path, float, float], str]
    tables: Callable[[], Registries]
    serve: Serve
    games: Callable[[], Games]
    paint: Paint
    open_arm: Callable[[str], tuple[ArmByHand, PermitIssuer]]
    look_at_table: Callable[[str], TableThings]
