"""A task whose world is wider than the planner's problem."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.belief import Atom
from core.errors import BadFile
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Step
from core.ports import StepStatus
from core.stop_token import StopToken
from robots.symbolic.robot import SymbolicRobot
from tests.core.planning.shared import FIXTURES
from tests.permitted import do

TASK = """(define (problem turn_around) (:domain blocks) (:objects a b{more} - block)
  (:init (handempty) (ontable b) (on a b) (clear a){facts})
  (:goal (on b a)))"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Blocks, with a world in which some stick to the table and one more, that the planner does not know."""
    path = tmp_path / "blocks"
    shutil.copytree(FIXTURES / "blocks", path)
    toml = (path / "domain.toml").read_text()
    world = 'plan_length = 4\nworld = "tasks/world.pddl"\nworld_domain = "world.pddl"'
    (path / "domain.toml").write_text(toml.replace("plan_length = 4", world))
    domain = (path / "domain.pddl").read_text()
    domain = domain.replace("(:predicates", "(:predicates (sticky ?x - block)")
    domain = domain.replace(
        ":precondition (and (clear ?x)", ":precondition (and (not (sticky ?x)) (clear ?x)"
    )
    (path / "world.pddl").write_text(domain)
    (path / "tasks" / "world.pddl").write_text(
        TASK.format(more=" d", facts=" (sticky b) (ontable d) (clear d)")
    )
    return path


def test_that_the_robot_lives_in_the_world_and_the_planner_does_not(path: Path) -> None:
    folder = domain_library.load_domain_spec(path)
    task = folder.tasks["turn_around"]
    assert task.world_problem and task.simulated_problem is task.world_problem
    assert "d" not in [o.name for o in task.problem.all_objects]
    plan = make_planner().plan(task.problem, StopToken())
    robot = SymbolicRobot(folder, task, openness=0)
    assert Atom("sticky", ("b",)) in robot.truth()
    endings = [do(robot, step) for step in plan.steps]
    failed = next(outcome for outcome in endings if outcome.status is StepStatus.FAILED)
    assert failed.detail == "(sticky b) holds, but must not"


def test_that_what_only_the_world_has_can_be_acted_on(path: Path) -> None:
    folder = domain_library.load_domain_spec(path)
    robot = SymbolicRobot(folder, folder.tasks["turn_around"], openness=0)
    assert do(robot, Step("pick-up", ("d",))).status is StepStatus.DONE
    assert Atom("holding", ("d",)) in robot.truth()


def test_that_the_senses_are_those_that_the_agent_knows_of(path: Path) -> None:
    folder = domain_library.load_domain_spec(path)
    robot = SymbolicRobot(folder, folder.tasks["turn_around"])
    assert set(robot.sense()) == {Atom("handempty")}


def test_that_a_task_without_a_world_is_simulated_as_it_is() -> None:
    task = domain_library.load_domain_spec(FIXTURES / "blocks").tasks["tower_of_three"]
    assert task.world_problem is None and task.simulated_problem is task.problem


def test_that_the_worlds_laws_may_speak_of_what_only_the_world_has(path: Path) -> None:
    law = '[[world.rules]]\nwhy = "x"\nforall = "?b - block"\nthen = ["(sticky ?b)"]\n'
    toml = (path / "domain.toml").read_text()
    (path / "domain.toml").write_text(toml.replace("[names]", law + "[names]"))
    assert domain_library.load_domain_spec(path).world_rules.rules[0].then[0].predicate == "sticky"


def test_that_a_world_without_an_object_of_the_task_is_refused(path: Path) -> None:
    world = "(define (problem w) (:domain blocks) (:objects a - block) (:init) (:goal (clear a)))"
    (path / "tasks" / "world.pddl").write_text(world)
    with pytest.raises(BadFile, match=r"world\.pddl: has no object b, which the task turn_around has"):
        domain_library.load_domain_spec(path)


def test_that_a_world_in_which_the_goal_cannot_come_true_is_refused(path: Path) -> None:
    requirements = "(:requirements :strips :typing) (:types block) (:predicates (ontable ?x - block))"
    (path / "world.pddl").write_text(f"(define (domain blocks) {requirements})")
    world = "(define (problem w) (:domain blocks) (:objects a b - block) (:init) (:goal (ontable a)))"
    (path / "tasks" / "world.pddl").write_text(world)
    with pytest.raises(BadFile, match=r"has no predicate on, so \(on b a\) can never come true in it"):
        domain_library.load_domain_spec(path)
