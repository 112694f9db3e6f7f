"""EW tells most of what is wrong with a draft, and the walk over both machines all of it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.drafting.agreement import Walks, compare
from core.drafting.folder import JudgedWalk, contradictions, judge, judged_walks, read_walk
from core.drafting.replies import Run
from core.drafting.simulator import WorldSimulator
from core.errors import BadValue
from core.knowledge.changes import with_action
from core.planning.domain_library import load_domain_spec
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Literal
from robots.grids.games import SIX
from tests.command import call
from tests.core.drafting.known import dropped_literals, right, steps


@pytest.mark.parametrize("name", SIX)
def test_that_right_files_score_1_in_time(name: str) -> None:
    game, world, problem = right(name)
    began = time.thread_time()
    score = Walks(WorldSimulator(world)).score(steps(game, problem))
    assert (score.ew, score.exact, score.found) == (1, True, ())
    assert time.thread_time() - began < 0.4


def test_that_the_papers_own_frozen_lake_scores_low_although_its_plans_are_right() -> None:
    game, world, problem = right("frozenlake", 4)
    domain = problem.domain
    for action in domain.actions:
        printed = Literal("ice-hole", ("?from",), False)
        domain = with_action(domain, replace(action, precondition=(*action.precondition[:2], printed)))
    score = Walks(WorldSimulator(world)).score(steps(game, replace(problem, domain=domain)))
    assert score.of_world == 1 and 0 < score.ew < 0.9
    assert "possible in the draft but not in the world: there is an ice hole" in score.found[0].sentence


def test_that_a_draft_that_can_do_nothing_scores_0() -> None:
    game, world, problem = right("frozenlake")
    stuck = replace(problem, state=frozenset(a for a in problem.state if a.predicate != "at"))
    assert Walks(WorldSimulator(world)).score(steps(game, stuck)).ew == 0


def test_that_who_does_not_know_neither_agrees_nor_differs() -> None:
    class Silent(WorldSimulator):
        def run(self, words: object) -> Run:
            return Run(None)

    game, world, problem = right("frozenlake")
    score = Walks(Silent(world)).score(steps(game, problem))
    assert (score.of_world, score.of_draft, score.found) == (1, 0, ())


@pytest.mark.parametrize("name", ["frozenlake", "package"])
def test_that_the_comparison_finds_every_dropped_literal(name: str) -> None:
    game, world, problem = right(name, 2)
    unseen = [
        what for what, p in dropped_literals(problem) if compare(world, steps(game, p)).difference is None
    ]
    assert unseen == []


def test_that_the_comparison_names_the_shortest_words_where_ew_is_blind() -> None:
    game, world, problem = right("package", 2)
    slips = dict(dropped_literals(problem))
    draft = steps(game, slips["close without the effect (not (package-open ?pkg))"])
    assert Walks(WorldSimulator(world)).score(draft).exact
    found = compare(world, draft)
    assert found.difference is not None and found.difference.words[-2:] == ("close pkg-2", "close pkg-2")
    assert compare(world, steps(game, problem)).sentence == "No difference in all 256 states of this map."


def test_that_a_goal_of_its_own_is_a_difference() -> None:
    game, world, problem = right("frozenlake")
    other = replace(problem, goal=(Literal("at", ("pos-1-2",)),))
    found = compare(world, steps(game, other))
    assert "the goal is reached in the" in found.sentence


def test_that_the_verb_tells_both_figures_and_keeps_what_a_person_says(tmp_path: Path) -> None:
    game, _, problem = right("package", 2)
    slip = dict(dropped_literals(problem))["close without the effect (not (package-open ?pkg))"]
    (tmp_path / "domain.pddl").write_text(write_domain(slip.domain))
    (tmp_path / "problem.pddl").write_text(write_problem(problem))
    (tmp_path / "domain.toml").write_text(
        "[verbs]\n" + "\n".join(f'{a} = "{v}"' for a, v in game.verbs.items())
    )
    done = call("ew", "--domain", tmp_path, "--can", "turn-left, fly", "--cannot", "turn-left, fly")
    assert done.exit_code == 1, done.output
    assert "EW 1.000 on package-4-2" in done.output and "'close pkg-2' is possible" in done.output
    checked = call("check", tmp_path)
    assert checked.exit_code == 1 and "walk" not in checked.output.lower()
    judge(tmp_path, read_walk("turn-left, fly"), JudgedWalk("problem", True, "Ada"))
    ((walk, said),) = contradictions(load_domain_spec(tmp_path))
    assert (walk, said) == ("turn-left, fly", "Ada says that it can be done, and 'fly' cannot")
    judge(tmp_path, read_walk("turn-left"), JudgedWalk("problem", True, "Ada", goal=True))
    assert ("turn-left", "Ada says that the goal is reached after it, and the goal is not reached") in set(
        contradictions(load_domain_spec(tmp_path))
    )
    assert len(judged_walks(tmp_path)) == 2
    assert "Ada says" in " ".join(call("check", tmp_path).output.split())


def test_that_a_walk_without_words_is_refused() -> None:
    with pytest.raises(BadValue, match="commas"):
        read_walk(" , ")
