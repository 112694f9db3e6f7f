"""Read-outs of an arm: modes, joints and tool, and the checks that fail."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyledItemDelegate

from app.controls.rows import Cell, RowLook, RowsModel, RowsTable
from app.controls.text_rows import TextRow, TextRows
from app.theme.states import LEVEL
from core.arm.arm_capabilities import ArmStatus, PreflightCheck

MODE = 84  # px of a mode's name
LOW = 17  # px of a joint's row
STALE = 0.1  # seconds; older data block motion
JOINTS = ("Base", "Shoulder", "Elbow", "Wrist 1", "Wrist 2", "Wrist 3")
MUCH, HOT = 0.9, 70.0  # of what a joint can, and °C of its motor: from here on it stands out
LASTING = 2.0  # seconds for which a check that failed stays in sight, so that a flicker can be read


class Modes(TextRows):
    """Robot mode, safety, program and control; an abnormal one has shape, word and colour."""

    def __init__(self) -> None:
        super().__init__("Modes of the arm", MODE)

    def show_arm(self, status: ArmStatus, checks: Sequence[PreflightCheck]) -> None:
        remote = next((c for c in checks if c.name == "remote control"), None)
        local = remote is not None and not remote.ok
        shown = {
            "Robot mode": (status.mode, "" if status.mode == "running" else "doubt"),
            "Safety mode": (status.safety, "" if status.safe else "fault"),
            "Program": (status.program or "none", "" if status.program == "playing" else "doubt"),
            "Control": ((remote.reason if local else "remote") if remote else "", "doubt" if local else ""),
        }
        if status.age > STALE:
            old = "no data" if math.isinf(status.age) else f"{status.age:.1f} s old"
            shown = dict.fromkeys(shown, ("not known", "doubt")) | {"Robot mode": (old, "fault")}
        self.show_rows([_mode(name, *value) for name, value in shown.items()])
        self.setAccessibleDescription(", ".join(f"{name} {words}" for name, (words, _) in shown.items()))


def _mode(name: str, words: str, level: str) -> TextRow:
    icon = LEVEL[level].icon if level else "check"
    return TextRow(words, name, icon, level or "ink", f"{level}_fill" if level else "muted")


@dataclass(frozen=True)
class Joint:
    name: str
    angle: float  # degrees
    load: float | None  # of what the joint can
    celsius: float | None  # of its motor
    fresh: bool


def _joint_look(one: Joint) -> RowLook:
    ink = "ink" if one.fresh else "muted"
    much, hot = (one.load or 0) >= MUCH, (one.celsius or 0) >= HOT
    load, motor = (
        Cell(words, "diamond" if bad else "", "doubt" if bad else ink, "doubt_fill", right=True)
        for words, bad in (
            ("" if one.load is None else f"{100 * one.load:.0f} %", much),
            ("" if one.celsius is None else f"{one.celsius:.0f} °C", hot),
        )
    )
    cells = (Cell(one.name, font="label"), Cell(degrees(one.angle, 1), tone=ink, right=True), load, motor)
    return RowLook(
        cells, f"{one.name} {one.angle:.1f} degrees" + (", near its maximum torque" if much else "")
    )


class JointTable(RowsTable):
    """Six joints, with torque and motor if they are reported."""

    def __init__(self) -> None:
        self._joints = RowsModel(_joint_look, ("Joint", "angle", "torque", "motor"))
        super().__init__(self._joints, "Joints", (0, 72, 72, 64))
        self.setSelectionMode(self.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(QStyledItemDelegate(self))  # its rows have no notes
        self.horizontalHeader().setFixedHeight(LOW)
        self.verticalHeader().setMinimumSectionSize(LOW)
        self.verticalHeader().setDefaultSectionSize(LOW)
        self.setFixedHeight(self.horizontalHeader().height() + len(JOINTS) * LOW + 2)

    def fit(self) -> None:
        """Leave the rows as low as they are: no word in them wraps."""

    def show_arm(self, status: ArmStatus) -> None:
        fresh, loads = status.age <= STALE, status.joint_loads
        angles = (round(math.degrees(q), 1) for q in status.joints)
        shares = (round(min(1.0, abs(v)), 2) for v in loads) if loads else repeat(None)
        motors = map(round, status.joint_temperatures) if loads else repeat(None)
        told = zip(JOINTS, angles, shares, motors, strict=False)
        self._joints.show_rows(tuple(Joint(*values, fresh) for values in told))
        self.set_widths((0, 72, *((72, 64) if loads else (-1, -1))))
        self.setAccessibleDescription(", ".join(self._joints.spoken))


class ToolRows(TextRows):
    """Where the tool is, how it is turned, and how fast it moves."""

    def __init__(self) -> None:
        super().__init__("Tool", 52)

    def show_arm(self, status: ArmStatus) -> None:
        x, y, z, *turn = status.tool
        fresh = status.age <= STALE
        speed = status.tool_speed if fresh else None
        moves = "speed not known" if speed is None else f"{speed * 1000:.0f} mm/s"
        place = f"{x * 1000:.0f}, {y * 1000:.0f}, {z * 1000:.0f} mm · {moves}".replace("-", "−")
        turned = "RX RY RZ " + ", ".join(degrees(math.degrees(v)) for v in turn)
        tone = "ink" if fresh else "muted"
        self.show_rows((TextRow(place, "Tool", tone=tone), TextRow(turned, "Rotation", tone=tone)))


def degrees(angle: float, digits: int = 0) -> str:
    """Return an angle as text, with a true minus sign, but none before zero."""
    return f"{round(angle, digits) + 0.0:.{digits}f}°".replace("-", "−")


class Checklist(TextRows):
    """The checks that fail, or did a moment ago, each with its reason and its remedy in full."""

    def __init__(self) -> None:
        super().__init__("Preflight", role="small")
        self.wrong = 0
        self._failed: dict[str, tuple[float, PreflightCheck]] = {}  # when each failed last

    def show_checks(self, checks: Sequence[PreflightCheck]) -> None:
        now = time.monotonic()
        self.wrong = sum(not c.ok for c in checks)
        self._failed |= {c.name: (now, c) for c in checks if not c.ok}
        self._failed = {name: (at, c) for name, (at, c) in self._failed.items() if now - at < LASTING}
        over = {c.name for c in checks if c.ok}
        self.show_rows([_check_row(c, c.name in over) for _, c in self._failed.values()])
        said = [f"{c.name} ready" if c.ok else c.sentence for c in checks]
        self.setAccessibleDescription("; ".join(said))
        self.setVisible(bool(self.rows))


def _check_row(check: PreflightCheck, over: bool) -> TextRow:
    if over:
        return TextRow(f"{check.name}: ready again; was: {check.reason}", "", "check", "muted")
    return TextRow(check.sentence, "", "diamond", "doubt", "doubt_fill")
