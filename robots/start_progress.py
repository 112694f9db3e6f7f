"""Report how far a slow start is, from any thread, to the one that waits for it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

_PERIOD = 1.0  # seconds between two lines: a simulator may print thousands


class StartProgress:
    """Passes on what a start says. `notify` may raise, such as Cancelled, to break the start off."""

    def __init__(self, name: str, notify: Callable[[str], None]) -> None:
        self._name, self._notify, self._line = name, notify, ""
        self._began = self._shown = monotonic()
        self._is_first = True

    def report_line(self, line: str) -> None:
        """Take a line. Any thread; only the last one since `show` is shown."""
        self._line = line

    def show(self) -> None:
        """Show the last line, or after a second without any for how long it has been starting.

        The waiting thread calls it many times a second.
        """
        now = monotonic()
        if now - self._shown > _PERIOD or (self._line and self._is_first):
            line, self._line = self._line, ""
            self._shown, self._is_first = now, False
            self._notify(line or f"Starting {self._name}: {now - self._began:.0f} s")
