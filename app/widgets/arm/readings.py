"""Read-outs of an arm: modes, joints and tool."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.controls.painted import Painted
from app.theme import icons, paint
from app.theme import tokens as t
from core.arm.arm_capabilities import ArmStatus, PreflightCheck

STALE = 0.1  # seconds; older data block motion
JOINTS = ("Base", "Shoulder", "Elbow", "Wrist 1", "Wrist 2", "Wrist 3")
ROW = 26
_TILE = 46
NAMES = 158  # px from the edge of a check to its words
_FOUR = 620  # px from which the four tiles stand in one row


class StatusTiles(Painted):
    """Robot mode, safety, program and control; abnormal values have shape, word and colour."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._tiles: tuple[tuple[str, str, str], ...] = ()
        self._fit()
        self.setAccessibleName("Modes of the arm")

    def show_arm(self, status: ArmStatus, checks: tuple[PreflightCheck, ...]) -> None:
        fresh = status.age <= STALE
        remote = next((c for c in checks if c.name == "remote control"), None)
        local = remote is not None and not remote.ok
        tiles: tuple[tuple[str, str, str], ...] = (
            ("Robot mode", status.mode, "" if status.mode == "running" else "doubt"),
            ("Safety mode", status.safety, "" if status.safe else "fault"),
            ("Program", status.program or "none", "" if status.program == "playing" else "doubt"),
            ("Control", (remote.reason if local else "remote") if remote else "", "doubt" if local else ""),
        )
        if not fresh:
            old = "no data" if math.isinf(status.age) else f"last data {status.age:.1f} s old"
            tiles = (("Robot mode", old, "fault"), *((n, "not known", "doubt") for n, _, _ in tiles[1:]))
        if tiles != self._tiles:
            self._tiles = tiles
            self.setAccessibleDescription(", ".join(f"{n} {v}" for n, v, _ in tiles))
            self.update()

    @property
    def _across(self) -> int:
        return 4 if self.width() >= _FOUR else 2

    def _fit(self) -> None:
        rows = 4 // self._across
        self.setFixedHeight(rows * _TILE + (rows + 1) * t.S)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def draw(self, p: QPainter) -> None:
        n = self._across
        wide = (self.width() - 2 * t.M - (n - 1) * t.S) / n
        for i, (name, words, level) in enumerate(self._tiles):
            x, y = t.M + i % n * (wide + t.S), t.S + i // n * (_TILE + t.S)
            ground, edge = (f"{level}_soft", f"{level}_fill") if level else ("sunken", "hair")
            paint.box(p, x, y, wide, _TILE, ground, edge)
            paint.text(p, x + t.S, y + 5, wide - 2 * t.S, 16, name, "caption", "muted")
            at = x + t.S
            if level:
                icons.draw(p, "fault" if level == "fault" else "diamond", at, y + 24, 13, f"{level}_fill")
                at += 18
            ink, room = level or "ink", x + wide - at - t.XS
            role = "label" if paint.width(words, "label") <= room else "caption"
            paint.text(p, at, y + 22, room, 18, words, role, ink)


@dataclass(frozen=True)
class _Columns:
    """The column widths of a joint's row in px; the bar takes the rest. `loads` is torque and
    motor together.
    """

    name: float
    angle: float
    loads: float
    load: float  # the torque's bar
    motor: float


_ROOMY = _Columns(name=74, angle=72, loads=122, load=44, motor=50)
_SNUG = _Columns(name=62, angle=56, loads=82, load=24, motor=42)
_ROOM, _SCALE = 380, 130  # px of the panel, and of a bar, from which on it is roomy, or has its scale

MUCH, HOT = 0.9, 70.0  # of what a joint can, and °C of its motor: from here on it stands out


class JointRows(Painted):
    """Six joints between their limits, with torque and motor if reported, then the tool's pose."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._joints: tuple[float, ...] = ()
        self._tool: tuple[str, ...] = ()
        self._loads: tuple[float, ...] = ()
        self._celsius: tuple[int, ...] = ()
        self._fresh = False
        self.setFixedHeight(22 + 9 * ROW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Joints and tool")

    def show_arm(self, status: ArmStatus) -> None:
        x, y, z, *turn = status.tool
        fresh = status.age <= STALE
        speed = status.tool_speed if fresh else None
        tool = (
            "not known" if speed is None else f"{speed * 1000:.0f} mm/s",
            f"{x * 1000:.0f}, {y * 1000:.0f}, {z * 1000:.0f} mm".replace("-", "−"),
            "RX RY RZ " + ", ".join(degrees(math.degrees(v)) for v in turn),
        )
        joints = tuple(round(math.degrees(q), 1) for q in status.joints)
        loads = tuple(round(min(1.0, abs(v)), 2) for v in status.joint_loads)
        now = (joints, tool, loads, tuple(round(v) for v in status.joint_temperatures), fresh)
        if now != (self._joints, self._tool, self._loads, self._celsius, self._fresh):
            self._joints, self._tool, self._loads, self._celsius, self._fresh = now
            said = [f"{n} {q:.1f} degrees" for n, q in zip(JOINTS, joints, strict=True)]
            said += [f"{n} near its maximum torque" for n, v in zip(JOINTS, loads, strict=False) if v >= MUCH]
            self.setAccessibleDescription(", ".join((*said, f"tool {tool[1]} at {tool[0]}")))
            self.update()

    def draw(self, p: QPainter) -> None:
        w = self.width()
        c = _ROOMY if w >= _ROOM else _SNUG
        left, right = t.M + c.name, w - t.M - c.angle - (c.loads if self._loads else 0.0)
        self._heads(p, c, left, right)
        y = 22.0
        for i, (name, angle) in enumerate(zip(JOINTS, self._joints, strict=False)):
            self._row(p, y, name, angle, left, right, c.angle)
            if self._loads:
                self._paint_load(p, y, i, c)
            y += ROW
        for name, words in zip(("Tool speed", "Tool", "Orientation"), self._tool, strict=False):
            paint.fill(p, t.M, y, w - 2 * t.M, 1, "hair")
            paint.text(p, t.M, y, 80, ROW, name, "label", "text")
            ink = "ink" if self._fresh else "muted"
            paint.text(p, left, y, w - left - t.M, ROW, words, "label", ink, paint.RIGHT)
            y += ROW

    def _heads(self, p: QPainter, c: _Columns, left: float, right: float) -> None:
        ends = [(right + c.angle, "angle")]
        if self._loads:
            ends += [(self.width() - t.M - c.motor, "torque"), (self.width() - t.M, "motor")]
        for end, words in ends:
            paint.text(p, end - 60, 3, 60, 16, words, "caption", "muted", paint.RIGHT)
        if right - left < _SCALE:
            return
        for at, words, align in (
            (left, "−360°", paint.LEFT),
            ((left + right) / 2 - 20, "0", paint.CENTRE),
            (right - 40, "360°", paint.RIGHT),
        ):
            paint.text(p, at, 3, 40, 16, words, "caption", "muted", align)

    def _row(
        self, p: QPainter, y: float, name: str, angle: float, left: float, right: float, wide: float
    ) -> None:
        middle, ink = y + ROW / 2, "ink" if self._fresh else "muted"
        paint.fill(p, t.M, y, self.width() - 2 * t.M, 1, "hair")
        paint.text(p, t.M, y, 80, ROW, name, "label", "text")
        paint.box(p, left, middle - 2, right - left, 4, "raised", None, 2)
        zero, at = (left + right) / 2, left + (right - left) * min(1.0, max(0.0, (angle + 360) / 720))
        paint.fill(p, min(zero, at), middle - 1.5, abs(at - zero), 3, "muted")
        paint.fill(p, zero, middle - 5, 1, 10, "edge")
        icons.draw(p, "disc", at - 7, middle - 7, 14, ink)
        words = degrees(angle, 1)
        paint.text(p, right + 8, y, wide - 8, ROW, words, "label", ink, paint.RIGHT)

    def _load_fraction(self, i: int) -> bool:
        return i < len(self._loads) and (self._loads[i] >= MUCH or self._celsius[i] >= HOT)

    def _paint_load(self, p: QPainter, y: float, i: int, c: _Columns) -> None:
        """Paint the torque as a fraction of the joint's maximum, and the motor's temperature."""
        load, celsius, right = self._loads[i], self._celsius[i], self.width() - t.M
        x = right - c.motor - c.load
        much, hot = load >= MUCH, celsius >= HOT
        paint.box(p, x, y + ROW / 2 - 2, c.load, 4, "raised", None, 2)
        ink = "doubt_fill" if much else "muted"
        paint.box(p, x, y + ROW / 2 - 2, max(2.0, c.load * load), 4, ink, None, 2)
        if self._load_fraction(i):
            icons.draw(p, "diamond", x - 14, y + ROW / 2 - 6, 12, "doubt_fill")
        ink = "doubt" if hot else "ink" if self._fresh else "muted"
        paint.text(p, right - c.motor, y, c.motor, ROW, f"{celsius} °C", "label", ink, paint.RIGHT)


def degrees(angle: float, digits: int = 0) -> str:
    """Return an angle as text, with a true minus sign, but none before zero."""
    return f"{round(angle, digits) + 0.0:.{digits}f}°".replace("-", "−")


class Checklist(Painted):
    """One line for each check; a failed one shows its reason and its remedy in full."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._checks: tuple[PreflightCheck, ...] = ()
        self.setAccessibleName("Preflight")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_checks(self, checks: tuple[PreflightCheck, ...]) -> None:
        checks = tuple(sorted(checks, key=lambda c: c.ok))  # what is in the way is above the fold
        if checks != self._checks:
            self._checks = checks
            said = [f"{c.name} {'ready' if c.ok else f'{c.reason}. {c.remedy}'}" for c in checks]
            self.setAccessibleDescription(", ".join(said))
            self._fit()
            self.update()

    @property
    def wrong(self) -> int:
        return sum(not c.ok for c in self._checks)

    def _lines(self, c: PreflightCheck) -> list[str]:
        words = "ready" if c.ok else ": ".join(w for w in (c.reason, c.remedy) if w)
        return paint.lines(words, "small", self.width() - 2 * t.M - NAMES, 6)

    def _row_height(self, c: PreflightCheck) -> int:
        return 8 + 16 * max(1, len(self._lines(c)))

    def _fit(self) -> None:
        self.setFixedHeight(sum(map(self._row_height, self._checks)) + t.S)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def draw(self, p: QPainter) -> None:
        w, y = self.width(), 4.0
        for c in self._checks:
            high = self._row_height(c)
            if not c.ok:
                paint.fill(p, 0, y, w, high, "doubt_soft")
            icon, ink = ("check", "muted") if c.ok else ("diamond", "doubt_fill")
            icons.draw(p, icon, t.M, y + 5, 14, ink)
            paint.text(p, t.M + 24, y + 4, NAMES - 28, 16, c.name, "label", "ink")
            for i, words in enumerate(self._lines(c)):
                tone = "muted" if c.ok else "doubt"
                paint.text(p, t.M + NAMES, y + 4 + 16 * i, w - t.M - NAMES, 16, words, "small", tone)
            paint.fill(p, t.M, y + high - 1, w - 2 * t.M, 1, "hair")
            y += high
