"""A dock for one panel, which another panel can cover for a while."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget

from app.widgets.panel import Panel


class PanelDock(QDockWidget):
    """A movable dock, whose handle is the panel's header."""

    resized = Signal()

    def __init__(self, name: str, panel: Panel) -> None:
        super().__init__(panel.title)
        self.setObjectName(name)
        self._panel = panel
        self._show(panel)

    def _show(self, panel: Panel) -> None:
        self.setTitleBarWidget(panel.header)
        self.setWidget(panel)

    def cover(self, panel: Panel | None) -> None:
        """Show another panel and its header in place of the dock's own; None shows its own again."""
        shown, before = panel or self._panel, self.widget()
        if shown is before:
            return
        focused = before is not None and before.isAncestorOf(self.focusWidget() or self)
        header = self.titleBarWidget()
        self._show(shown)
        for covered in (before, header):
            if covered is not None:
                covered.hide()
        shown.header.show()
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
