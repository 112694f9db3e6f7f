"""`python -m robots.ur5e.emulator ADDRESS SCENE_FILE SEED [blind]`: a child that ends with its parent."""

import os
import signal
import sys
from threading import Thread

from core.errors import ConsoleError
from robots.ur5e.emulator.emulator import emulate


def _end_with_parent() -> None:
    # Wait until the parent is gone, for whatever reason. Not through sys.stdin: Python aborts after a second
    # of waiting if a thread is still reading it at exit.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    address, scene, seed, *words = sys.argv[1:]
    if not sys.stdin.isatty():
        Thread(target=_end_with_parent, daemon=True).start()
    try:
        emulate(
            address, scene, seed=int(seed), cameras="blind" not in words, ready=lambda s: print(s, flush=True)
        )
    except ConsoleError as error:
        sys.exit(str(error))
