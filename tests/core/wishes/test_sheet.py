"""A sheet: where a thing may go, which test refuses it, and a person at work on rows, versions and log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from math import hypot
from pathlib import Path

import numpy as np
import pytest

from core import events as ev
from core.belief import Verdict
from core.config import Settings
from core.errors import BadValue
from core.planning_model import Step
from core.ports import ModelCall
from core.scene import Scene, SceneThing
from core.stop_token import StopToken
from core.wishes.authoring import Request, after, write_wish
from core.wishes.desk import BOX, ERASE, HERE, PAINT, Desk, canvas, stroke, to_try
from core.wishes.jobs import DOMAIN, approved, judge_rows, write_with
from core.wishes.judging import Conflict, Judge, Judged, Look
from core.wishes.kept import KeptTests, source_for
from core.wishes.logged import logged_wish
from core.wishes.region import conflict, find_region, places_of, turns_at
from core.wishes.sheet import Sheet, Version, boxes_of, mask_of, wish_of
from core.wishes.word_sources import word_source
from tests.core.wishes.test_authoring import BRIEF, REGION, SCENE, SPEC
from tests.core.wishes.test_watching import ABOUT, DONE, said

LOOK, STOP, BERRY = Look(SPEC, BRIEF.problem, SCENE, None), StopToken(), "strawberry"
JUDGE, NOTHING_KEPT = Judge(), KeptTests(Path("nowhere"))
CUP = SceneThing("cup", (0.4, 0.2, 0.04, 0, 0, 0), (0.02, 0.02, 0.04), "cup", categories=("cup", "red"))
BOWL = SceneThing("bowl", (0.6, -0.2, 0.022, 0, 0, 0), (0.045, 0.045, 0.022), "bin", False)
KITCHEN = Scene((*SCENE.things, CUP, BOWL), "")
PLACES = places_of(SCENE, [Step("place_ontop", (BERRY, REGION))], BERRY)


def where(passes: Callable[[float, float], bool], *names: str) -> partial[bool]:
    return partial(lambda *given: passes(*given[-1][BERRY].pose[:2]), BERRY, *names)


LEFT, RIGHT, FAR = where(lambda x, y: y > 0.01), where(lambda x, y: y < -0.1), where(lambda x, y: x > 0.54)


@cache
def sheet() -> Sheet:
    """Return it as the grammar writes it: pick the strawberry, and place it onto the region."""
    pytest.importorskip("pydantic_monty")
    return write_with(LOOK, BRIEF.words, "grammar", 0, print, STOP)[0]


def judged(desk: Desk, kept: KeptTests = NOTHING_KEPT) -> Judged:
    """Judge all rows, and return what becomes of the current one."""
    desk.conflict = judge_rows(JUDGE, kept, desk.job, STOP, lambda one: desk.judged.update({one.number: one}))
    return desk.judged[desk.number]


def says(condition: str, name: str = "test_a") -> str:
    return f"def {name}() -> bool:\n    return {condition}\n"


def test_that_a_region_is_named_in_words_and_each_refusal_by_its_test() -> None:
    region = find_region(PLACES, [LEFT, FAR])
    assert region.in_words() == "far left quarter of the table, 23 %"
    assert [region.refusal(*at) for at in ((0.6, 0.2), (0.6, -0.2), (0.3, 0.2))] == [None, 0, 1]
    assert find_region(PLACES, [where(lambda x, y: y > 0.4)]).in_words().startswith("in the left half")


def test_that_it_is_as_fine_as_if_each_place_were_asked_with_a_tenth_of_the_calls_islands_too() -> None:
    calls = iter(range(100_000))
    region = find_region(PLACES, [where(lambda x, y: next(calls) >= 0 and y < 0.05 * np.sin(100 * x))])
    x, y = (np.indices(region.passes.shape) + 0.5) * 0.005 + np.reshape(region.low, (2, 1, 1))
    assert np.array_equal(region.passes, y < 0.05 * np.sin(100 * x)) and next(calls) < x.size / 10
    assert find_region(PLACES, [where(lambda x, y: hypot(x - 0.5, y) < 0.002, REGION)]).share  # named


def test_that_a_thing_lies_on_or_in_what_its_step_names_and_on_the_face_that_passes() -> None:
    into = places_of(KITCHEN, [Step("place_inside", (BERRY, "bowl"))], BERRY)
    over, beside = (s[BERRY].pose[2] for s in into.states(np.array([(0.6, -0.2), (0.3, 0.2)])))
    assert over == pytest.approx(0.022) and beside == pytest.approx(0.018)
    lies = partial(lambda name, b: abs(b[name].pose[3]) > 1 and b[name].pose[5] > 0.5, "cup")
    region = find_region(cup := places_of(KITCHEN, [], "cup"), [lies])
    assert region.share == 1 and region.rest == 1 and region.yaw > 0.5
    rests, yaws = turns_at(cup, [lies], (0.5, 0.0), region.rest)
    assert not any(rests) and yaws[2:12] == (True,) * 10  # not as it is; turned by 30 to 165 degrees
    (tipped,) = places_of(KITCHEN, [Step("pour", ("cup", "bowl"))], "cup").states(np.array([(0.6, -0.2)]))
    assert abs(tipped["cup"].pose[3]) > 1.2 and tipped["cup"].lower[2] > BOWL.pose[2], "as one pours"


def test_that_the_smallest_set_of_rows_without_a_place_is_told() -> None:
    loose = [where(partial(lambda least, x, y: x > least, 0.1 * k)) for k in range(4)]
    for tests, smallest in (
        ((*loose, LEFT, FAR, where(lambda x, y: x + y < 0.55)), (4, 5, 6)),
        ((where(lambda x, y: x > 0.483), where(lambda x, y: x < 0.493)), ()),  # a sliver is left
    ):
        assert conflict(PLACES, [(test,) for test in tests]) == smallest


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
    assert whole and desk.conflict == Conflict()
    for tool in (PAINT, ERASE, HERE):
        mask = stroke(canvas(whole, None, tool), whole.low, tool, (0, 0), (0.5, 0.1))
        assert [mask[whole.cell(x, 0.1)] for x in (0.5, 0.3)] == [tool != ERASE, tool == ERASE]
    poses, tried = to_try(desk.job, whole)  # each place that passes is judged by one next to it
    cells, at = np.argwhere(tried >= 0), np.array([pose[:2] for pose in poses])[tried[tried >= 0]]
    assert np.array_equal(tried >= 0, whole.passes)
    assert len(poses) > 30 and np.abs((cells + 0.5) * 0.005 + whole.low - at).max() < 0.008
    mask = stroke(canvas(whole, None, BOX), whole.low, BOX, (0.49, -0.01), (0.51, 0.01))
    assert desk.paint(mask)
    painted = judged(desk).region
    assert painted and painted.share and np.array_equal(painted.passes, whole.passes & mask)
    desk.compare()
    assert judged(desk).compared == "\n0.0 % gained (crossed), 0.4 % lost (dotted)"
    assert desk.take_back() and desk.row.latest.painted is None and len(desk.row.versions) == 3
    brushed = np.random.default_rng(0).random(mask.shape) < 0.02
    boxes = boxes_of(brushed, whole.low)
    assert len(boxes) <= 120 and np.all(mask_of(boxes, whole.low, mask.shape) >= brushed), "only coarser"


def test_that_what_was_kept_is_offered_once_for_things_of_its_kind_and_added(tmp_path: Path) -> None:
    desk, store = Desk(sheet(), LOOK, "Anna"), KeptTests(tmp_path)
    keeping = desk.keep()
    assert keeping and keeping.test.by == "Anna" and store.carry_out(DOMAIN, keeping).startswith("Kept")
    assert not judged(desk, store).offers, "it is the row's own"
    other = replace(keeping.test, source=says(f"{BERRY}.pose.x > 0.2", "goal_check0"), categories=("cup",))
    store.keep(DOMAIN, other)  # in place of that with the same words
    assert store.load(DOMAIN) == judged(desk, store).offers == (other,)
    assert "cup.pose.x" in source_for(other, CUP) and not source_for(other, replace(CUP, categories=()))
    for known in (False, True, None, False, True):  # forgotten, kept after all, added, and both again
        keeping = desk.forget() if known is not None else None
        assert store.carry_out(DOMAIN, keeping) if keeping else "(A adds it)" in desk.words()[1].note
        assert keeping or desk.add_kept()
        here = judged(desk, store)
        assert bool(here.offers or here.added) is (known is not False)
    assert here.added == (other,) and not here.offers, "though it is called otherwise there"
    assert "test_kept0" in desk.row.latest.source and "goal_check0" in desk.row.latest.source


def test_that_rows_say_what_passes_what_breaks_what_rules_nothing_out_and_which_exclude_others() -> None:
    box = SceneThing(BERRY, (0.4, 0.1, 0.02, 0, 0, 0), (0.02, 0.03, 0.02), "box")
    look = replace(LOOK, scene=Scene((box, *SCENE.things[1:]), ""))
    pick, place, end = sheet().rows
    bowl = replace(pick, step=Step("place_ontop", (REGION, "table_surface")))
    for first, condition, start in (
        (pick, "True", ": passes: all. test_a rules nothing out"),
        (pick, "abs(strawberry.pose.roll) < 0.1", ": passes: all. "),  # of how it lies it does
        (pick, "strawberry.pose.x / 0 > 1", "fault: does not run. The test test_a broke"),
        (pick, "strawberry.pose.x > 5", "doubt: in conflict. test_a of row 2 fits nowhere"),
        (pick, "strawberry.pose.y > 0.3", "doubt: in conflict. test_a of row 2 and goal_check0 of row 3"),
        (bowl, f"strawberry.pose.x > {REGION}.pose.x + 3", ": shown once rehearsed"),
    ):
        row = replace(place, description="", versions=(Version(says(condition), "Anna"),))
        desk = Desk(replace(sheet(), rows=(first, row, end)), look, "Anna")
        desk.turn_to(1)
        judged(desk)
        words = desk.words()[1]
        told = f"{words.level}: {words.state}. {words.note.lstrip('. ')}"
        assert told.startswith(start) and ("rules nothing out" in told) == ("rules" in start)


def test_that_loop_and_review_read_its_versions_and_what_became_of_them(tmp_path: Path) -> None:
    mine = sheet().with_version(1, Version(says("strawberry.pose.x > 0.45", "test_mine"), "Anna", "02:11"))
    own = approved(Settings(), replace(LOOK, start="{}"), mine, tmp_path, "Anna")
    source, replies = word_source(own.knower, BRIEF, 0), list[str]()
    events: list[ev.Event] = [ev.SceneSeen(1, SCENE)]
    while isinstance(latest := after(write_wish(BRIEF), replies), Request):
        replies.append(source.ask(latest.messages, (), STOP).text)
        events.append(ev.ModelConsulted(1, latest.purpose, latest.messages, "", replies[-1], "", source.name))
    assert source.name == "the sheet, by Anna" and latest == wish_of(mine, BRIEF)
    assert own.method == "owl-tamp" and own.options_for("robot") == {"start": "{}"}
    there = replace(SCENE.things[0], pose=(0.5, 0, 0.017, 0, 0, 0))
    events += [ev.StepFinished(2, step, DONE) for step in mine.steps]
    events += [ev.SceneSeen(3, Scene((there, *SCENE.things[1:]), "")), ev.QuestionsAsked(3, "", (ABOUT,))]
    events.append(ev.AnswersReceived(3, "", ModelCall(said(Verdict.YES).answers, by="eye")))
    records = [ev.Record("e", n, 0.0, float(n), event) for n, event in enumerate(events)]
    found = logged_wish(records, SPEC, BRIEF.problem, BRIEF.words, None)
    row = found.sheet.rows[1]
    assert found.sheet.steps == mine.steps and set(found.befores) == {0, 1}
    assert row.latest.by == "Anna, version 2" and "test_mine" in row.latest.source
    assert row.description.endswith("By Anna, version 2. Afterwards: so by its tests, yes by eye's answer")
    with pytest.raises(BadValue, match="Nobody had made a wish"):
        logged_wish(records[:2], SPEC, BRIEF.problem, BRIEF.words, None)
