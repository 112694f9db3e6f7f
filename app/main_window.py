"""The main window: top bar, the panels as docks, and the status line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import QByteArray, QChildEvent, QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QMainWindow, QMenu, QStatusBar, QTabBar, QWidget

from app.actions import PRESENTED, Actions
from app.controls.layout import column, wrap_layout
from app.panel_layout import PanelDock, PanelLayout
from app.panels import OURS, PANELS, make_panel
from app.theme import tokens as t
from app.widgets.arm.robot_panel import RobotPanel
from app.widgets.bars.decision_bar import DecisionBar
from app.widgets.bars.status_line import StatusLine
from app.widgets.bars.supervision_bar import SupervisionBar
from app.widgets.bars.top_bar import TopBar
from app.widgets.belief.belief_panel import BeliefPanel
from app.widgets.camera.camera_panel import CameraPanel
from app.widgets.panel import Panel
from app.widgets.plan.plan_panel import PlanPanel
from app.widgets.questions.question_panel import QuestionPanel
from app.widgets.timeline.timeline_panel import TimelinePanel

SIZE = QSize(1440, 900)
LEAST = QSize(1000, 640)


P = TypeVar("P", bound=Panel)


def _expect_type(kind: type[P], panel: Panel) -> P:
    assert isinstance(panel, kind)
    return panel


class Backdrop(QFrame):
    """Dims everything except the top bar, so that the stop button stays usable while a dialog is open."""


class MainWindow(QMainWindow):
    closing = Signal()
    key_ignored = Signal(object)  # QKeySequence that nothing took

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle("DKPROMPT Console")
        self.setMinimumSize(LEAST)
        self.resize(self._first_size())
        self.actions_ = Actions(self)
        self.top, self.decision, self.supervision = TopBar(), DecisionBar(self.actions_), SupervisionBar()
        made = {entry.name: make_panel(entry, self.actions_) for entry in PANELS}
        self.camera = _expect_type(CameraPanel, made["camera"])
        self.questions = _expect_type(QuestionPanel, made["questions"])
        self.belief = _expect_type(BeliefPanel, made["belief"])
        self.plan = _expect_type(PlanPanel, made["plan"])
        self.robot = _expect_type(RobotPanel, made["robot"])
        self.time = _expect_type(TimelinePanel, made["timeline"])
        self.others = tuple(made[name] for name in made if name not in {entry.name for entry in OURS})
        self.status = StatusLine()
        self.refuses_to_close: Callable[[], bool] = lambda: False
        self._presented: Panel | None = None  # for visitors, once they came
        self._backdrop: Backdrop | None = None
        self._overlay: QWidget | None = None
        self.setMenuWidget(wrap_layout(column(self.top, self.decision, self.supervision)))
        self._build_status_bar()
        self.docks = {name: PanelDock(name, panel) for name, panel in made.items()}
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        behind = [dock for dock in self.docks.values() if dock.widget() in self.others]
        self.layout_ = PanelLayout(self, self.docks, behind)
        self.reset_layout()
        self.menu = self.actions_.menu(self)
        self._panels_menu = QMenu("Panels", self.menu)
        for dock in self.docks.values():
            self._panels_menu.addAction(dock.toggleViewAction())
        self.menu.addMenu(self._panels_menu)
        self.top.menu.clicked.connect(self.open_menu)

    def _first_size(self) -> QSize:
        screen = QGuiApplication.primaryScreen()
        return SIZE.boundedTo(screen.availableSize()).expandedTo(LEAST) if screen else SIZE

    def _build_status_bar(self) -> None:
        bar = QStatusBar()
        bar.setSizeGripEnabled(False)
        bar.setFixedHeight(t.H_STATUS)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.addPermanentWidget(self.status, 1)
        self.setStatusBar(bar)

    @property
    def panels(self) -> Iterator[Panel]:
        ours = (self.camera, self.questions, self.belief, self.plan, self.robot, self.time)
        return iter((*ours, *self.others, *((self._presented,) if self._presented else ())))

    # --- layout ------------------------------------------------------------------------------------------

    def reset_layout(self) -> None:
        self.layout_.reset()
        self._raise_cover()

    def restore(self, geometry: QByteArray, state: QByteArray, with_arm: QByteArray) -> None:
        """Restore the saved layouts; what cannot be restored keeps its default."""
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        self.layout_.restore(state, with_arm)

    def make_room_for_robot(self) -> None:
        """Take the layout for an arm or that for other robots, each as it was left."""
        self.layout_.show_for(self.robot.arm_view is not None)
        self._raise_cover()

    def uncover_docks(self) -> None:
        """Show every dock's own panel; visitors see theirs, without headers."""
        presents = self.layout_.presents
        for name, dock in self.docks.items():
            dock.cover(self._presented if presents and name == "questions" else None, presents)

    def enter_situation(self) -> None:
        """Focus the line in which a person reports a situation."""
        self.docks["questions"].show()
        self.docks["questions"].raise_()
        self.questions.situation_line.enter()

    def present(self, on: bool) -> None:
        """Show visitors the camera, and what is asked and planned in large type, with STOP alone to press."""
        for part in (self.supervision, self.top.menu, self.top.mute):
            part.setVisible(not on)
        self.camera.picture.setEnabled(not on)  # a click would choose among candidates
        self.decision.present(on)
        self.actions_.set_blocked("visitors watch, F11 leads back" if on else "", PRESENTED)
        full, now = Qt.WindowState.WindowFullScreen, self.windowState()
        self.setWindowState(now | full if on else now & ~full)
        self.layout_.present(on)
        if on and self._presented is None:
            from app.widgets.presented_panel import PresentedPanel

            self._presented = PresentedPanel()
            self._presented.vocabulary = self.plan.vocabulary
        self.uncover_docks()

    def lock_panels(self, locked: bool) -> None:
        for dock in self.docks.values():
            dock.lock(locked)

    def focused_panel(self) -> Panel | None:
        focus = self.focusWidget()
        return next((p for p in self.panels if focus is not None and p.isAncestorOf(focus)), None)

    def childEvent(self, event: QChildEvent) -> None:
        """Name the tab bars that Qt makes for tabbed docks."""
        tabs = event.child()
        if event.type() is QEvent.Type.ChildPolished and isinstance(tabs, QTabBar):
            tabs.setAccessibleName("Tabbed panels")
            tabs.setDrawBase(False)
        super().childEvent(event)

    # --- what lies over the panels -----------------------------------------------------------------------

    def set_overlay(self, cover: QWidget | None) -> None:
        """Restrict Tab to this widget and the top bar while it covers the panels; None ends that."""
        self._overlay = cover

    def _raise_cover(self) -> None:
        """Raise the cover again, because a dock raised among its tabs would be above it."""
        for over in (self._overlay, self._backdrop):
            if over is not None:
                over.raise_()

    def _take_lost_focus(self) -> bool:
        """Take the focus from what is gone: the keys act again, and no letter goes into a field by chance."""
        first = self.focusWidget()
        lost = first is not None and not (first.isVisible() and first.isEnabled()) and self._overlay is None
        if lost:
            self.setFocus()
        return lost

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange:  # as after a dialog, while which something went
            self._take_lost_focus()

    def focusNextPrevChild(self, next: bool) -> bool:
        first = self.focusWidget()
        if self._take_lost_focus():
            return True
        while super().focusNextPrevChild(next):
            now = self.focusWidget()
            if now is None or now is first or self._is_reachable(now):
                return True
        return False

    def _is_reachable(self, widget: QWidget) -> bool:
        if isinstance(widget, QTabBar) and widget.x() < 0:
            return False  # Qt keeps tabs that are not needed beyond the window's edge
        cover = self._overlay
        seen = cover is None or cover is widget or cover.isAncestorOf(widget)
        return seen or self.top.isAncestorOf(widget)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        self.key_ignored.emit(QKeySequence(event.keyCombination()))

    def open_menu(self) -> None:
        self.menu.popup(self.top.menu.mapToGlobal(QPoint(0, self.top.menu.height())))

    # --- veil --------------------------------------------------------------------------------------------

    def show_backdrop(self, on: bool) -> None:
        if not on:
            if self._backdrop is not None:
                self._backdrop.hide()
                self._backdrop.deleteLater()
            self._backdrop = None
        elif self._backdrop is None:
            self._backdrop = Backdrop(self)
            self._backdrop.setGeometry(0, t.H_TOP, self.width(), self.height() - t.H_TOP)
            self._backdrop.show()
            self._backdrop.raise_()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._backdrop is not None:
            self._backdrop.setGeometry(0, t.H_TOP, self.width(), self.height() - t.H_TOP)
        if self.layout_.follow_width():
            self._raise_cover()
        self.layout_.keep_timeline()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.refuses_to_close():
            event.ignore()
            return
        self.closing.emit()
        event.accept()
