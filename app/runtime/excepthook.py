"""On an uncaught exception in any thread, halt the robot and show one sentence."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from core.errors import ConsoleError

log = logging.getLogger(__name__)


def error_sentence(error: BaseException) -> str:
    if isinstance(error, ConsoleError):
        return str(error)
    return f"A part of the program broke ({type(error).__name__}: {error}). The rest goes on."


class ExceptHook(QObject):
    """Replaces `sys.excepthook` and `threading.excepthook`. Calls `halt` on the thread that failed."""

    error_occurred = Signal(str)  # arrives on the screen's thread

    def __init__(self, halt: Callable[[], object]) -> None:
        super().__init__()
        self._halt, self._busy = halt, threading.local()
        self._previous_hooks = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = self._on_exception, self._on_thread_exception

    def restore(self) -> None:
        sys.excepthook, threading.excepthook = self._previous_hooks

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if getattr(self._busy, "now", False):  # what is done about a fault may break too
            return
        self._busy.now = True
        try:
            self._halt()
            if issubclass(kind, KeyboardInterrupt):
                self._previous_hooks[0](kind, error, trace)
                return
            log.error("broke", exc_info=(kind, error, trace))
            self.error_occurred.emit(error_sentence(error))
        finally:
            self._busy.now = False

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)
