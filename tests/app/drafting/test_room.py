"""In the drafting room: from a picture to a domain that runs, and nothing that is written is lost."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from zlib import crc32

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import main
from app.drafting.room import DraftingRoom
from app.drafting.score_view import score_rows
from app.main import SWITCH
from app.main_window import MainWindow
from benchmarks.shared.window import EventLoopMonitor
from core.drafting.desk import TWO_MODELS, Findings, Next
from core.drafting.edits import LiteralEdit
from core.drafting.judged_walks import judged_walks
from core.drafting.marks import Standing
from core.drafting.rounds import MODEL, REPAIR
from core.drafting.screening import DOMAIN, PROBLEM, place_of
from core.drafting.source import WHOLE, DraftingTools, DraftSource
from core.drafting.steps import Kept
from core.drafting.world import name_of_cells
from core.errors import AnswererError
from core.pictures import decode_picture, encode_png
from core.planning.domain_library import own_domains_folder
from core.planning.pddl.writer import write_domain, write_problem
from tests.app.conftest import PATIENCE, Opened
from tests.patience import AT_ONCE

K = Qt.Key
ONCE = Qt.ConnectionType.SingleShotConnection
TOOLS = DraftingTools(main.games, main.paint, ("desert",))


class Drafter:
    def __init__(self, room: DraftingRoom, qtbot: QtBot) -> None:
        self.room, self.run, self.qtbot, self.keys = room, room.runner, qtbot, 0

    @property
    def said(self) -> str:
        return self.room.said.text()

    def open(self, map: str) -> DraftingRoom:
        self.run.open(DraftSource(map))
        self.wait()
        return self.room

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.keys += 1
        QTest.keyClick(self.room, key, modifier)
        self.wait()

    def wait(self, seen: Callable[[], object] = lambda: True) -> None:
        run = self.run
        self.until(lambda: run.desk is not None and not run.working and seen())

    def until(self, seen: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(seen()), timeout=PATIENCE)

    def write(self, domain: str, problem: str) -> None:
        """As if both were typed."""
        self.room.domain.field.setPlainText(domain)
        self.room.problem.field.setPlainText(problem)
        self.wait(lambda: self.run.current is not None and self.run.current.texts == (domain, problem))


@pytest.fixture(scope="module")
def room(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DraftingRoom]:
    """The room that all tests of this file use."""
    window = MainWindow()
    room = DraftingRoom(window, TOOLS, tmp_path_factory.mktemp("room") / "log.db")
    room.toggle()
    while room.runner.desk is None:
        qapp.processEvents()
    yield room
    assert room.runner.close()
    window.deleteLater()


@pytest.fixture
def drafter(room: DraftingRoom, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Drafter:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return Drafter(room, qtbot)


def slipped(name: str, action: str, seed: int = 0) -> tuple[tuple[str, str], LiteralEdit]:
    """A map's reference files in which an action lacks its last precondition."""
    game = main.games()[name]
    problem = game.make(game.sizes[0], seed).problem(game.reference)
    slip = LiteralEdit(action, False, game.reference.action(action).precondition[-1], None)
    wrong = slip.apply(problem)
    return (write_domain(wrong.domain), write_problem(wrong)), slip


def test_that_a_domain_from_a_picture_runs_after_a_few_keys(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    at = opened(drafting=TOOLS)
    at.ready()
    monitor = EventLoopMonitor()
    at.console.room.source.show_source(DraftSource("frozenlake-3-0"))
    at.do("draft")
    room, drafter = at.console.room, Drafter(at.console.room, at.qtbot)
    run = drafter.run
    drafter.wait()
    drafter.key(K.Key_Return)
    assert run.current is not None and run.current.by == MODEL and run.found is not None
    while run.next is not Next.DONE:
        drafter.key(K.Key_Return)
    assert run.found.agrees and "No difference in all" in run.found.compared
    assert max(monitor.busy) < AT_ONCE / 10  # 50 ms on a quiet machine, by `make drive`
    room.go_on()
    at.until(lambda: at.state.is_running and room.isHidden())
    assert drafter.keys + 2 <= 12  # with Ctrl+D and the last Enter
    assert at.controller.settings.domain == str(own_domains_folder() / "frozenlake-3-0")


def test_that_a_slip_is_marked_judged_and_mended_by_one_key_and_that_editing_is_a_version(
    drafter: Drafter,
) -> None:
    room = drafter.open("frozenlake-3-2")
    run = room.runner
    drafter.key(K.Key_Return)
    texts, slip = slipped("frozenlake", "move-up", 2)
    drafter.write(*texts)
    version, found = run.current, run.found
    assert version is not None and found is not None and version.by == run.desk.by and version.parent == 1
    assert found.difference is not None and "move up" in room.differs.text()
    assert found.repair is not None and found.repair.repairs[0].edit == slip.inverse
    rows = {row.name: row.text for row in score_rows(found, "")}
    assert " ".join(rows) == "EW tried plan proof world's draft's"  # EW never without what was tried
    assert rows["world's"] == "all walks can be done" and " by length " in rows["draft's"]
    two = score_rows(Findings(version, TWO_MODELS, True), "")
    assert TWO_MODELS in [row.text for row in two]
    drafter.until(lambda: run.found and Standing.NEEDED in {mark.standing for mark in run.found.marks})
    drafter.key(K.Key_S)
    assert (found.difference.words, False) in run.desk.judged
    drafter.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    drafter.key(K.Key_P)
    assert run.found is not None and run.found.overruled.startswith("1 step as ")
    assert "yours" in [row.name for row in score_rows(run.found, "")]
    drafter.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    drafter.key(K.Key_S)
    drafter.key(K.Key_Return)
    assert run.current is not None and run.current.by == REPAIR and run.found is not None
    assert run.found.agrees and run.current.converged
    run.save()
    (kept,) = judged_walks(own_domains_folder() / "frozenlake-3-2").values()
    assert not kept.possible and kept.by == run.desk.by
    drafter.key(K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert run.current == version  # back, and nothing is lost
    assert [v.number for v in run.desk.versions] == [1, 2, 3]
    drafter.key(K.Key_O)
    assert slip.inverse not in [one.edit for one in run.found.repair.repairs] if run.found.repair else True
    number = run.current.number
    run.open(run.desk.source)  # as after kill -9: from the log
    drafter.wait()
    assert [v.by for v in run.desk.versions][:3] == [MODEL, run.desk.by, REPAIR] and number == 2
    assert run.current is run.desk.versions[-1]


def test_that_each_bad_input_is_told_in_a_sentence_and_nothing_is_lost(
    drafter: Drafter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = drafter.open("frozenlake-3-2")
    run = room.runner
    drafter.key(K.Key_Return)
    (domain, problem), _ = slipped("frozenlake", "move-up", 2)
    twelve = "?from ?to " + " ".join(f"?p{n}" for n in range(10))
    things = " ".join(f"thing-{n} - object" for n in range(10_000))
    for bad, told in (
        ((domain.replace("(:predicates", "(:predicates ("), problem), "is not closed"),
        ((domain.replace("move-up", "move-up" + "x" * 100_000), problem), "move-up of the template is"),
        ((domain.replace("(and", "(or", 1), problem), "('or', 'imply' or 'exists')"),
        (("", problem), "is empty"),
        ((domain.replace("(?from ?to -", f"({twelve} -"), problem), "12 parameters"),
        ((domain.replace("(:predicates", "(:types a - b b - a)\n(:predicates"), problem), "below itself"),
        ((domain.replace("(not (at ?from))", "(decrease (fuel ?from) 1)", 1), problem), "not supported"),
        ((domain, problem.replace("(:objects", f"(:objects {things}")), "10,"),
    ):
        drafter.write(*bad)
        assert run.current is not None and run.current.faults, bad[0][:900]
        fault, where = run.current.faults[0], room.problem if "10," in told else room.domain
        assert told in fault and "\n" not in fault and place_of(fault)[0] in (DOMAIN, PROBLEM), fault
        assert where._faults and len(where.said.text()) <= 300
    type_ = room.domain.field.setPlainText
    run.told.connect(lambda: type_(f"{domain}; who types on is not interrupted"), type=ONCE)
    type_(f"{domain}; who types")
    drafter.until(lambda: run.current and run.current.domain_text.endswith("interrupted") and not run.working)
    drafter.write(domain, problem)
    written = run.current
    huge = tmp_path / "huge.png"
    head = b"IHDR" + (10_000).to_bytes(4, "big") * 2 + bytes((8, 2, 0, 0, 0))
    huge.write_bytes(b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + head + crc32(head).to_bytes(4, "big"))
    for source, told in (
        (DraftSource("frozenlake-9-0"), "maps of size"),
        (DraftSource(picture=huge), "10000 x 10000"),
    ):
        room.open(source)
        drafter.until(lambda told=told: told in drafter.said)
    drafter.open("frozenlake-3-2")
    assert run.current is not None and run.current.texts == written.texts

    def stops(purpose: str, prompt: str) -> str:
        raise AnswererError("The reply was cut off: give the model more max_tokens.")

    monkeypatch.setattr(run.desk.bench, "_ask", stops)
    run.do(lambda desk, _: desk.ask(run.current), "The model corrects")
    drafter.until(lambda: "cut off" in drafter.said and not run.working)
    assert run.current.texts == written.texts
    run.do(lambda desk, _: 1 / 0, "Breaking")  # type: ignore[arg-type, return-value]
    drafter.until(lambda: "ZeroDivisionError" in drafter.said and not run.working)
    run.do(lambda desk, _: [desk.world.do(desk.world.first, "move up") for _ in iter(int, 1)], "A round")  # type: ignore
    assert run.close()  # as the window does it, in a round
    drafter.open("frozenlake-3-2")
    assert run.current is not None and run.current.texts == written.texts


def test_that_a_picture_is_read_by_known_looks_and_else_named_by_a_person(
    drafter: Drafter, tmp_path: Path
) -> None:
    room, run, game = drafter.room, drafter.run, main.games()["frozenlake"]
    world = game.make(4, 3)
    cells = world.cells(world.first)
    for look, names in (("desert", 0), ("nobody's", 4)):
        file = tmp_path / f"{look}.png"
        file.write_bytes(main.paint(game, world, look))
        run.open(DraftSource("frozenlake-4-0", picture=file))
        drafter.until(lambda: not run.working and (run.desk or room.unnamed))
        for left in range(names, 0, -1):
            assert f"{left} kind" in drafter.said and run.desk is None
            cell = next(cell for cell, kind in room.map.cells.items() if not kind)
            room.kinds.choose(cells[cell])
            room.picture.edited.emit(cell)
        drafter.wait()
        assert room.map.cells == cells and run.desk.source.picture == file
        assert run.desk.source.map == name_of_cells(game, cells)


def test_that_seams_are_dragged_and_a_click_on_a_cell_makes_another_map(
    drafter: Drafter, tmp_path: Path
) -> None:
    room, run, game = drafter.open("frozenlake-4-3"), drafter.run, main.games()["frozenlake"]
    cells, picture = dict(room.map.cells), room.picture

    def drag(began: tuple[float, float], ended: tuple[float, float]) -> None:
        place = picture._place(WHOLE)
        ends = [(place.x() + x * place.width(), place.y() + y * place.height()) for x, y in (began, ended)]
        first, last = (QPointF(*end).toPoint() for end in ends)
        QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=first)
        QTest.mouseMove(picture, last)
        QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=last)
        drafter.until(lambda: not run.working)

    file, rgb = tmp_path / "shot.png", decode_picture(main.paint(game, run.desk.world, "desert"))
    file.write_bytes(encode_png(np.pad(rgb, ((60, 0), (0, 120), (0, 0)), constant_values=90)))
    high, wide = rgb.shape[:2]
    room.open(DraftSource("frozenlake-4-0", picture=file))
    drafter.until(lambda: not run.working)
    assert run.desk is None and picture.image is not None and picture.seams.size
    drag((0.4, 0.0), (0.4, 60 / (high + 60)))
    drag((1.0, 0.4), (wide / (wide + 120), 0.4))
    assert run.desk is not None and room.map.cells == cells, drafter.said
    room.open(DraftSource("frozenlake-4-3"))
    drafter.wait()
    drag((0.25, 0.4), (1 / 3, 0.4))
    assert run.desk.source.map == "frozenlake-3-3" and picture.seams.size == 3
    at, before = picture.rect().center(), dict(room.map.cells)
    assert picture.cell_at(QPointF(at)) == (2, 2) and before[2, 2] == "floor"
    for kind in ("hole", "floor", "agent"):
        room.kinds.choose(kind)
        QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=at)
        drafter.until(lambda: not run.working)
        if kind != "agent":
            assert run.desk.source.map.startswith("frozenlake-3-c")
            assert room.map.cells == {**before, (2, 2): kind}
    assert "shows 2 cells of agent" in drafter.said


def test_that_what_a_draft_keeps_is_freed_without_keeping_other_threads() -> None:
    held, longest, spent = [Kept((n, frozenset({n})) for n in range(400_000))], 0.0, time.process_time()
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    freeing = Thread(target=held.clear)
    freeing.start()
    while freeing.is_alive():
        time.sleep(0.001)
        spent, now = time.process_time(), spent
        longest = max(longest, spent - now)
    sys.setswitchinterval(before)
    assert longest < 0.02  # of processor; 0.03 and more in one go
