"""A person at work on a sheet: rows and versions, painting, undo, what is kept, conflicts, and its log."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core import events as ev
from core.belief import Answer, Atom, BeliefSource, Query, QueryTopic, Verdict
from core.errors import BadValue
from core.planning_model import Step
from core.ports import ModelCall, StepResult, StepStatus
from core.scene import Scene, SceneThing
from core.stop_token import StopToken
from core.wishes.authoring import Request, after, write_wish
from core.wishes.desk import BOX, ERASE, HERE, PAINT, Desk, canvas, stroke
from core.wishes.judging import Conflict, Judge, Judged, Look, find_conflict
from core.wishes.kept import KeptTests, source_for
from core.wishes.logged import logged_wish
from core.wishes.sheet import Sheet, Version, boxes_of, mask_of, replies_of, wish_of, write_sheet
from core.wishes.word_sources import SHEET, word_source, write_replies
from tests.core.wishes.test_authoring import BRIEF, REGION, SCENE, SPEC

pytest.importorskip("pydantic_monty")
LOOK, STOP, BERRY = Look(SPEC, BRIEF.problem, SCENE, None), StopToken(), "strawberry"


@cache
def sheet() -> Sheet:
    """Return it as the grammar writes it: pick the strawberry, and place it onto the region."""
    grammar = word_source("grammar", BRIEF, 0)
    return write_sheet(BRIEF, lambda asked: grammar.ask(asked.messages, (), STOP))


def judged(desk: Desk, *kept: KeptTests) -> Judged:
    """Return what becomes of the current row."""
    offered = kept[0].load("tabletop") if kept else ()
    made = Judge().row(desk.job.brief, desk.sheet, desk.number, None, desk.compared, offered, STOP.check)
    desk.judged[desk.number] = made
    return made


def says(condition: str, name: str = "test_a") -> str:
    return f"def {name}() -> bool:\n    return {condition}\n"


def test_that_each_version_names_author_prompt_and_reply_and_all_is_undone() -> None:
    desk, first = Desk(sheet(), LOOK, "Anna"), sheet().rows[1].latest
    assert first.by == "grammar, not a model" and first.source.strip() in first.reply
    assert str(first).startswith("# by grammar") and "# What was asked\nRequest:" in str(first)
    assert desk.number == 1 and not desk.type(first.source)
    assert all(desk.type(first.source + f"# {n}") for n in range(3)), "which is one version"
    assert len(desk.row.versions) == 2 and desk.row.latest.by == "Anna"
    assert desk.undo() and desk.sheet == sheet() and not desk.undo()
    assert desk.redo() and desk.row.latest.source.endswith("# 2") and not desk.redo()


def test_that_painting_makes_a_test_beside_the_others_whose_text_stays_and_is_compared() -> None:
    desk = Desk(sheet(), LOOK, "Anna")
    whole = judged(desk).region
    assert whole
    for tool in (PAINT, ERASE, HERE):
        mask = stroke(canvas(whole, None, tool), whole.low, tool, (0, 0), (0.5, 0.1))
        assert [mask[whole.cell(x, 0.1)] for x in (0.5, 0.3)] == [tool != ERASE, tool == ERASE]
    mask = stroke(canvas(whole, None, BOX), whole.low, BOX, (0.49, -0.01), (0.51, 0.01))
    assert desk.paint(mask)
    painted = judged(desk).region
    assert painted and painted.share and np.array_equal(painted.passes, whole.passes & mask)
    assert [v.source for v in desk.row.versions] == [desk.row.latest.source] * 2
    desk.compare()
    assert judged(desk).compared == "; 0.0 % gained (crossed), 0.4 % lost (dotted)"
    assert desk.take_back() and desk.row.latest.painted is None and len(desk.row.versions) == 3
    brushed = np.random.default_rng(0).random(mask.shape) < 0.02
    boxes = boxes_of(brushed, whole.low)
    assert len(boxes) <= 120 and np.all(mask_of(boxes, whole.low, mask.shape) >= brushed), "only coarser"


def test_that_what_was_kept_is_offered_once_for_things_of_its_kind_and_added(tmp_path: Path) -> None:
    desk, store = Desk(sheet(), LOOK, "Anna"), KeptTests(tmp_path)
    keeping = desk.keep()
    assert keeping and keeping.test.by == "Anna" and store.carry_out("tabletop", keeping).startswith("Kept")
    assert not judged(desk, store).offers, "it is the row's own"
    mistaken = desk.forget()
    assert mistaken and mistaken.forget and mistaken.test == keeping.test
    other = replace(keeping.test, source=says(f"{BERRY}.pose.x > 0.2", "goal_check0"), categories=("cup",))
    for _ in range(2):
        store.keep("tabletop", other)
    assert store.load("tabletop") == judged(desk, store).offers == (other,)
    cup = SceneThing("beaker", (0,) * 6, (0.02,) * 3, "cup", categories=("cup", "red"))
    assert "beaker.pose.x" in source_for(other, cup) and not source_for(other, replace(cup, categories=()))
    for _ in range(2):  # forgotten, and kept after all
        keeping = desk.forget()
        assert keeping and store.carry_out("tabletop", keeping)
        assert bool(judged(desk, store).offers) != keeping.forget
    assert "(A adds it)" in desk.words()[1].note and desk.add_kept()
    assert "test_kept0" in desk.row.latest.source and "goal_check0" in desk.row.latest.source


def test_that_rows_say_what_passes_what_breaks_what_rules_nothing_out_and_which_exclude_others() -> None:
    box = SceneThing(BERRY, (0.4, 0.1, 0.02, 0, 0, 0), (0.02, 0.03, 0.02), "box")
    look = replace(LOOK, scene=Scene((box, *SCENE.things[1:]), ""))
    pick, place, end = sheet().rows
    bowl = replace(pick, step=Step("place_ontop", (REGION, "table_surface")))
    for first, condition, said in (
        (pick, "True", ": passes: all. test_a rules nothing out"),
        (pick, "abs(strawberry.pose.roll) < 0.1", ": passes: all. "),  # of how it lies it does
        (pick, "plum.pose.x > 0", "fault: does not run. The test test_a speaks of plum"),
        (pick, "strawberry.pose.x / 0 > 1", "fault: does not run. The test test_a broke"),
        (pick, "strawberry.pose.x > 5", "doubt: in conflict. test_a of row 2 fits nowhere"),
        (pick, "strawberry.pose.y > 0.3", "doubt: in conflict. test_a of row 2 and goal_check0 of row 3"),
        (bowl, f"strawberry.pose.x > {REGION}.pose.x + 3", ": shown once rehearsed"),
    ):
        row = replace(place, description="", versions=(Version(says(condition), "Anna"),))
        desk = Desk(replace(sheet(), rows=(first, row, end)), look, "Anna")
        desk.turn_to(1)
        if judged(desk).region:
            desk.conflict = find_conflict(desk.job.brief, desk.sheet, STOP.check)
        words = desk.words()[1]
        assert f"{words.level}: {words.state}. {words.note.lstrip('. ')}".startswith(said)
        assert ("rules nothing out" in words.note) == ("rules" in said)
    assert find_conflict(BRIEF, sheet(), STOP.check) == Conflict()


def test_that_loop_and_review_read_its_versions_and_what_became_of_them(tmp_path: Path) -> None:
    mine = sheet().with_version(1, Version(says("strawberry.pose.x > 0.45", "test_mine"), "Anna", "02:11"))
    write_replies(tmp_path / "sheet.toml", replies_of(mine), "Anna")
    source, said, events = (
        word_source(f"{SHEET}{tmp_path}/sheet.toml", BRIEF, 0),
        list[str](),
        list[ev.Event](),
    )
    while isinstance(latest := after(write_wish(BRIEF), said), Request):
        said.append(source.ask(latest.messages, (), STOP).text)
        events.append(ev.ModelConsulted(1, latest.purpose, latest.messages, "", said[-1], "", source.name))
    assert source.name == "the sheet, by Anna" and latest == wish_of(mine, BRIEF)
    after_it = Scene((replace(SCENE.things[0], pose=(0.5, 0, 0.017, 0, 0, 0)), *SCENE.things[1:]), "")
    query = Query(Atom("on", (BERRY, REGION)), "Is it so?", topic=QueryTopic.STEP_SUCCEEDED)
    call = ModelCall((Answer(query.atom, Verdict.YES, BeliefSource.MODEL),), by="eye")
    done = [ev.StepFinished(2, step, StepResult(StepStatus.DONE)) for step in mine.steps]
    events = [ev.SceneSeen(1, SCENE), *events, *done, ev.SceneSeen(3, after_it)]
    events += [ev.QuestionsAsked(3, "", (query,)), ev.AnswersReceived(3, "", call)]
    records = [ev.Record("e", n, 0.0, float(n), event) for n, event in enumerate(events)]
    found = logged_wish(records, SPEC, BRIEF.problem, BRIEF.words, None)
    row = found.sheet.rows[1]
    assert found.sheet.steps == mine.steps and set(found.befores) == {0, 1}
    assert row.latest.by == "Anna, version 2" and "test_mine" in row.latest.source
    assert row.description.endswith("Afterwards: so by its tests, yes by eye's answer")
    with pytest.raises(BadValue, match="Nobody had made a wish"):
        logged_wish(records[:2], SPEC, BRIEF.problem, BRIEF.words, None)
