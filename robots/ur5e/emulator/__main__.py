"""A child that ends with its parent: `python -m robots.ur5e.emulator ADDRESS SCENE SEED GRIPPER [blind]`."""

import os
import signal
import sys
from functools import partial
from threading import Thread

from core.errors import ConsoleError


def _end_with_parent() -> None:
    # Wait until the parent is gone, for whatever reason. Not through sys.stdin: Python aborts after a second
    # of waiting if a thread is still reading it at exit.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    drawing = os.environ.get("MUJOCO_GL", "")
    os.environ["MUJOCO_GL"] = "disable"  # else MuJoCo loads a library for windows, a tenth of the start
    from robots.ur5e.emulator.emulator import emulate

    os.environ["MUJOCO_GL"] = drawing  # for the process that draws
    sys.setswitchinterval(0.0005)  # seconds: a script is compiled beside the cycles
    address, scene, seed, gripper, *words = sys.argv[1:]
    if not sys.stdin.isatty():
        Thread(target=_end_with_parent, daemon=True).start()
    try:
        cameras = "blind" not in words
        emulate(address, scene, gripper, seed=int(seed), cameras=cameras, ready=partial(print, flush=True))
    except ConsoleError as error:
        sys.exit(str(error))
