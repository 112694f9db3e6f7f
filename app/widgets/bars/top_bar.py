"""The top bar: embodiment, settings, whether Esc arrives, and the stop button."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.controls.badge import Badge, Icon
from app.controls.button import ToolButton
from app.controls.layout import ElidedLabel, Separator, Surface, column, label, row, set_property
from app.controls.tooltip import set_tooltip
from app.episode.budget_prompt import CostSummary
from app.presentation.formatting import answerer_name, link_text, progress_text, robot_text, spaced
from app.presentation.robot_words import RobotWords
from app.theme import tokens as t
from app.theme.states import LEVEL
from app.widgets.bars.stop_button import StopButton
from core.config import Settings
from core.episode_state import EpisodeState
from core.ports import Embodiment

ROOM = 1040  # px from which the words about Esc have theirs; that it does not arrive is always said


class TopBarField(QWidget):
    """A muted read-out: a caption above a value."""

    def __init__(self, caption: str, icon: str = "") -> None:
        super().__init__()
        self._usual, self._icon_name = caption, icon
        self._caption, self._value = ElidedLabel("caption", "muted"), ElidedLabel("label", "ink")
        self._icon = Icon(icon, "text", 14)
        self._icon.setVisible(bool(icon))
        value = row(self._icon, (self._value, 1), spacing=t.XS)
        self.setLayout(column(1, self._caption, value, 1, spacing=1, margins=(t.M, 0, t.M, 0)))
        self._caption.setText(caption)

    def show_text(self, value: str, caption: str = "", level: str = "", tip: str = "") -> None:
        caption = caption or self._usual
        self._caption.setText(caption)
        self._value.say(value, level or "ink")
        icon = LEVEL[level].icon if level and self._icon_name else self._icon_name
        self._icon.show_as(icon, f"{level}_fill" if level else "text")
        set_tooltip(self, f"{caption}: {tip or value}")
        self.setAccessibleName(f"{caption}: {tip or value}")


class TopBar(Surface):
    """Never hidden and never in a dock. For REAL it draws the line along the window's upper edge."""

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self._world: Embodiment | None = None
        self.setFixedHeight(t.H_TOP)
        self.menu, self.world, self.stop = ToolButton("menu", "Menu"), Badge(), StopButton()
        self.mute = ToolButton("bell", "Mute", checkable=True)
        self._place = TopBarField("No episode")
        self._robot, self._answerer = TopBarField("Robot"), TopBarField("Answerer")
        self._robot_name = ""
        self._cost_summary = TopBarField("Spent")
        self._cost_summary.hide()
        self.link, self.frame = TopBarField("Link", "link"), TopBarField("Frame age", "camera")
        self._esc_icon = Icon("diamond", "doubt_fill")
        self._esc = label("", "caption", "muted")
        self._esc.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        fields = (self._place, self._robot, self._answerer, self._cost_summary, self.link, self.frame)
        self.demo = label("Demo", "label", "muted")  # shown while visitors may play with the window
        self.demo.hide()
        left = row(self.menu, self.world, self.demo, spacing=t.S)
        right = row(self._esc_icon, self._esc, self.mute, self.stop, spacing=t.S)
        lined = [part for field in fields[1:] for part in (Separator(vertical=True), field)]
        self.setLayout(row(left, fields[0], *lined, 1, right, spacing=0, margins=(t.M, 0, t.S - 2, 0)))
        self.show_focus(True)
        self.show_connecting(True)
        self.frame.show_text("no live picture")

    def show_connecting(self, under_way: bool) -> None:
        """Show that the robot is being connected to, or that none is after that failed."""
        words = "connecting…" if under_way else "not connected"
        self.link.show_text(words)
        if self._world is None:
            self.world.show_as("clock" if under_way else "fault", words, "muted")

    def show_settings(self, settings: Settings, robot: str, world: Embodiment | None) -> None:
        """Show the set-up before the first event; `world` is None until it is known what will move."""
        self._place.show_text(spaced(settings.task), "No episode")
        self._robot_name = robot
        self.show_robot(None)
        self._show_answerer(settings.answerer)
        self._show_world(world)

    def show_robot(self, words: RobotWords | None) -> None:
        """Show what the robot does, by its own data; None where there is none yet, or no more."""
        if words is None:
            self._robot.show_text(self._robot_name or "…")
        else:
            said = f"{words.text}. {words.remedy}".strip()
            self._robot.show_text(words.text, self._robot_name, words.level, said)

    def _show_answerer(self, name: str) -> None:
        """Show its name; of an eye, the tooltip has the version."""
        self._answerer.show_text(answerer_name(name) or "…", tip=name)

    def show_cost(self, cost: CostSummary | None) -> None:
        """Show the model's cost in this episode; None hides it."""
        self._cost_summary.setVisible(cost is not None)
        if cost is not None:
            self._cost_summary.show_text(cost.text, level=cost.level)
            set_tooltip(self._cost_summary, "\n".join(cost.lines))

    def show_focus(self, arrives: bool) -> None:
        """Show whether Esc reaches this window."""
        self._esc_icon.setVisible(not arrives)
        self._esc.setVisible(not arrives or self.width() >= ROOM)
        self._esc.say("Esc stops while this\nwindow has the focus", "muted")
        if not arrives:
            self._esc.say("Esc does NOT reach\nthis window: click it", "doubt")

    def display(self, state: EpisodeState) -> None:
        self.stop.display(state)
        if state.started is None:
            return
        settings = state.started.settings
        self._place.show_text(spaced(state.started.task), progress_text(state))
        self._robot_name = robot_text(settings)
        self._show_answerer(settings.get("answerer", ""))
        if link := link_text(state):
            words, level = link
            self.link.show_text(words, level=level)
        self._show_world(Embodiment(state.embodiment))

    def _show_world(self, world: Embodiment | None) -> None:
        self._world = world
        if world is None:
            self.show_connecting(True)
        else:
            self.world.show_world(world)
        set_property(self, "real", world is Embodiment.REAL)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._esc.setVisible(self._esc_icon.isVisibleTo(self) or self.width() >= ROOM)
        self.stop.fit(self.width() < t.COMPACT)
