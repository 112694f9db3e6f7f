"""Run Python's garbage collector on the GUI thread only, and return the memory of freed pictures.

Python collects in whichever thread allocates next. The loop's thread would then destroy a widget in a
reference cycle, and crash the process.
"""

from __future__ import annotations

import ctypes
import gc
import sys

from PySide6.QtCore import QObject, QTimer

from app.runtime.background_task import computing

COLLECT_INTERVAL = 500  # ms
YOUNG, MIDDLE, OLD = 2_000, 10, 20  # objects, and collections of the younger ones, until the next
MANY = 5_000  # young objects beside a computation: it keeps them, as that of a large draft does


class GuiThreadCollector(QObject):
    """Replaces Python's automatic collection until `close`."""

    def __init__(self) -> None:
        super().__init__()
        self._before = gc.isenabled()
        gc.disable()
        gc.freeze()  # the modules so far, which the first collection would take some 40 ms to traverse
        self._settled = False
        self._timer = QTimer(self, interval=COLLECT_INTERVAL)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start()

    def collect_all(self) -> None:
        """Free what is left of earlier episodes, before a new one begins.

        The first call freezes what has come by then, the window and more modules, so that later calls do not
        traverse it.
        """
        gc.collect()
        if not self._settled:
            gc.freeze()
            self._settled = True

    def collect_if_due(self) -> None:
        """Collect the youngest generation that has exceeded its threshold.

        What a computation keeps would take a second to traverse: it is set aside, and freed by its counts.
        """
        young, middle, old = gc.get_count()
        if young > MANY and computing():
            gc.freeze()
        elif middle > MIDDLE and old > OLD:
            gc.collect(2)
        elif middle > MIDDLE:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)

    def close(self) -> None:
        """Restore Python's automatic collection. Idempotent."""
        if self._timer.isActive():
            self._timer.stop()
            gc.collect()
            if self._before:
                gc.enable()


LARGE = 256 << 10  # bytes; a picture of 256 x 256 has less, one of a live camera more
_M_MMAP_THRESHOLD = -3  # glibc's malloc.h


def set_mmap_threshold() -> bool:
    """Allocate large blocks in pages of their own, which are returned to the system when freed.

    glibc raises its threshold to the largest block ever freed, up to 32 MiB. Pictures then lie between small
    blocks in the heaps of several threads, and the holes that they leave are kept: an episode on an arm cost
    some 10 MiB for good. Return False if this had no effect, as without glibc.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE))
    except (OSError, AttributeError):  # another C library
        return False
