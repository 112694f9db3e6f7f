"""In the drafting room: from a picture to a domain that runs, and nothing that is written is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextOption
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import main
from app.drafting.room import DraftingRoom
from app.drafting.score_view import score_rows
from app.main_window import MainWindow
from benchmarks.shared.window import until
from core.drafting.findings import Next, Standing
from core.drafting.folder import judged_walks
from core.drafting.rounds import REPAIR
from core.drafting.source import Against, DraftSource
from core.drafting.world import name_of_cells
from core.errors import AnswererError
from core.pictures import decode_picture, encode_png
from core.planning.domain_library import own_domains_folder
from tests.app.conftest import Opened
from tests.core.drafting.known import LAKE, TOOLS, slipped

K, NO, CTRL = Qt.Key, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
(DOMAIN, PROBLEM), SLIP = slipped(2)


class Drafter:
    """A person in a room, who waits after all they do until nothing is being done."""

    def __init__(self, room: DraftingRoom) -> None:
        self.room, self.run = room, room.runner

    def until(self, seen: Callable[[], object] = lambda: True) -> None:
        assert until(lambda: not self.run.working and bool(seen())), self.room.said.text()

    def key(self, *keys: Qt.Key, ctrl: bool = False) -> None:
        for key in keys:
            QTest.keyClick(self.room, key, CTRL if ctrl else NO)
            self.until()

    def open(self, source: DraftSource = LAKE, told: str = "") -> None:
        self.room.open(source)
        self.until(lambda: told in self.room.said.text())

    def write(self, domain: str) -> None:
        """As if it was typed, and the problem too."""
        self.room.domain.field.setPlainText(domain)
        self.room.problem.field.setPlainText(PROBLEM)
        self.until(lambda: self.run.current and self.run.current.texts == (domain, PROBLEM))

    def drag(self, *ends: tuple[float, float]) -> None:
        """Drag between places in shares of the picture; with one place, click there."""
        picture, area = self.room.picture, self.room.picture.area
        places = (QPointF(x * area.width(), y * area.height()) for x, y in ends)
        first, *rest = ((area.topLeft() + place).toPoint() for place in places)
        QTest.mousePress(picture, Qt.MouseButton.LeftButton, pos=first)
        for place in rest:
            QTest.mouseMove(picture, place)
        QTest.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=[first, *rest][-1])
        self.until()


@pytest.fixture(scope="module")
def drafter(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drafter]:
    """Whoever drafts in all tests of this file, in one room."""
    window, folder = MainWindow(), tmp_path_factory.mktemp("room")
    room = DraftingRoom(window, TOOLS, folder / "log.db")
    room.toggle()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        drafter = Drafter(room)
        drafter.until(lambda: room.runner.desk)
        yield drafter
    assert room.runner.close()
    window.deleteLater()


def test_that_a_domain_from_a_picture_runs_after_a_few_keys_of_which_each_call_of_the_model_waits_for_one(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    at = opened(drafting=TOOLS)
    at.ready()
    drafter, room = Drafter(at.console.room), at.console.room
    run = room.runner
    room.source.show_source(DraftSource("frozenlake-3-0"))
    at.do("draft")
    drafter.until(lambda: run.desk is not None)
    made, record, pages = run.desk.versions.all, run.desk.record, list[bool]()
    monkeypatch.setattr(at.console.dialogs, "show_page", pages.append)
    drafter.key(K.Key_F1)  # of the keys, which the room does not keep from the window
    assert pages == [True]
    while run.next is not Next.DONE:  # at Manual, as it opens
        before, asks = (len(made), record.asked), run.next in (Next.DRAFT, Next.ASK)
        assert ("Enter asks the simulated drafter, free" in room.said.text()) is asks
        QTest.qWait(1)
        assert (len(made), record.asked) == before
        drafter.key(K.Key_Return)
        assert len(made) == before[0] + 1 and (record.asked > before[1]) is asks
    assert run.found.proven and "of this map" in run.found.compared
    room.go_on()
    at.until(lambda: at.state.is_running and room.isHidden())
    assert len(made) + 2 <= 12  # Enter for each, with Ctrl+D and the last one
    assert at.controller.settings.domain == str(own_domains_folder() / "frozenlake-3-0")


def test_that_a_slip_is_marked_judged_and_mended_by_one_key_or_edited_and_that_nothing_is_lost(
    drafter: Drafter,
) -> None:
    room, run = drafter.room, drafter.run
    drafter.open()
    drafter.key(K.Key_Return)
    drafter.write(DOMAIN)
    version, found, proposed = run.current, run.found, run.found.repair.repairs[0].edit
    assert (version.by, version.parent, proposed) == (run.desk.by, 1, SLIP.inverse)
    assert "move up" in room.differs.text()
    rows = {row.name: row.text for row in score_rows(found, "")}
    assert " ".join(rows) == "EW tried plan proof world's draft's"  # EW never without what was tried
    assert " 50 walks " in rows["EW"] and " by length " in rows["draft's"]
    models = replace(found, agrees=True, against=Against.MODEL)
    assert "model's" in [row.name for row in score_rows(models, "")] and not models.proven
    drafter.until(lambda: Standing.NEEDED in {mark.standing for mark in run.found.marks})
    drafter.key(K.Key_P)
    assert "yours" in [row.name for row in score_rows(run.found, "")]
    drafter.key(K.Key_Z, ctrl=True)
    drafter.key(K.Key_S, K.Key_Return)
    assert run.current.by == REPAIR and run.found.agrees and run.current.converged
    run.save()
    (kept,) = judged_walks(own_domains_folder() / LAKE.map).values()
    assert not kept.possible and kept.by == run.desk.by
    drafter.key(K.Key_Z, ctrl=True)
    room.save.click()
    assert run.current == version and "save again" in room.said.text()  # what is proven is there
    drafter.key(K.Key_E)
    edited, field = run.current, room.domain.field
    assert edited.by == run.desk.by and edited.texts == run.desk.bench.texts_of(found.repair.problem)
    QTest.keyClicks(room.window().focusWidget(), ";")  # it is there to be changed on
    drafter.until(lambda: run.current.domain_text == field.toPlainText() != edited.domain_text)
    for before in (edited.texts, version.texts):  # what is typed is taken back, and then the edit
        QTest.keyClick(field, K.Key_Z, CTRL)
        drafter.until(lambda before=before: run.current.texts == before)
    drafter.key(K.Key_O)
    assert not run.found.repair or run.found.repair.repairs[0].edit != proposed
    drafter.key(K.Key_Z, ctrl=True)
    assert run.found.repair.repairs[0].edit == proposed
    QTest.keyClick(room.versions, K.Key_Return)  # Enter is what the blue button says, there too
    drafter.until(lambda: run.current.by == REPAIR)
    assert {button.focusPolicy() for button in room.buttons} == {Qt.FocusPolicy.NoFocus}  # nor after Tab


def test_that_what_breaks_is_told_in_a_sentence_and_nothing_is_lost(
    drafter: Drafter, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, run, field = drafter.room, drafter.run, drafter.room.domain.field
    drafter.open()
    drafter.write(DOMAIN.replace("(:predicates", "(:predicates ("))
    assert "is not closed" in room.domain.said.text()
    drafter.write("e" * 100_000)  # which takes the window no time, as it is broken anywhere
    assert field.wordWrapMode() is QTextOption.WrapMode.WrapAnywhere
    typed = f"{DOMAIN}; who types on is not interrupted"
    run.told.connect(lambda: field.setPlainText(typed), type=Qt.ConnectionType.SingleShotConnection)
    field.setPlainText(typed[:-4])
    drafter.until(lambda: run.current.domain_text == typed)
    drafter.open(DraftSource("frozenlake-9-0"), "maps of size")
    drafter.open()
    drafter.until(lambda: run.current)

    def stops(purpose: str, prompt: str) -> str:
        raise AnswererError("The reply was cut off: give the model more max_tokens.")

    monkeypatch.setattr(run.desk.bench, "_ask", stops)
    for does, told in ((lambda desk, found: desk.ask(found.version), "cut off"), (divmod, "TypeError")):
        run.make(does, "Breaking")
        drafter.until(lambda told=told: told in room.said.text())
    run.make(lambda desk, _: [desk.world.do(desk.world.first, "move up") for _ in iter(int, 1)], "A round")
    run.make(lambda desk, _: desk.write(f"{typed}\u00a0;", PROBLEM, None), "Writing")  # as no field gives it
    drafter.until()
    count = len(run.desk.versions.all)
    drafter.open()
    drafter.until(lambda: run.current)
    assert len(run.desk.versions.all) == count  # nobody typed
    for last in (f"{typed}, nor who leaves", f"{typed}, nor who goes on"):
        field.setPlainText(last)
        if last.endswith("leaves"):
            assert run.close()  # as the window does it, in a round, before what was typed is read
        drafter.open()
        drafter.until(lambda last=last: run.current and run.current.texts == (last, PROBLEM))


def test_that_a_picture_is_read_by_known_looks_or_named_and_changed_by_seams_and_clicks(
    drafter: Drafter, tmp_path: Path
) -> None:
    room, run, game = drafter.room, drafter.run, main.games()["frozenlake"]
    world, file = game.make(4, 3), tmp_path / "shot.png"
    cells, rgb = world.cells(world.first), decode_picture(main.paint(game, world, "desert"))
    (high, wide, _), shot = rgb.shape, DraftSource("frozenlake-4-0", picture=file)
    file.write_bytes(encode_png(np.pad(rgb, ((60, 0), (0, 120), (0, 0)), constant_values=90)))
    drafter.open(shot)
    assert run.desk is None
    drafter.drag((0.4, 0.0), (0.4, 60 / (high + 60)))
    drafter.drag((1.0, 0.4), (wide / (wide + 120), 0.4))
    assert run.desk and (room.map.cells, run.desk.source.map) == (cells, name_of_cells(game, cells))
    file.write_bytes(main.paint(game, world, "nobody's"))
    drafter.open(shot)
    for left in range(4, 0, -1):
        assert f"{left} kind" in room.said.text() and run.desk is None
        cell = next(cell for cell, kind in room.map.cells.items() if not kind)
        room.kinds.choose(cells[cell])
        drafter.drag(((cell[1] - 0.5) / 4, (cell[0] - 0.5) / 4))
    assert room.map.cells == cells and run.desk.source.picture == file
    drafter.open(DraftSource("frozenlake-4-3"))
    drafter.drag((0.25, 0.4), (1 / 3, 0.4))
    assert run.desk.source.map == "frozenlake-3-3" and room.picture.seams.size == 3
    before = dict(room.map.cells)
    for kind, named in (("hole", "frozenlake-3-c"), (before[2, 2], "frozenlake-3-3")):
        room.kinds.choose(kind)
        drafter.drag((0.5, 0.5))
        assert room.map.cells == {**before, (2, 2): kind} and run.desk.source.map.startswith(named)
    room.kinds.choose("agent")
    drafter.drag((0.5, 0.5))
    assert "shows 2 cells of agent" in room.said.text()


def test_that_a_photograph_is_chosen_told_of_and_drafted_without_a_model(
    drafter: Drafter, tmp_path: Path
) -> None:
    room, run, fields = drafter.room, drafter.run, drafter.room.source.fields
    (tmp_path / "table.png").write_bytes(encode_png(np.full((120, 160, 3), 90, np.uint8)))
    place = (games := room.source.boxes["game"]).findText
    assert place("frozenlake") < place("frozenlake-r2") < place("frozenlake-r10") < place("maze")
    QTest.keyClick(games, K.Key_End)
    drafter.until(lambda: "Name the objects" in room.said.text())
    assert run.desk is None and not room.map.cells
    said = "robot - agent, cup - container, egg - toy", "The egg is in the cup.", str(tmp_path / "table.png")
    for name, words in zip(("objects", "goal", "picture"), said, strict=True):
        fields[name].setText(words)
    fields["goal"].setFocus()
    QTest.keyClick(fields["goal"], K.Key_Return)
    drafter.until(lambda: "no model is asked" in room.said.text())
    assert room.window().focusWidget() is room  # so that the next Enter is the blue button's
    for chosen, names, *ends in (
        ("", ["robot"], (0.2, 0.2), (0.4, 0.4)),
        ("egg", ["robot", "egg"], (0.3, 0.3), (0.4, 0.4)),
        ("", ["robot", "cup", "egg"], (0.6, 0.6), (0.7, 0.7)),
        ("", ["cup", "egg"], (0.25, 0.25)),
    ):  # a click takes a box away
        room.kinds.choose(chosen)
        drafter.drag(*ends)
        assert [box.name for box in run.desk.source.boxes] == names and room.kinds.count() == 3
    room.domain.field.setPlainText("\n")  # by an Enter too many, which makes no version
    drafter.key(K.Key_Return)
    assert run.next is Next.DONE and run.current.number == 1
    assert "nobody has looked" in score_rows(run.found, "")[3].text
    assert not room.ask.isEnabled() and "correct it in the problem" in room.said.text()
