"""Place the panels: the default layouts, the two that a person leaves, and the timeline's height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from app.theme import tokens as t
from app.widgets.panel import Panel

# px of each panel of the upper row, from the left
WIDTHS = {"camera": 440, "questions": 344, "belief": 348, "plan": 308}
NARROW = {"camera": 352, "questions": 314, "belief": 328, "plan": 286}
ARM = {"camera": 400, "questions": 360, "plan": 290, "robot": 380}  # the belief below the questions
DEFAULTS = tuple(tuple(widths) for widths in (WIDTHS, ARM))  # their columns
SHARES = {"camera": 0.9, "questions": 0.1}  # of what is spare: at 1920 px the camera has 45 %
BESIDE = 1440  # px of the window from which an arm's panel is beside the plan
PRESENTED = {"camera": 50, "questions": 50}  # percent of the width, for visitors
QUESTIONS_SHARE = 0.57  # of the height, above the belief
TIMELINE, SEPARATOR = 161, 4


def held(button: Qt.MouseButton) -> bool:
    return bool(QGuiApplication.mouseButtons() & button)


class PanelLayout:
    """Lays out a window's docks: one layout for an arm, one for others. `behind`: those of plug-ins."""

    def __init__(
        self, window: QMainWindow, docks: Mapping[str, PanelDock], behind: Sequence[PanelDock]
    ) -> None:
        self._window, self._docks, self._behind = window, docks, behind
        self._has_arm = False
        self._other = QByteArray()  # with an arm, the layout without one, and the other way round
        self._sized = QSize()  # of the window when the docks were laid out last
        self._follows_width = False  # until a person drags a border
        self._timeline_height: int | None = None  # as the person left it; None: as the next layout has it
        self._columns: tuple[str, ...] = ()  # of the default layout; none if it is a person's
        self._hidden = frozenset[str]()  # docks that the default layout leaves closed
        self._before: QByteArray | None = None  # the state to go back to, while presenting
        docks["timeline"].resized.connect(self._timeline_resized)
        for dock in docks.values():
            dock.topLevelChanged.connect(self._moved)
            dock.resized.connect(self._resized)

    def reset(self) -> None:
        """Restore the default layout: camera, questions, belief, plan; the timeline below.

        An arm's panel is beside the plan where there is room. Elsewhere the robot's panel is a tab behind
        the plan, closed unless it is an arm's; so are the panels of plug-ins.
        """
        window, docks = self._window, self._docks
        for dock in docks.values():
            if window.dockWidgetArea(dock) is not Qt.DockWidgetArea.NoDockWidgetArea:
                dock.setFloating(False)
                window.removeDockWidget(dock)
        widths = self._widths()
        row = [docks[name] for name in widths]
        window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, row[0])
        for left, right in pairwise(row):
            window.splitDockWidget(left, right, Qt.Orientation.Horizontal)
        if "belief" not in widths:
            window.splitDockWidget(docks["questions"], docks["belief"], Qt.Orientation.Vertical)
        window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, docks["timeline"])
        if "robot" not in widths:
            window.tabifyDockWidget(docks["plan"], docks["robot"])
        for name, dock in docks.items():
            dock.setVisible(name != "robot" or self._has_arm)
        for dock in self._behind:
            window.tabifyDockWidget(docks["robot"], dock)
        docks["robot" if "robot" in widths else "plan"].raise_()
        self._set_sizes()
        self._columns, self._hidden = tuple(widths), self._hidden_docks()

    def follow_width(self) -> bool:
        """Change to the default layout of another width, unless a person has moved or closed a panel.

        Return True if it was changed. What is spare goes mostly to the camera, unless a person has dragged a
        border.
        """
        changed = self._is_ours and self._columns != tuple(self._widths())
        if changed:
            self.reset()
        elif self._is_ours and self._follows_width:
            self._set_widths()
        return changed

    def _resized(self) -> None:
        """Leave the widths to a person who drags a border: all else comes without the mouse."""
        if self._window.size() == self._sized and held(Qt.MouseButton.LeftButton):
            self._follows_width = False

    @property
    def _is_ours(self) -> bool:
        """Return True for a default layout in which a person has moved and closed nothing."""
        return bool(self._columns) and self._hidden == self._hidden_docks()

    def _moved(self) -> None:
        self._columns = ()

    def _hidden_docks(self) -> frozenset[str]:
        return frozenset(name for name, dock in self._docks.items() if dock.isHidden())

    def _widths(self) -> dict[str, int]:
        if self._has_arm and self._window.width() >= BESIDE:
            return ARM
        return NARROW if self._window.width() < t.COMPACT else WIDTHS

    def _set_widths(self) -> list[PanelDock]:
        """Give the docks of the row their widths; return them."""
        window, widths = self._window, self._widths()
        row = [self._docks[name] for name in widths]
        spare = max(0, window.width() - sum(widths.values()) - 9)
        wanted = [round(width + spare * SHARES.get(name, 0)) for name, width in widths.items()]
        window.resizeDocks(row, wanted, Qt.Orientation.Horizontal)
        self._follows_width = True
        return row

    def _set_sizes(self) -> None:
        window, docks, widths = self._window, self._docks, self._widths()
        row = self._set_widths()
        bars = t.H_TOP + t.H_DECISION + t.H_SUPERVISION + t.H_STATUS
        rest = window.height() - bars - TIMELINE - SEPARATOR
        window.resizeDocks([row[0], docks["timeline"]], [rest, TIMELINE], Qt.Orientation.Vertical)
        if "belief" not in widths:
            questions = round(rest * QUESTIONS_SHARE)
            pair = [docks["questions"], docks["belief"]]
            window.resizeDocks(pair, [questions, rest - questions], Qt.Orientation.Vertical)
        self._timeline_height = TIMELINE

    # --- what a person leaves ----------------------------------------------------------------------------

    @property
    def states(self) -> tuple[QByteArray, QByteArray]:
        """Return the state of the docks without an arm, and with one; empty if there was none yet."""
        now, other = self.save(), self._other
        return (other, now) if self._has_arm else (now, other)

    def restore(self, state: QByteArray, with_arm: QByteArray) -> None:
        """Restore a saved state; keep that with an arm until there is one."""
        self._other = with_arm
        if not self._restore(state):
            self._set_sizes()

    def show_for(self, arm: bool) -> None:
        """Show the layout for an arm or for other robots, as it was left, or else the default one."""
        if arm is self._has_arm:
            return
        other, self._other, self._has_arm = self._other, self.save(), arm
        if not self._restore(other):
            self.reset()

    @property
    def presents(self) -> bool:
        return self._before is not None

    def present(self, on: bool) -> None:
        """Show camera and questions alone, each at half the width; or again what was there."""
        if not on and self._before is not None:
            before, self._before, height = self._before, None, self._timeline_height
            self._restore(before)
            self._timeline_height = height  # the window may be another size than it was
            self.keep_timeline()
        elif on and self._before is None:
            self._before = self.save()
            for name, dock in self._docks.items():
                dock.setVisible(name in PRESENTED)
            wide = [round(self._window.width() * share / 100) for share in PRESENTED.values()]
            shown = [self._docks[name] for name in PRESENTED]
            self._window.resizeDocks(shown, wide, Qt.Orientation.Horizontal)

    def take(self, state: QByteArray) -> None:
        """Lay the docks out as they were when this was saved."""
        if not self._restore(state):
            self.reset()

    def save(self) -> QByteArray:
        """Return the state of the docks; its version says which default layout it is, 0 if a person's."""
        if self._before is not None:
            return self._before
        return self._window.saveState(1 + DEFAULTS.index(self._columns) if self._is_ours else 0)

    def _restore(self, state: QByteArray) -> bool:
        """Return False if there is nothing to restore. A default layout follows the width again."""
        for version, columns in enumerate(((), *DEFAULTS)):
            if self._window.restoreState(state, version):
                self._timeline_height, self._columns, self._hidden = None, columns, self._hidden_docks()
                return True
        return False

    # --- the timeline ------------------------------------------------------------------------------------

    def _timeline_resized(self) -> None:
        """Keep the height that a person gave the timeline: all else comes without the mouse."""
        if self._window.size() == self._sized and held(Qt.MouseButton.LeftButton):
            self._timeline_height = self._docks["timeline"].height()

    def keep_timeline(self) -> None:
        """Leave what a new size of the window adds to the panels above the timeline."""
        dock, self._sized = self._docks["timeline"], self._window.size()
        if dock.isHidden() or dock.isFloating():
            return
        if self._timeline_height is None:
            self._timeline_height = dock.height()
            return
        above = [d for d in self._docks.values() if d is not dock and not (d.isHidden() or d.isFloating())]
        if above and dock.height() != self._timeline_height:
            highest = max(above, key=lambda d: d.height())
            rest = highest.height() + dock.height() - self._timeline_height
            pair, heights = [highest, dock], [rest, self._timeline_height]
            self._window.resizeDocks(pair, heights, Qt.Orientation.Vertical)


class PanelDock(QDockWidget):
    """A movable dock, whose handle is the panel's header."""

    resized = Signal()

    def __init__(self, name: str, panel: Panel) -> None:
        super().__init__(panel.title)
        self.setObjectName(name)
        self._panel, self._no_header = panel, QWidget(self)
        self.setTitleBarWidget(panel.header)
        self.setWidget(panel)

    def cover(self, panel: Panel | None, bare: bool = False) -> None:
        """Show another panel in place of the dock's own, None its own; `bare`: without its header."""
        shown, before, header = panel or self._panel, self.widget(), self.titleBarWidget()
        wanted = self._no_header if bare else shown.header
        if (shown, wanted) == (before, header):
            return
        focused = before is not None and before.isAncestorOf(self.focusWidget() or self)
        self.setTitleBarWidget(wanted)
        self.setWidget(shown)
        for covered in {before, header} - {shown, wanted, None}:
            covered.hide()
        wanted.show()
        shown.show()
        if focused:
            self.window().setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def lock(self, locked: bool) -> None:
        features = QDockWidget.DockWidgetFeature
        free = features.DockWidgetMovable | features.DockWidgetFloatable | features.DockWidgetClosable
        self.setFeatures(features.NoDockWidgetFeatures if locked else free)
