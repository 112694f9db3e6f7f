"""Keep settings between sessions: a TOML file that a person can read, and the window's geometry."""

from __future__ import annotations

import logging
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from PySide6.QtCore import QByteArray

from app.theme.styling import ColourMode
from core.config import Settings
from core.data_file import load_toml, read_toml, write_toml
from core.errors import BadFile, ConsoleError
from core.robots import RobotRegistry
from core.supervision import SupervisionLevel, SupervisionLevels

log = logging.getLogger(__name__)
NOT_REMEMBERED = {"robot.arm", "robot.start"}  # which arm is moved, and where things were at first
LAYOUT_VERSION = 1  # raised when the docks are others: an older state is not restored
FILE_COMMENT = "Preferences of the console. Delete this file, or start with --reset, to reset them."


@pydantic_dataclass(frozen=True, config=ConfigDict(extra="ignore", strict=True, allow_inf_nan=False))
class _Remembered:
    """The file. What only a newer version knows is passed over, and the rest stays remembered."""

    colours: ColourMode = ColourMode.SYSTEM
    muted: bool = False
    locked: bool = False
    sounds: list[Literal["waits", "doubt", "fault"]] = field(default_factory=list)
    layouts: dict[str, str] = field(default_factory=dict)
    supervision: dict[
        Literal["ask", "believe", "replan", "move"], Literal["WATCH", "ASSIST", "APPROVE", "MANUAL"]
    ] = Field(default_factory=dict, alias="dials")
    setup: dict[str, str | int | float | bool | dict[str, str]] = field(default_factory=dict)
    draft: dict[str, str] = field(default_factory=dict)


@dataclass
class Preferences:
    """`folder` holds `console.toml` and `window.toml`. A broken file is reported in the log and ignored.

    Not QSettings, which waits for another program's lock, and the screen with it.
    """

    folder: Path
    mode: ColourMode = ColourMode.SYSTEM
    muted: bool = False
    locked: bool = False
    sounds: frozenset[str] = frozenset()  # of "waits", "doubt" and "fault"
    layouts: dict[str, str] = field(default_factory=dict)  # of the panels, by name: their state in base 64
    supervision: SupervisionLevels | None = None  # None: nobody has ever started an episode here
    setup: dict[str, str | int | float | bool] = field(default_factory=dict)  # of the set-up dialog
    options: dict[str, str] = field(default_factory=dict)  # the same, the parts' own
    draft: dict[str, str] = field(default_factory=dict)  # what the drafting room was left with
    is_kept: bool = True  # False: nothing is written, as in a demo

    @property
    def file(self) -> Path:
        return self.folder / "console.toml"

    @property
    def window_file(self) -> Path:
        return self.folder / "window.toml"

    @staticmethod
    def load(folder: Path) -> Preferences:
        preferences = Preferences(folder)
        try:
            read = load_toml(preferences.file, _Remembered) if preferences.file.exists() else _Remembered()
        except (BadFile, OSError) as error:
            log.warning("What was remembered is not used: %s", error)
            return preferences
        levels = {name: SupervisionLevel[level] for name, level in read.supervision.items()}
        preferences.mode, preferences.muted, preferences.locked = read.colours, read.muted, read.locked
        preferences.sounds, preferences.layouts = frozenset(read.sounds), read.layouts
        preferences.supervision = SupervisionLevels(**levels) if levels else None
        preferences.setup = {k: v for k, v in read.setup.items() if not isinstance(v, dict)}
        options = read.setup.get("options")
        preferences.options = options if isinstance(options, dict) else {}
        preferences.draft = read.draft
        return preferences

    def save(self) -> None:
        if not self.is_kept:
            return
        levels = asdict(self.supervision) if self.supervision is not None else {}
        data = {
            "colours": self.mode.value,
            "muted": self.muted,
            "locked": self.locked,
            "sounds": sorted(self.sounds),
            "layouts": self.layouts,
            "dials": {name: level.name for name, level in levels.items()},
            "draft": self.draft,
            "setup": {**dict(sorted(self.setup.items())), "options": dict(sorted(self.options.items()))},
        }
        try:
            write_toml(self.file, data, FILE_COMMENT)
        except BadFile as error:
            log.warning("%s", error)

    def reset(self) -> None:
        """Delete all preferences (`--reset`)."""
        for file in (self.file, self.window_file):
            file.unlink(missing_ok=True)

    def settings(self, given: Settings, robots: RobotRegistry) -> Settings:
        """Return the last settings if they are still valid, else `given`.

        A robot that may be a real one is not among them, nor are its options: a person names it anew.
        """
        known = {f.name for f in fields(Settings)}
        if given.robot and given.robot != self.setup.get("robot"):  # named now, with a task of its own
            return given
        try:
            chosen: dict[str, Any] = {k: v for k, v in self.setup.items() if k in known}
            if given.live_video:  # asked for now; else as the set-up's box was left
                chosen["live_video"] = True
            options = {k: v for k, v in self.options.items() if k not in NOT_REMEMBERED}
            chosen["options"] = {**options, **given.options}
            last = Settings(**chosen) if self.setup else given
            if last.robot and not robots.is_simulated(last.robot, last.options_for("robot")):
                others = {k: v for k, v in last.options.items() if not k.startswith("robot.")}
                last = replace(last, robot=given.robot, options={**others, **given.options})
            return last
        except (ConsoleError, TypeError) as error:
            log.warning("the last set-up is not used: %s", error)
            return given

    def store_settings(self, settings: Settings) -> None:
        chosen = {f.name: getattr(settings, f.name) for f in fields(Settings)}
        self.setup = {k: v for k, v in chosen.items() if isinstance(v, str | int | float)}  # TOML has no null
        self.options = {k: v for k, v in settings.options.items() if k not in NOT_REMEMBERED}

    # --- the window --------------------------------------------------------------------------------------

    def geometry(self) -> tuple[QByteArray, QByteArray, QByteArray]:
        """Return geometry, state of the docks, and their state with an arm; empty where none was saved."""
        try:
            if self.window_file.exists():
                values = read_toml(self.window_file)
                if values.get("layout") == LAYOUT_VERSION:
                    with_arm = values.get("state_with_arm", "")
                    return _decoded(values["geometry"]), _decoded(values["state"]), _decoded(with_arm)
        except (ConsoleError, OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s is not read: %s", self.window_file, error)
        return QByteArray(), QByteArray(), QByteArray()

    def save_geometry(self, geometry: QByteArray, state: QByteArray, with_arm: QByteArray) -> None:
        if not self.is_kept:
            return
        values = (("geometry", geometry), ("state", state), ("state_with_arm", with_arm))
        encoded = {name: b64encode(value.data()).decode() for name, value in values}
        try:
            write_toml(self.window_file, {"layout": LAYOUT_VERSION, **encoded})
        except ConsoleError as error:
            log.warning("%s", error)


def _decoded(value: str) -> QByteArray:
    return QByteArray(b64decode(value, validate=True))
