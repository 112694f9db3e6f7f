"""Long work in a process of its own, which holds neither this process's GIL nor up its end.

`python -m app.runtime.background_process MODULE:NAME` does what that function does.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pkgutil import resolve_name
from typing import Any

from core.errors import BadValue, PlanningError
from core.planning.cancellable_process import CancellableProcess, Send, serve
from core.stop_token import StopToken

NICENESS = 10  # the window and what moves a robot come first
_TICK = 0.05  # seconds between two reports

Report = Callable[[int, int], None]  # how far, of how much


def run_in_process(
    work: str, request: object, name: str, cancel: StopToken, report: Report = lambda done, of: None
) -> Any:
    """Have the function `work`, "module:name", do what is asked, and return its result. On any thread but the
    GUI thread. It takes the request, and what it reports to.

    Raises BadValue for what it refused, or if the process, which `name` is for people, ended without a
    result; Cancelled, and what `report` raises, after it was killed.
    """
    result: object = None
    with closing(CancellableProcess("app.runtime.background_process", (work, name), name)) as process:
        try:
            for progress, found in process.answers(request, cancel.check):
                if progress:
                    report(*progress)
                result = found
        except PlanningError as error:
            raise BadValue(str(error)) from None
    return result


def _answer(request: object, send: Send) -> None:
    last = 0.0

    def report(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TICK:
            last = time.monotonic()
            send(((done, of), None))

    send((None, resolve_name(sys.argv[1])(request, report)))


if __name__ == "__main__":
    os.nice(NICENESS)
    serve(_answer, sys.argv[2])
