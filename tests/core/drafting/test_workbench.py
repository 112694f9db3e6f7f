"""Versions are made one at a time by a model, a search or a person, and nobody's edits are lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.drafting.edits import LiteralEdit, merge
from core.drafting.marks import Standing, marks
from core.drafting.record import DraftRecord, kept
from core.drafting.repair import repair
from core.drafting.rounds import METHODS, MODEL, Workbench
from core.drafting.score import Walks
from core.drafting.screening import place_of
from core.drafting.simulated import SimulatedDrafter
from core.drafting.simulator import WorldSimulator
from core.drafting.trials import planner
from core.drafting.world import name_of_cells, world_of
from core.errors import BadValue
from core.log.recorder import Recorder
from core.pictures import blank_frame
from core.stop_token import StopToken
from robots.grids.games import games
from tests.core.drafting.known import right

SETTINGS = {"map": "frozenlake-3-2", "room": "yes"}


def bench() -> Workbench:
    game, world, _ = right("frozenlake", 2)
    walks, ask = Walks(WorldSimulator(world)), SimulatedDrafter(game, world).ask
    return Workbench(game, world.name, walks, ask, planner(game, {}, StopToken()), METHODS["ours"], world)


def test_that_a_version_knows_who_made_it_and_from_which_and_is_in_the_log_as_written(tmp_path: Path) -> None:
    made, path = bench(), tmp_path / "log.db"
    first = made.asked()
    domain, problem = first.texts
    mine = made.written(f"; mine\n{domain}", problem, "ada, from version 3", first)
    broken = made.written(domain, problem.replace("(:goal", "(:goal ("), "ada", mine)
    assert (first.by, first.parent, mine.parent, mine.number) == (MODEL, 0, 1, 2)
    assert mine.score == first.score and broken.problem is None and broken.parts == mine.parts
    assert place_of(broken.faults[0])[0] == "the problem" and place_of("Odd.") == ("", 0)
    with Recorder.open(path) as recorder:
        frame = blank_frame("", 0.0, "")
        record = DraftRecord(recorder, "frozenlake", SETTINGS, frame, "test", lambda *_: "")
        for version in (first, mine, broken):
            record.keep(version)
    versions, _ = kept(path, SETTINGS)
    assert [(k.by, k.parent) for k in versions] == [(v.by, v.parent) for v in (first, mine, broken)]
    assert [(k.domain_text, k.problem_text) for k in versions] == [v.texts for v in (first, mine, broken)]
    assert not any(kept(path, {"map": "other"}))


def slipped() -> tuple[Workbench, LiteralEdit]:
    made = bench()
    action = made.game.reference.action("move-up")
    return made, LiteralEdit(action.name, False, action.precondition[-1], None)


def test_that_a_slip_is_mended_by_one_repair_unless_a_person_refuses_it() -> None:
    made, slip = slipped()
    _, world, problem = right("frozenlake", 2)
    wrong = slip.apply(problem)
    once = repair(wrong, made.game, made.walks, world, rounds=1)
    assert [one.edit for one in once.repairs] == [slip.inverse] and once.agrees
    other = repair(wrong, made.game, made.walks, world, rounds=1, refused=[slip.inverse])
    assert slip.inverse not in [one.edit for one in other.repairs]


def test_that_each_literal_is_needed_forbidden_or_never_tested() -> None:
    made, slip = slipped()
    game, world, problem = right("frozenlake", 2)
    extra = replace(slip, old=None, new=replace(slip.old, positive=True) if slip.old else None)
    said = list(marks(extra.apply(slip.apply(problem)), game, made.walks, world))
    found = {(m.action, m.literal): m for m in said if not m.effect}
    assert found["move-up", extra.new].standing is Standing.FORBIDDEN  # type: ignore[index]
    assert found["move-up", extra.new].walk  # type: ignore[index]
    assert Standing.NEEDED in {m.standing for m in said}


def test_that_what_a_person_edited_stays_when_others_change_the_same_draft() -> None:
    _, slip = slipped()
    _, _, before = right("frozenlake", 2)
    fact = min(before.state)
    mine = slip.apply(before).with_state(before.state - {fact})
    down = before.domain.action("move-down")
    theirs = replace(slip, action=down.name, old=down.precondition[-1]).apply(before)
    merged, conflicts = merge(before, mine, theirs)
    assert not conflicts and fact not in merged.state
    assert merged.domain.action("move-up") == mine.domain.action("move-up")
    assert merged.domain.action("move-down") == theirs.domain.action("move-down")
    up = before.domain.action("move-up")
    theirs = replace(slip, old=up.precondition[0]).apply(before)
    merged, (conflict,) = merge(before, mine, theirs)
    assert merged.domain.action("move-up") == mine.domain.action("move-up")
    assert conflict.resolved.domain.action("move-up") == theirs.domain.action("move-up")


def test_that_a_map_from_a_picture_has_a_name_from_which_it_is_made_again() -> None:
    for game in (game for game in games().values() if game.shown is not None):
        world = game.make(game.sizes[0], 1)
        name = name_of_cells(game, world.cells(world.first))
        again = world_of(games(), name)[1]
        assert again.name == name and again.cells(again.first) == world.cells(world.first)
    for bad in ("frozenlake-3-c0", "frozenlake-3-c000000009", "frozenlake-3-c000000000"):
        with pytest.raises(BadValue):
            world_of(games(), bad)
