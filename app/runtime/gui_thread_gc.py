"""Collects garbage on the screen's thread only.

Python collects in whatever thread allocates next. A widget in a reference cycle would then be destroyed by
the loop's thread, and the process with it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY = 500  # ms
YOUNG, MIDDLE, OLD = 2_000, 10, 20  # objects, and collections of the younger ones, until the next


class GuiThreadCollector(QObject):
    """Takes Python's place from when it is made until `close`."""

    def __init__(self) -> None:
        super().__init__()
        self._before = gc.isenabled()
        gc.disable()
        self._settled = False
        self._timer = QTimer(self, interval=EVERY)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start()

    def collect_all(self) -> None:
        """For the moment before an episode: what is left of earlier ones is freed.

        What the program consists of by the first of them, most of it modules, is not looked through again:
        that would hold the screen up for some 40 ms each time. Later parts are, so that they can be freed.
        """
        gc.collect()
        if not self._settled:
            gc.freeze()
            self._settled = True

    def collect_if_due(self) -> None:
        """Collect the youngest that have become many."""
        young, middle, old = gc.get_count()
        if middle > MIDDLE and old > OLD:
            gc.collect(2)
        elif middle > MIDDLE:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)

    def close(self) -> None:
        """Idempotent."""
        if self._timer.isActive():
            self._timer.stop()
            gc.collect()
            gc.unfreeze()
            if self._before:
                gc.enable()
