"""A person at work on a sheet: painting, typing, undo, versions, what is kept, and what is said of rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.planning_model import Step
from core.scene import Scene, SceneThing
from core.stop_token import StopToken
from core.wishes.desk import BOX, ERASE, HERE, PAINT, Desk, canvas, stroke
from core.wishes.judging import Conflict, Judge, Look, find_conflict, row_words
from core.wishes.kept import KeptTests
from core.wishes.sheet import Row, Sheet, Version
from tests.core.wishes.test_authoring import BRIEF, REGION, SCENE, SPEC

pytest.importorskip("pydantic_monty")
LOOK = Look(SPEC, BRIEF.problem, SCENE, None)


@pytest.fixture
def desk(sheet: Sheet) -> Desk:
    made = Desk(sheet, LOOK, "Anna")
    return judged(made)


def judged(desk: Desk, store: KeptTests | None = None) -> Desk:
    judge, job = Judge(), desk.job
    kept = store.load("tabletop") if store else ()
    for number in (1, 2):
        old = job.compared if number == job.number else None
        desk.judged[number] = judge.row(job.brief, desk.sheet, number, None, old, kept, StopToken().check)
    return desk


def test_that_typing_is_one_version_and_one_step_to_undo(desk: Desk, sheet: Sheet) -> None:
    source = desk.row.latest.source
    assert desk.number == 1 and not desk.type(source)
    assert all(desk.type(source + f"# {n}") for n in range(3))
    assert len(desk.row.versions) == 2 and desk.row.latest.by == "Anna"
    assert desk.undo() and desk.sheet == sheet and not desk.undo()
    assert desk.redo() and desk.row.latest.source.endswith("# 2") and not desk.redo()


def test_that_painting_changes_no_text_and_can_be_compared_and_taken_back(desk: Desk) -> None:
    assert desk.here and desk.here.region
    mask = stroke(canvas(desk.here.region, None, BOX), desk.here.region.low, BOX, (0.49, -0.01), (0.51, 0.01))
    assert desk.paint(mask) and judged(desk).shown.painted is not None
    assert [v.source for v in desk.row.versions] == [desk.row.latest.source] * 2
    desk.compare()
    judged(desk)
    assert desk.here.compared == "; 0.0 % gained (crossed), 0.4 % lost (dotted)"
    assert desk.take_back() and desk.row.latest.painted is None and len(desk.row.versions) == 3
    desk.turn_to(2)
    assert not desk.paint(mask), "at the end nothing is painted"


def test_that_brush_eraser_and_here_mark_places_of_the_table(desk: Desk) -> None:
    assert desk.here and desk.here.region
    region = desk.here.region
    for tool in (PAINT, ERASE, HERE):
        mask = stroke(canvas(region, None, tool), region.low, tool, (0, 0), (0.5, 0.1))
        at, off = region.cell(0.5, 0.1), region.cell(0.3, 0.1)
        assert at and off and mask[at] == (tool != ERASE) and mask[off] == (tool == ERASE)


def test_that_what_was_kept_is_offered_and_added_to_the_row(desk: Desk, tmp_path: Path) -> None:
    store, keeping = KeptTests(tmp_path), desk.keep()
    assert keeping is not None and keeping.test.by == "Anna" and keeping.words.startswith("Kept")
    store.carry_out("tabletop", keeping)
    assert not judged(desk, store).here.offers, "it is the row's own"  # type: ignore[union-attr]
    other = "def goal_check0() -> bool:\n    return strawberry.pose.x > 0.2\n"
    store.carry_out("tabletop", replace(keeping, test=replace(keeping.test, source=other)))
    assert "(A adds it)" in judged(desk, store).words()[1].note and desk.add_kept()
    assert "test_kept0" in desk.row.latest.source and "goal_check0" in desk.row.latest.source


def test_that_rows_say_what_passes_what_breaks_and_what_rules_nothing_out(desk: Desk) -> None:
    pick, place, end = desk.words()
    assert (pick.state, place.state) == ("any grasp", "passes: middle, 1 %") and end.name == "At the end"
    assert desk.shown.note == "strawberry: middle of the table, 1 %"
    assert desk.shown.words_at((0.3, 0)) == "refused by goal_check0"
    desk.type("def test_a() -> bool:\n    return True\n")
    assert "test_a rules nothing out" in judged(desk).words()[1].note
    desk.type("def test_a() -> bool:\n    return plum.pose.x > 0\n")
    broken = judged(desk).words()[1]
    assert broken.level == "fault" and "plum" in broken.note
    desk.type("def test_a() -> bool:\n    return strawberry.pose.x > 5\n")
    assert judged(desk).words()[1].state == "nothing passes"


def test_that_rows_of_which_one_place_cannot_have_both_are_marked_before_any_search(sheet: Sheet) -> None:
    code, check = "def goal_check0() -> bool:\n    return strawberry.pose.y > 0.3\n", StopToken().check
    apart = sheet.with_version(2, Version(code, "Anna"))
    found = find_conflict(BRIEF, apart, check)
    assert found == Conflict(((1, "goal_check0"), (2, "goal_check0")))
    made = Judge().row(BRIEF, apart, 1, None, None, (), check)
    words = row_words(apart, 1, made, found, SPEC)
    assert words.level == "doubt" and "goal_check0 of row 2 and goal_check0 of row 3 exclude" in words.note
    assert made.region and made.region.share and find_conflict(BRIEF, sheet, check) == Conflict()


def test_that_what_depends_on_another_thing_of_the_plan_raises_no_doubt_before_the_rehearsal(
    sheet: Sheet,
) -> None:
    bowl = Row(Step("place_ontop", (REGION, "table_surface")), "moved", (Version("", "a"),))
    far = f"def test_a() -> bool:\n    return strawberry.pose.x > {REGION}.pose.x + 3\n"
    place = replace(sheet.rows[1], versions=(Version(far, "a"),))
    desk = judged(Desk(replace(sheet, rows=(bowl, place, sheet.rows[2])), LOOK, "Anna"))
    words = desk.words()[1]
    assert (words.state, words.level) == ("shown once rehearsed", "") and "light grey region" in words.note


def test_that_a_test_of_how_a_thing_lies_does_rule_something_out(sheet: Sheet) -> None:
    box = SceneThing("strawberry", (0.4, 0.1, 0.02, 0, 0, 0), (0.02, 0.03, 0.02), "box")
    look = replace(LOOK, scene=Scene((box, *SCENE.things[1:]), ""))
    desk = Desk(sheet, look, "Anna")
    desk.type("def test_a() -> bool:\n    return abs(strawberry.pose.roll) < 0.1\n")
    assert judged(desk).here and not desk.here.idle  # type: ignore[union-attr]
    desk.type("def test_a() -> bool:\n    return strawberry.pose.z > -1\n")
    assert judged(desk).here and desk.here.idle == ("test_a",)  # type: ignore[union-attr]
