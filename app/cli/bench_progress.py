"""The progress of a bench as lines of JSON, for the window, which runs it as a process of its own."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from threading import Thread

from core.evaluation.bench import Progress
from core.evaluation.comparison import lines
from core.evaluation.table import Results

EVERY = 0.5  # seconds between two lines
NICENESS = 10  # a robot's control and the window come first


@contextmanager
def follow() -> Iterator[Progress]:
    """Yield what prints the table as it fills. When stdin is closed, whoever watched is gone: as Ctrl+C."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` leaves it ignored
    Thread(target=_end_with_stdin, daemon=True).start()
    last, latest = 0.0, None

    def tell(results: Results) -> None:
        nonlocal last, latest
        latest = results
        if time.monotonic() - last >= EVERY:
            _print(results)
            last = time.monotonic()

    yield tell
    if latest is not None:
        _print(latest)


def _print(results: Results) -> None:
    rows = [asdict(line) for line in lines(results)]
    told = {"done": results.done, "total": results.total, "lost": len(results.lost), "lines": rows}
    print(json.dumps(told), flush=True)


def _end_with_stdin() -> None:
    with suppress(OSError):
        while os.read(0, 4096):  # not sys.stdin, whose lock would be held when the program ends
            pass
    os.kill(os.getpid(), signal.SIGINT)
