"""A domain is run in its world: the world says what works, and when the goal is reached."""

from __future__ import annotations

from dataclasses import replace

from core.config import Settings
from core.install_paths import resource_path
from core.planning.domain_library import load_domain_spec
from core.planning_model import Step
from robots.grids.options import GridOptions
from robots.grids.robot import GridRobot, unsupported
from tests.episodes import episode

FOLDER = resource_path("resources", "grids", "package")


def test_that_the_reference_reaches_its_goal_in_the_world() -> None:
    run = episode(Settings(task="problem", domain=str(FOLDER), pictures=False))
    assert run.true and run.steps > 3


def test_that_a_goal_of_the_draft_alone_is_not_true() -> None:
    spec = load_domain_spec(FOLDER)
    (task,) = spec.tasks.values()
    done = {goal.atom for goal in task.problem.goal}
    wishful = replace(task, problem=task.problem.with_state(task.problem.state | done))
    robot = GridRobot(GridOptions(), domain_spec=spec, task=wishful, pictures=False, pace=0)
    assert done <= robot.true_state and not done & robot.truth()
    assert not robot.step_possible(Step("open", ("pkg-1", "pos-1-1", "pos-1-2", "up")))
    robot.close()


def test_that_a_task_of_no_map_is_refused_in_a_sentence() -> None:
    spec = load_domain_spec(FOLDER)
    (task,) = spec.tasks.values()
    other = replace(task, problem=replace(task.problem, name="boil_water"))
    assert "named after a map" in unsupported(spec, other)[0]
    assert unsupported(spec, task) == ()
