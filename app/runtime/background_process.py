"""Long work in a process of its own, which holds neither this process's GIL nor up its end.

`run_in_process` is called on any thread but the GUI thread. The module that it names calls `serve` when it is
run: request, reports and result are JSON.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from tempfile import TemporaryFile
from typing import Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from core.errors import BadValue, ConsoleError
from core.install_paths import ROOT
from core.stop_token import StopToken

NICENESS = 10  # the window and what moves a robot come first
T = TypeVar("T")
AS_JSON = TypeAdapter(object, config=ConfigDict(ser_json_inf_nan="constants"))
_TICK = 0.05  # seconds between two looks at the cancel, and at the parent

Report = Callable[[int, int], None]  # how far, of how much


def run_in_process(
    module: str,
    request: object,
    result: type[T],
    broke: str,
    cancel: StopToken,
    report: Report = lambda done, of: None,
) -> T:
    """Have `python -m module` do what is asked, and return its result.

    Raises BadValue for what it refused, and `broke` with its exit code if it ended without a result;
    Cancelled, and what `report` raises, after the process was killed.
    """
    reply, code = _reply(module, request, cancel, report)
    try:
        return TypeAdapter(result).validate_json(reply)
    except ValidationError:
        pass
    try:
        fault = TypeAdapter(dict[str, str]).validate_json(reply)["fault"]
    except (ValidationError, KeyError):
        fault = broke.format(code)
    raise BadValue(fault)


def _reply(module: str, request: object, cancel: StopToken, report: Report) -> tuple[bytes, int]:
    cancel.check()
    with TemporaryFile() as asked:  # a pipe would fill up if the process never read it
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        command = [sys.executable, "-m", module, str(os.getpid())]
        with subprocess.Popen(
            command, cwd=ROOT, stdin=asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as child:
            with suppress(OSError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, child.pid, NICENESS)
            try:
                return _result(child, cancel, report), child.wait()
            except BaseException:
                child.kill()
                raise


def _result(child: subprocess.Popen[bytes], cancel: StopToken, report: Report) -> bytes:
    """Pass on the reports, which are lists, until the result has come or the process has ended."""
    assert child.stdout is not None
    said = b""
    while True:
        cancel.check()
        if not select.select([child.stdout], [], [], _TICK)[0]:
            continue
        more = os.read(child.stdout.fileno(), 1 << 20)
        if not more:
            return said
        *lines, said = (said + more).split(b"\n")
        if lines and (reports := [line for line in lines if line.startswith(b"[")]):
            report(*json.loads(reports[-1]))


# --- the side that works ---------------------------------------------------------------------------------


def serve(work: Callable[[Any, Report], object]) -> None:
    """Do what is asked on standard input, and end once the parent is gone, however that ended.

    A ConsoleError of the work is raised where it was asked.
    """
    threading.Thread(target=_end_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    last = 0.0

    def report(done: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TICK:
            last = time.monotonic()
            print(json.dumps([done, of]), flush=True)

    try:
        found = work(json.load(sys.stdin), report)
    except ConsoleError as error:
        found = {"fault": str(error)}
    print(json.dumps(AS_JSON.dump_python(found, mode="json")), end="", flush=True)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_TICK)
    os._exit(1)
