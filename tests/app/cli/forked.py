"""The program in a process of its own, forked from a server that has loaded it: to load it takes a second.

The server imports this file, so that what `run` needs is loaded by then.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess

import app.cli.run  # noqa: F401
import main
import robots.symbolic.robot  # noqa: F401

programs = multiprocessing.get_context("forkserver")
LOADED = [__name__, "tests.core.log.crashing", "core.log.schema", "cv2"]  # also for test_crash.py
Prepare = Callable[[], None]


def nothing() -> None:
    """Leave the program as it is."""


def start(terminal: str, words: tuple[str, ...], env: dict[str, str], prepare: Prepare) -> BaseProcess:
    """Start the program with these words, at the terminal of this name, which alone controls it."""
    programs.set_forkserver_preload(LOADED)  # counts unless the server of this worker runs already
    program = programs.Process(target=_run, args=(terminal, words, env, prepare))
    program.start()
    return program


def _run(terminal: str, words: tuple[str, ...], env: dict[str, str], prepare: Prepare) -> None:
    os.setsid()
    handle = os.open(terminal, os.O_RDWR)
    for number in range(3):
        os.dup2(handle, number)
    sys.stdin = os.fdopen(0, "r")
    sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1) for number in (1, 2))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(env)
    sys.argv = ["main.py", *words]
    prepare()
    main.run_main()
