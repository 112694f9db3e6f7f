"""Versions are made one at a time by a model, a search or a person, and nobody's edits are lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.drafting.difference import compare
from core.drafting.edits import LiteralEdit
from core.drafting.marks import Standing, marks
from core.drafting.record import DraftRecord, kept
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
from core.planning_model import Literal
from core.stop_token import StopToken
from robots.grids.games import games
from tests.core.drafting.known import right, steps

SETTINGS = {"map": "frozenlake-3-2", "room": "yes"}


def bench(seed: int = 2) -> Workbench:
    game, world, _ = right("frozenlake", seed)
    walks, ask = Walks(WorldSimulator(world)), SimulatedDrafter(game, world).ask
    return Workbench(game, world.name, walks, ask, planner(game, {}, StopToken()), METHODS["ours"], world)


def test_that_slips_that_its_own_map_does_not_show_are_mended_on_others() -> None:
    game, world, problem = right("frozenlake")
    hole = Literal("ice-hole", ("?to",), False)
    up, left = (LiteralEdit(name, False, hole, None) for name in ("move-up", "move-left"))
    slipped = up.apply(left.apply(problem))
    made = bench(0)
    unseen = made.written(*made.texts_of(slipped), "ada")
    assert unseen.converged and compare(world, steps(game, slipped)).difference is None
    wider = made.imagined(unseen)
    assert wider is not None and wider.converged and wider.compared.startswith("No difference")
    needed = {edit.inverse.describe() for edit in (up, left)}
    assert {*wider.repairs} == needed and made.imagined(wider) is None


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


def test_that_each_literal_is_needed_forbidden_or_never_tested() -> None:
    game, world, problem = right("frozenlake", 2)
    slip = LiteralEdit("move-up", False, game.reference.action("move-up").precondition[-1], None)
    extra = replace(slip, old=None, new=replace(slip.old, positive=True) if slip.old else None)
    said = list(marks(extra.apply(slip.apply(problem)), game, Walks(WorldSimulator(world)), world))
    found = {(m.action, m.literal): m for m in said if not m.effect}
    assert found["move-up", extra.new].standing is Standing.FORBIDDEN  # type: ignore[index]
    assert found["move-up", extra.new].walk  # type: ignore[index]
    assert Standing.NEEDED in {m.standing for m in said}


def test_that_a_map_from_a_picture_has_a_name_from_which_it_is_made_again() -> None:
    for game in (game for game in games().values() if game.shown is not None):
        world = game.make(game.sizes[0], 1)
        name = name_of_cells(game, world.cells(world.first))
        again = world_of(games(), name)[1]
        assert again.name == name and again.cells(again.first) == world.cells(world.first)
    for bad in ("frozenlake-3-c0", "frozenlake-3-c000000009", "frozenlake-3-c000000000"):
        with pytest.raises(BadValue):
            world_of(games(), bad)
