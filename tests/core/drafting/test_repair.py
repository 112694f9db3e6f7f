"""A slip is mended by search, without a model, until nothing differs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Atom
from core.drafting.agreement import Walks, compare
from core.drafting.edits import FactEdit, LiteralEdit, literal_edits, unusual
from core.drafting.plans import far_walk
from core.drafting.repair import repair
from core.drafting.screening import is_likely
from core.drafting.simulator import WorldSimulator
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import with_action
from core.planning_model import Literal
from core.work import Work
from robots.grids.games import SIX
from tests.core.drafting.known import dropped_literals, right, simulating, steps


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        ("frozenlake", "move-up without (not (ice-hole ?to))"),
        ("package", "close without the effect (package-closed ?pkg)"),
        ("package", "turn-left without the effect (not (facing ?from))"),
    ],
)
def test_that_a_single_slip_is_mended_to_no_difference(name: str, slip: str) -> None:
    game, world, problem = right(name, 2)
    draft = dict(dropped_literals(problem))[slip]
    found = repair(draft, game, Walks(WorldSimulator(world)))
    assert found.agrees and found.comparison is not None and found.comparison.whole
    last = found.repairs[-1]
    assert last.needed_by and not last.forbidden_by
    assert last.edit.describe().startswith(f"the {'effect' if 'effect' in slip else 'precondition'} of")


@pytest.mark.long
@pytest.mark.parametrize("name", ["frozenlake", "maze", "package", "sokoban", "printer"])
def test_that_every_dropped_literal_is_mended_to_no_difference(name: str) -> None:
    game, world, problem = right(name, 2)
    walks = Walks(WorldSimulator(world))
    drafts = dropped_literals(problem)
    assert [what for what, draft in drafts if not repair(draft, game, walks).agrees] == []


def test_that_a_missing_fact_is_found() -> None:
    game, world, problem = right("package", 2)
    link = Atom("move-dir", ("pos-1-1", "pos-1-2", "right"))
    draft = replace(problem, state=problem.state - {link})
    found = repair(draft, game, Walks(WorldSimulator(world)))
    assert [r.edit for r in found.repairs] == [FactEdit(link, True)] and found.problem == problem


def test_that_of_a_model_that_simulates_the_walks_are_the_judge() -> None:
    game, world, problem = right("frozenlake", 2)
    draft = dict(dropped_literals(problem))["move-right without (at ?from)"]
    found = repair(draft, game, Walks(simulating(world, [])))
    assert found.agrees and found.comparison is None


def test_that_an_edit_is_a_proposal_with_words_pddl_and_faults() -> None:
    _, _, problem = right("package")
    edit = LiteralEdit("move", False, None, Literal("facing", ("?to",)))
    assert edit.describe() == "the precondition of move gets (facing ?to)"
    assert edit.pddl == "move: (facing ?to)"
    assert edit.apply(problem).domain.action("move").precondition[-1] == edit.new
    wrong = replace(edit, action="fly")
    assert change_faults(problem, [wrong]) and not change_faults(problem, [edit])
    assert apply_changes(problem, [edit]) == edit.apply(problem)


def test_that_two_edits_are_made_where_none_helps_alone() -> None:
    game, world, problem = right("package")
    open_, close = (problem.domain.action(name) for name in ("open", "close"))
    never = Literal("package-open", ("?pkg",), False)
    domain = with_action(problem.domain, replace(open_, effects=()))
    needs = tuple(never if p.atom == never.atom else p for p in close.precondition)
    domain = with_action(domain, replace(close, precondition=needs))
    found = repair(replace(problem, domain=domain), game, Walks(WorldSimulator(world)))
    assert found.agrees and any(one.forbidden_by for one in found.repairs)


def test_that_what_makes_a_word_say_hundreds_of_steps_is_mended_first() -> None:
    game, world, problem = right("sokoban", 2)
    move = problem.domain.action("move")
    turned = next(p for p in move.precondition if p.predicate == "move-dir")
    needs = tuple(
        replace(p, positive=False) if p == turned else p for p in move.precondition if p.predicate != "at"
    )
    draft = replace(problem, domain=with_action(problem.domain, replace(move, precondition=needs)))
    found = repair(draft, game, Walks(WorldSimulator(world)))
    assert found.agrees and found.repairs[0].tightens and "24 steps or more" in found.repairs[0].reason


def test_that_two_actions_of_which_both_say_too_many_steps_are_mended_one_after_the_other() -> None:
    game, world, problem = right("maze", 2)
    problem = dict(dropped_literals(problem))["move-left without the effect (not (at ?from))"]
    for way in ("up", "down"):
        problem = dict(dropped_literals(problem))[f"move-{way} without ({way}_direction ?from ?to)"]
    found = repair(problem, game, Walks(WorldSimulator(world)))
    assert found.agrees and sum(one.tightens for one in found.repairs) >= 2


def test_that_an_edit_asks_for_no_thing_and_its_opposite_and_makes_what_nothing_made() -> None:
    _, _, problem = right("package")
    move, open_ = (problem.domain.action(name) for name in ("move", "open"))
    gets = [edit for edit in literal_edits(problem, move) if isinstance(edit, LiteralEdit)]
    at = next(p for p in move.precondition if p.predicate == "at")
    denied = replace(at, positive=False)
    assert LiteralEdit("move", False, at, denied) in gets
    assert LiteralEdit("move", False, None, denied) not in gets
    bare = replace(problem, domain=with_action(problem.domain, replace(open_, effects=())))
    opened = Literal("package-open", ("?pkg",))
    assert LiteralEdit("open", True, None, opened) in literal_edits(bare, bare.domain.action("open"))


def test_that_of_equal_edits_one_that_makes_actions_alike_comes_first() -> None:
    _, _, problem = right("package")
    common = LiteralEdit("move", False, None, Literal("move-dir", ("?pos", "?where", "?dir")))
    odd = LiteralEdit("move", False, None, Literal("move-dir", ("?where", "?pos", "?dir")))
    assert min((odd, common), key=unusual(problem)) == common
    assert min((odd, common.inverse), key=unusual(problem)) == odd


def test_that_no_link_is_guessed_that_is_unlike_the_others() -> None:
    _, _, problem = right("package")
    assert is_likely(problem, Atom("move-dir", ("pos-1-1", "pos-1-2", "right")))
    assert not is_likely(problem, Atom("move-dir", ("pos-1-1", "pos-1-2", "up")))
    assert is_likely(problem, Atom("package-at", ("pkg-1", "pos-1-2")))


@pytest.mark.parametrize(("units", "agrees"), [(1, False), (28_000, False), (200_000, True)])
def test_that_a_repair_ends_after_its_work_with_the_best_so_far(units: int, agrees: bool) -> None:
    game, world, problem = right("package", 2)
    wrong = dict(dropped_literals(problem))["close without the effect (package-closed ?pkg)"]
    wrong = dict(dropped_literals(wrong))["move without (at ?from)"]
    walks = Walks(WorldSimulator(world))
    found, again = (repair(wrong, game, walks, within=Work(units)) for _ in range(2))
    assert found == again and found.agrees is agrees and len(found.repairs) == {1: 0, 28_000: 1}.get(units, 2)


@pytest.mark.parametrize("name", SIX)
def test_that_a_walk_that_comes_far_ends_in_the_goal_of_any_game(name: str) -> None:
    _, world, _ = right(name, 1)
    walk = far_walk(world)
    run = WorldSimulator(world).run(walk)
    assert (run.done, run.goal) == (len(walk), True)


@pytest.mark.long
def test_that_a_slip_at_the_end_of_a_long_game_is_found_and_repaired() -> None:
    game, world, problem = right("overcooked", 1)
    slip = dict(dropped_literals(problem))["put-plate without (has-plate ?pl ?d)"]
    assert compare(world, steps(game, slip), 50).difference is not None
    found = repair(slip, game, Walks(WorldSimulator(world), each=1), limit=50)
    assert found.agrees and len(found.repairs) == 1
