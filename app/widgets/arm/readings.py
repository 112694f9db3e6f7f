"""Read-outs of an arm: modes, joints and tool, and the checks that fail."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QProgressBar, QWidget

from app.controls.layout import ElidedLabel, PlainLabel, label, set_property, set_tone
from app.controls.text_rows import TextRow, TextRows
from app.theme import tokens as t
from app.theme.paint import RIGHT
from app.theme.states import LEVEL
from core.arm.arm_capabilities import ArmStatus, PreflightCheck

MODE = 84  # px of a mode's name
STALE = 0.1  # seconds; older data block motion
JOINTS = ("Base", "Shoulder", "Elbow", "Wrist 1", "Wrist 2", "Wrist 3")
HEADS = ("angle", "torque", "motor")
TOOL = ("Tool", "Rotation")
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
            old = "no data" if math.isinf(status.age) else f"last data {status.age:.1f} s old"
            shown = dict.fromkeys(shown, ("not known", "doubt")) | {"Robot mode": (old, "fault")}
        self.show_rows([_mode(name, *value) for name, value in shown.items()])
        self.setAccessibleDescription(", ".join(f"{name} {words}" for name, (words, _) in shown.items()))


def _mode(name: str, words: str, level: str) -> TextRow:
    icon = LEVEL[level].icon if level else "check"
    return TextRow(words, name, icon, level or "ink", f"{level}_fill" if level else "muted")


class JointRows(QWidget):
    """Six joints between their limits, with torque and motor if reported, then the tool's pose."""

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(t.M, t.XS, t.M, t.S)
        grid.setVerticalSpacing(2)
        grid.setHorizontalSpacing(t.XS)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(3, 1)
        self._heads = [ElidedLabel("caption", "muted", 8) for _ in HEADS]
        for at, (head, title) in enumerate(zip(self._heads, HEADS, strict=True), 2):
            head.setText(title)
            grid.addWidget(head, 0, at)
        self._bars, self._loads = [_bar(-360, 360) for _ in JOINTS], [_bar(0, 100) for _ in JOINTS]
        self._angles, self._motors = [_figure(52) for _ in JOINTS], [_figure(40) for _ in JOINTS]
        parts = zip(self._bars, self._angles, self._loads, self._motors, strict=True)
        for i, (name, line) in enumerate(zip(JOINTS, parts, strict=True), 1):
            for at, part in enumerate((label(name, "label"), *line)):
                grid.addWidget(part, i, at)
        self._tool = [_figure() for _ in TOOL]
        for i, (name, words) in enumerate(zip(TOOL, self._tool, strict=True), len(JOINTS) + 1):
            grid.addWidget(label(name, "label"), i, 0)
            grid.addWidget(words, i, 1, 1, 4)
        self.setAccessibleName("Joints and tool")

    def show_arm(self, status: ArmStatus) -> None:
        x, y, z, *turn = status.tool
        fresh = status.age <= STALE
        speed = status.tool_speed if fresh else None
        moves = "speed not known" if speed is None else f"{speed * 1000:.0f} mm/s"
        tool = (
            f"{x * 1000:.0f}, {y * 1000:.0f}, {z * 1000:.0f} mm · {moves}".replace("-", "−"),
            "RX RY RZ " + ", ".join(degrees(math.degrees(v)) for v in turn),
        )
        joints = tuple(round(math.degrees(q), 1) for q in status.joints)
        loads = tuple(round(min(1.0, abs(v)), 2) for v in status.joint_loads)
        for bar, figure, angle in zip(self._bars, self._angles, joints, strict=False):
            bar.setValue(round(angle))
            _put(figure, degrees(angle, 1), fresh)
        for part in (*self._heads[1:], *self._loads, *self._motors):
            part.setVisible(bool(loads))
        for bar, motor, load, celsius in zip(
            self._loads, self._motors, loads, status.joint_temperatures, strict=False
        ):
            bar.setValue(round(100 * load))
            set_property(bar, "level", "doubt" if load >= MUCH else "")
            _put(motor, f"{celsius:.0f} °C", fresh, celsius >= HOT)
        for figure, words in zip(self._tool, tool, strict=True):
            _put(figure, words, fresh)
        said = [f"{n} {q:.1f} degrees" for n, q in zip(JOINTS, joints, strict=True)]
        said += [f"{n} near its maximum torque" for n, v in zip(JOINTS, loads, strict=False) if v >= MUCH]
        self.setAccessibleDescription(", ".join((*said, f"tool {tool[0]}")))


def _bar(low: int, high: int) -> QProgressBar:
    bar = QProgressBar(minimum=low, maximum=high, textVisible=False)
    bar.setProperty("thin", True)
    bar.setMinimumWidth(8)
    return bar


def _figure(width: int = 0) -> PlainLabel:
    figure = label(role="label", tone="ink", wrap=not width)
    figure.setAlignment(RIGHT)
    if width:
        figure.setFixedWidth(width)
    return figure


def _put(figure: PlainLabel, words: str, fresh: bool, hot: bool = False) -> None:
    if words != figure.text():
        figure.setText(words)
    set_tone(figure, "doubt" if hot else "ink" if fresh else "muted")


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
