"""Measure Esc until `robot.halt()` has returned under the worst load that a person can cause.

Run: `python benchmarks/stop_under_load.py [--presses 200] [--keep FILE] [--only WORD]`. In one window, while
the kitchen moves: the set-up dialog reads half a megabyte of PDDL; 8 MB replies are read, one after another;
the review lists 10,000 episodes (a log that is made first, in minutes, unless FILE is there) and exports them
all. First without any of it, then each alone, then all at once.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parent.parent))

from console import pressed, report, until, watched, window
from PySide6.QtWidgets import QApplication
from review import make

from app.main import SWITCH, Console
from benchmarks.sizes import sized
from core.cancel import Cancel
from core.config import Settings
from core.errors import AnswererError
from core.ports import ChatMessage
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import load_preset

EPISODES = sized(10_000, 20)
REPLIES = """
import json, socket, itertools
text = json.dumps({"choices": [{"message": {"content": "yes <b>\\x1b[2J " * 700_000}}]}).encode()[:7_999_999]
bodies = (text, b'{"choices": [' + b"[[]]," * 1_500_000 + b"1]}", b"[" * 7_999_999)
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
for body in itertools.cycle(bodies):
    connection, _ = server.accept()
    with connection:
        try:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n\\r\\n" + body)
        except OSError:
            pass
"""


@contextmanager
def large_pddl(console: Console, place: Path) -> Iterator[Callable[[], object]]:
    """The set-up dialog reads a folder anew before each press, which closes it."""
    lamps = [f"lamp{i}" for i in range(200)]
    pairs = "".join(f"(near {a} {b})\n" for a in lamps for b in lamps)[:500_000].rpartition("(")[0]
    (place / "domain.pddl").write_text(
        "(define (domain lamps) (:types lamp) (:predicates (lit ?l - lamp) (near ?a ?b - lamp))"
        " (:action light :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l)))"
    )
    (place / "problem.pddl").write_text(
        f"(define (problem evening) (:domain lamps) (:objects {' '.join(lamps)} - lamp)"
        f" (:init {pairs}) (:goal (lit lamp0)))"
    )

    def again() -> None:
        console.dialogs.set_up()
        dialog = console.controller.dialog
        assert dialog is not None
        until(dialog.isVisible)
        dialog.tasks.files.folder.emit(str(place))  # type: ignore[attr-defined]

    yield again


@contextmanager
def large_replies(console: Console, place: Path) -> Iterator[Callable[[], object]]:
    """A thread asks a model again and again, as the dialog "Ask again" does."""
    over, read = threading.Event(), itertools.count()
    server = subprocess.Popen([sys.executable, "-c", REPLIES], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    model = ChatModel(
        load_preset("custom", "m", f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"), Secret("key")
    )

    def ask() -> None:
        while not over.is_set():
            with suppress(AnswererError):
                model.ask((ChatMessage("user", "Is it?"),), [], Cancel())
            next(read)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield bool
    finally:
        over.set()
        server.kill()
        server.wait()
        server.stdout.close()
        thread.join()
        model.close()
        print(f"    {next(read)} replies of 8 MB were read meanwhile")


@contextmanager
def large_export(console: Console, place: Path) -> Iterator[Callable[[], object]]:
    """The review lists every episode and exports them all, again and again."""
    review, written = console.review, place / "episodes.jsonl"
    review.toggle()
    until(lambda: review.episode_list.model.rowCount() >= EPISODES)
    exported: list[str] = []
    begun: list[None] = []
    review.episode_actions.reported.connect(exported.append)

    def again() -> None:
        if len(exported) == len(begun):
            begun.append(None)
            review.episode_actions.write((), written)

    try:
        yield again
    finally:
        size = written.stat().st_size >> 20 if written.exists() else 0
        print(f"    {len(exported)} exports of all were made meanwhile; the last file has {size} MiB")
        review.episode_actions.cancel_export()
        review.toggle()


LOADS = {"large PDDL": large_pddl, "large replies": large_replies, "a log of 10,000, exported": large_export}


def measure(name: str, loads: list[str], log: Path, presses: int) -> None:
    halted: list[float] = []
    settings = Settings(robot="kitchen", openness=0.0, pace=1.0, max_steps=100_000)
    with (
        TemporaryDirectory() as place,
        window(settings, "Watch", watched(halted), log) as console,
        ExitStack() as held,
    ):
        before = [held.enter_context(LOADS[load](console, Path(place))) for load in loads]
        took = list(pressed(console, halted, presses, lambda: [again() for again in before]))
        report(f"Esc to robot.halt() returned, {name}", took)
        print(f"    load {os.getloadavg()[0]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=sized(200, 2))
    parser.add_argument("--keep", default="")
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    sys.setswitchinterval(SWITCH)
    application = QApplication([])
    with TemporaryDirectory() as folder:
        log = Path(given.keep or f"{folder}/log.db")
        if not log.exists():
            make(log, EPISODES)
        cases = {"nothing else": [], **{name: [name] for name in LOADS}, "all at once": list(LOADS)}
        for name, loads in cases.items():
            if given.only in name:
                measure(name, loads, log, given.presses)
    del application


if __name__ == "__main__":
    main()
