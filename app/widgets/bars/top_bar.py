"""The top bar: embodiment, settings, whether Esc arrives, and the stop button."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.controls.badge import Badge, Icon
from app.controls.button import ToolButton
from app.controls.layout import Surface, label, row, set_tone
from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.episode.budget_prompt import CostSummary
from app.presentation.formatting import link_text, progress_text, robot_text
from app.theme import icons, paint
from app.theme import tokens as t
from app.theme.states import LEVEL, WORLD
from app.widgets.bars.stop_button import StopButton
from core.config import Settings
from core.episode_state import EpisodeState
from core.ports import Embodiment

ROOM = 980  # px from which the words about Esc have theirs; its sign is always there


class TopBarField(Painted):
    """A muted read-out: a caption above a value."""

    def __init__(self, caption: str, icon: str = "", lined: bool = True) -> None:
        super().__init__()
        self._caption, self._value, self._icon, self._level, self._lined = caption, "", icon, "", lined
        self.setFixedHeight(t.H_TOP - 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_text(self, value: str, caption: str = "", level: str = "") -> None:
        caption = caption or self._caption
        if (caption, value, level) != (self._caption, self._value, self._level):
            wider = paint.width(value, "label") - paint.width(self._value, "label")
            changed = caption != self._caption or abs(wider) > 2
            self._caption, self._value, self._level = caption, value, level
            set_tooltip(self, f"{caption}: {value}")
            self.setAccessibleName(f"{caption}: {value}")
            if changed:
                self.updateGeometry()
            self.update()

    def _left(self) -> int:
        return t.L if self._lined else 0

    def sizeHint(self) -> QSize:
        value = paint.width(self._value, "label") + (18 if self._icon else 0)
        return QSize(
            round(max(paint.width(self._caption, "caption"), value)) + self._left() + t.L + 2, t.H_TOP
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 72), t.H_TOP)

    def draw(self, p: QPainter) -> None:
        x = self._left()
        if self._lined:
            paint.fill(p, 0, 14, 1, 24, "hair")
        room = self.width() - x - t.S
        paint.text(p, x, 9, room, 16, self._caption, "caption", "muted")
        if self._icon:
            icon = LEVEL[self._level].icon if self._level else self._icon
            icons.draw(p, icon, x, 27, 14, f"{self._level}_fill" if self._level else "text")
            x, room = x + 18, room - 18
        paint.text(p, x, 26, room, 16, self._value, "label", self._level or "ink")


class TopBar(Surface):
    """Never hidden and never in a dock. For REAL it draws the line along the window's upper edge."""

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self._world: Embodiment | None = None
        self.setFixedHeight(t.H_TOP)
        self.menu, self.world, self.stop = ToolButton("menu", "Menu"), Badge(), StopButton()
        self.mute = ToolButton("bell", "Mute", checkable=True)
        self._place = TopBarField("No episode", lined=False)
        self._robot, self._answerer = TopBarField("Robot"), TopBarField("Answerer")
        self._cost_summary = TopBarField("Spent")
        self._cost_summary.hide()
        self._link, self._frame = TopBarField("Link", "link"), TopBarField("Frame age", "camera")
        self._esc_icon = Icon("diamond", "doubt_fill")
        self._esc = label("", "caption", "muted")
        self._esc.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        fields = (self._place, self._robot, self._answerer, self._cost_summary, self._link, self._frame)
        left = row(self.menu, self.world, spacing=t.S)
        right = row(self._esc_icon, self._esc, self.mute, self.stop, spacing=t.S)
        bar = row(left, *fields, 1, right, spacing=0, margins=(t.M, 0, t.S - 2, 0))
        bar.insertSpacing(1, t.M)
        self.setLayout(bar)
        self.show_focus(True)
        self.show_link("not yet")
        self.show_frame("no live picture")

    def show_settings(self, settings: Settings, robot: str, world: Embodiment | None) -> None:
        """Show the set-up before the first event; `world` is None until it is known what will move."""
        self._place.show_text(settings.task, "No episode")
        self._robot.show_text(robot)
        self._answerer.show_text(settings.answerer or "…")
        self._show_world(world)

    def show_cost(self, cost: CostSummary | None) -> None:
        """Show the model's cost in this episode; None hides it."""
        self._cost_summary.setVisible(cost is not None)
        if cost is not None:
            self._cost_summary.show_text(cost.text, level=cost.level)
            set_tooltip(self._cost_summary, "\n".join(cost.lines))

    def show_link(self, words: str, level: str = "") -> None:
        self._link.show_text(words, level=level)

    def show_frame(self, words: str, level: str = "") -> None:
        """Show the age of the live frame."""
        self._frame.show_text(words, level=level)

    def show_focus(self, arrives: bool) -> None:
        """Show whether Esc reaches this window."""
        self._esc_icon.setVisible(not arrives)
        self._esc.setText(
            "Esc stops while this\nwindow has the focus"
            if arrives
            else "Esc does NOT reach\nthis window: click it"
        )
        set_tone(self._esc, "muted" if arrives else "doubt")

    def display(self, state: EpisodeState) -> None:
        self.stop.display(state)
        if state.started is None:
            return
        settings = state.started.settings
        self._place.show_text(state.started.task, progress_text(state))
        self._robot.show_text(robot_text(settings))
        self._answerer.show_text(settings.get("answerer", ""))
        if link := link_text(state):
            self.show_link(*link)
        self._show_world(Embodiment(state.embodiment))

    def _show_world(self, world: Embodiment | None) -> None:
        self._world = world
        if world is None:
            self.world.show_as("clock", "not yet", "muted")
        else:
            state, ground = WORLD[world], "real" if world is Embodiment.REAL else ""
            self.world.show_as(state.icon, state.word, state.colour, ground)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._esc.setVisible(self.width() >= ROOM)
        self.stop.fit(self.width() < t.COMPACT)

    def draw(self, p: QPainter) -> None:
        super().draw(p)
        if self._world is Embodiment.REAL:
            paint.fill(p, 0, 0, self.width(), 3, "real")
