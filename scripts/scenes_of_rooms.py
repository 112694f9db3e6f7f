"""Scenes of the drafting room and the sheet of wishes, and the steps before their pictures."""

from __future__ import annotations

from dataclasses import replace

from core.config import Settings
from core.drafting.source import DraftSource
from core.wishes.desk import BOX
from scripts.driver import KITCHEN, Driver, Scene, Step, waits

WISH = Settings("berry_2", "tabletop-wishes", robot="table", method="owl-tamp", answerer="perfect", seed=2)

drafted = waits(lambda s: s.at.room.runner.desk and not s.at.room.runner.working)
marked = waits(lambda s: s.at.room.runner.found and s.at.room.runner.found.marks)


def wished(words: str) -> Step:
    """Have a wish written, and wait for the region of its first place."""

    def do(s: Driver) -> None:
        sheet = s.at.sheet
        sheet.words.setText(words)
        sheet.press()
        s.wait_until(lambda: sheet.desk and sheet.desk.sheet.words == words and sheet.desk.here)
        s.wait_until(lambda: not any(task.running for task in sheet.work.tasks))

    return do


def painted(corner: tuple[float, float], other: tuple[float, float]) -> Step:
    """Draw a box on the sheet's picture, and wait for its region."""

    def do(s: Driver) -> None:
        sheet = s.at.sheet
        sheet.tools.setCurrentIndex(BOX)
        sheet.picture.at = corner
        sheet.picture._begin()
        sheet.picture._go(other)
        sheet.picture._finish()
        s.wait_until(lambda: "test_painted" in sheet.desk.here.tests)

    return do


def in_scene(task: str, by: str) -> Step:
    """Look at another table, where this source writes."""

    def do(s: Driver) -> None:
        sheet = s.at.sheet
        sheet.scene.setCurrentIndex(sheet.scene.findData(task))
        sheet.by.setCurrentText(by)
        sheet._look(anew=True)
        s.wait_until(lambda: sheet.look)

    return do


SCENES_OF_ROOMS = (
    Scene("drafting", replace(KITCHEN, robot="symbolic"), "Approve", (
        ("drafting_empty", "draft", drafted),
        ("drafting", lambda s: s.at.room.open(DraftSource("package-4-1")), drafted,
         lambda s: s.at.room.main.click(), drafted, marked),
    )),
    Scene("wish", WISH, "Approve", (
        ("wish", "wish", waits(lambda s: s.at.sheet.look), wished("put the strawberry right of the can"), 1.5,
         lambda s: s.at.sheet.picture._go((0.5, -0.15)), 1.0),
        ("wish_pick", lambda s: s.at.sheet._turn_to(0), waits(lambda s: s.at.sheet.desk.here), 1.0),
        ("wish_painted", lambda s: s.at.sheet._turn_to(1), painted((0.42, -0.07), (0.6, -0.2)), 0.5,
         lambda s: s.at.sheet.carry_out("compare"), 1.5),
        ("wish_ghost", lambda s: s.at.sheet.press(), waits(lambda s: s.at.sheet.desk.rehearsed, 120), 5.0),
        ("wish_conflict", in_scene("berry_cook", "recorded"), wished("cook the strawberry"),
         waits(lambda s: s.at.sheet.desk.conflict.tests, 20)),
    )),
)  # fmt: skip
