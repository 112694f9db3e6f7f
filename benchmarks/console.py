"""Measure the window: start, stalls of its thread, frames shown, and Esc until `robot.halt()` has returned.

Runs with the real kitchen, offscreen where there is no display. The published figures use `--seconds 300
--presses 1000`. The stop is measured without and under the worst load that a person can cause: the set-up
dialog reads half a megabyte of PDDL; 8 MB replies are read, one after another; the review lists 10,000
episodes (a log that is made first, in minutes, unless `--keep FILE` is there) and exports them all; and all
of it at once.
"""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent

import main
from app.main import Console
from benchmarks.log import make_log
from benchmarks.shared.harness import load, report, sized
from benchmarks.shared.window import EventLoopMonitor, until, window
from core.config import ComponentFactory, EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.errors import AnswererError
from core.ports import ChatMessage
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import load_preset

START = """
import sys
from pathlib import Path
import main
from PySide6.QtCore import QTimer
from app.main import Console, SWITCH
from app.preferences import Preferences
from PySide6.QtWidgets import QApplication
from core.config import Settings
from robots.registry import ROBOTS
sys.setswitchinterval(SWITCH)
app = QApplication([])
place = Path(sys.argv[1])
settings, preferences = Settings(robot="kitchen"), Preferences.load(place)
console = Console(app, main.make_components, settings, place / "log.db", preferences, ROBOTS)
console.show()
def painted():
    console.window.grab()
    print("usable", flush=True)
    look()
def look():
    if console.controller.session.components is None:
        QTimer.singleShot(5, look)
        return
    print("ready", flush=True)
    console.window.close()
QTimer.singleShot(0, painted)
app.exec()
"""


def start(times: int = sized(5, 1)) -> None:
    found: dict[str, list[float]] = {"usable": [], "ready": []}
    for _ in range(times):
        with TemporaryDirectory() as place:
            began = time.perf_counter()
            command = [sys.executable, "-c", START, place]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                for said, seconds in found.items():
                    assert process.stdout.readline() == f"{said}\n"
                    seconds.append(time.perf_counter() - began)
    report("start to a window that is painted and answers", found["usable"])
    report("start to a kitchen that waits for Start", found["ready"])


def busy(seconds: float = sized(30, 1)) -> None:
    """Run and display episodes one after the other, at half the speed of a robot."""
    settings = Settings(robot="kitchen", answerer="gpt-4.1-household", pace=0.5)
    with window(settings) as console:
        heart, controller, camera = EventLoopMonitor(), console.controller, console.window.camera
        controller.start()
        acting = shown = 0.0
        last, frames = time.perf_counter(), camera.shown
        end = last + seconds
        episodes = 1
        while time.perf_counter() < end:
            until(lambda: False, 0.1)
            now = time.perf_counter()
            if controller.state.acting is not None:
                acting += now - last
                shown += camera.shown - frames
            last, frames = now, camera.shown
            if controller.state.ended:
                controller.prepare(replace(settings, seed=episodes))
                controller.start()
                episodes += 1
        report("main thread late", heart.gaps)
        report("main thread at work in one go", heart.busy)
        print(
            f"live frames shown while the robot moves: {shown / max(acting, 0.001):.1f} a second "
            f"over {acting:.0f} s, {episodes} episodes",
            flush=True,
        )


# --- stop ---------------------------------------------------------------------------------------------


def watched(halted: list[float]) -> ComponentFactory:
    """Return a factory of the program's own components, with a robot that records when each halt returned."""

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        halt = parts.robot.halt

        def timed_halt() -> int:
            number = halt()
            halted.append(time.perf_counter())
            return number

        parts.robot.halt = timed_halt  # type: ignore[method-assign]
        return parts

    return make


def pressed(
    console: Console, halted: list[float], presses: int, before: Sequence[Callable[[], object]]
) -> Iterator[float]:
    """Yield the seconds from each press until `halt` has returned. Esc is posted from another thread, at
    random moments while the robot moves; `before` is called before each.
    """
    controller, draw = console.controller, random.Random(7)
    controller.start()
    none = Qt.KeyboardModifier.NoModifier
    QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, none)  # the first one initialises the keyboard, here
    for _ in range(presses):
        for begin in before:
            begin()
        end = time.monotonic() + 60
        while controller.state.acting is None:
            if controller.state.ended:
                controller.start()
            elif controller.state.phase is Phase.STOPPED:  # by the last press, or as the window was too late
                console.bindings.release_stop()
            until(lambda: controller.state.acting is not None or controller.state.ended, 1)
            if time.monotonic() > end:
                raise SystemExit(f"nothing moves: {controller.state.phase}")
        times: list[float] = []

        def press(delay: float = draw.uniform(0.0, 0.15), times: list[float] = times) -> None:
            time.sleep(delay)
            handle = QGuiApplication.focusWindow() or console.window.windowHandle()
            event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, none)
            times.append(time.perf_counter())
            QCoreApplication.postEvent(handle, event)

        halted.clear()
        thread = Thread(target=press)
        thread.start()
        until(lambda times=times: times and any(h > times[0] for h in halted), 30)
        thread.join()
        yield next(h for h in halted if h > times[0]) - times[0]
        until(lambda: controller.state.phase in (Phase.STOPPED, Phase.ENDED), 10)


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
DOMAIN = """(define (domain lamps) (:types lamp) (:predicates (lit ?l - lamp) (near ?a ?b - lamp))
 (:action light :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l)))"""


@contextmanager
def large_pddl(console: Console, place: Path) -> Iterator[Callable[[], object]]:
    """The set-up dialog reads a folder anew before each press, which closes it."""
    lamps = [f"lamp{i}" for i in range(200)]
    pairs = "".join(f"(near {a} {b})\n" for a in lamps for b in lamps)[:500_000].rpartition("(")[0]
    (place / "domain.pddl").write_text(DOMAIN)
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
    over, read = Event(), itertools.count()
    with subprocess.Popen([sys.executable, "-c", REPLIES], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        model = ChatModel(load_preset("custom", "m", address), Secret("key"))

        def ask() -> None:
            while not over.is_set():
                with suppress(AnswererError):
                    model.ask((ChatMessage("user", "Is it?"),), [], StopToken())
                next(read)

        thread = Thread(target=ask)
        thread.start()
        try:
            yield bool
        finally:
            over.set()
            server.kill()
            thread.join()
            model.close()
            print(f"    {next(read)} replies of 8 MB were read meanwhile")


@contextmanager
def large_export(console: Console, place: Path) -> Iterator[Callable[[], object]]:
    """The review lists every episode and exports them all, again and again."""
    review, written = console.review, place / "episodes.jsonl"
    review.toggle()
    until(lambda: review.episode_list.model.rowCount() >= EPISODES)
    exported, begun = list[str](), list[None]()
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


CASES = {
    "nothing else": (),
    "large PDDL": (large_pddl,),
    "large replies": (large_replies,),
    "a log of 10,000, exported": (large_export,),
    "all at once": (large_pddl, large_replies, large_export),
}


def stop(presses: int = sized(100, 2), keep: str = "", case: str = "nothing" if sized(0, 1) else "") -> None:
    """Press Esc so often in those cases whose name contains this. `keep` is the file of the log."""
    settings = Settings(robot="kitchen", openness=0.0, pace=1.0, max_steps=100_000)
    with TemporaryDirectory() as folder:
        log = Path(keep or f"{folder}/log.db")
        for name, loads in CASES.items():
            if case not in name:
                continue
            if large_export in loads and not log.exists():
                make_log(log, EPISODES)
            halted: list[float] = []
            with (
                TemporaryDirectory() as place,
                window(settings, make=watched(halted), log=log) as console,
                ExitStack() as held,
            ):
                before = [held.enter_context(begin(console, Path(place))) for begin in loads]
                took = list(pressed(console, halted, presses, before))
                report(f"Esc to robot.halt() returned, {name}", took)
                print(f"    {load()}")


PARTS = (start, busy, stop)
