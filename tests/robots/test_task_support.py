"""What each robot says it understands, and refuses."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from core.domains import DomainSpec, PredicateSpec, Skill, Task
from core.errors import BadValue
from core.planning import domain_library
from core.planning_model import Predicate, Problem, Typed
from robots.kitchen.household.household import unsupported_reasons as kitchen
from robots.kitchen.robot import KitchenRobot
from robots.symbolic.robot import SymbolicRobot
from robots.symbolic.world import unsupported_reasons as symbolic
from robots.task_support import raise_unsupported
from robots.ur5e.tabletop.task_support import unsupported_reasons as table


def household(task: str = "boil_water", variant: str = "repaired") -> tuple[DomainSpec, Task]:
    return domain_library.load_task(task, variant)


def felt_by_three(folder: DomainSpec, task: Task) -> tuple[DomainSpec, Task]:
    """The household with another meaning of one of its predicates."""
    domain = folder.domain
    other = Predicate("handempty", (Typed("?o", "movable"),) * 3)
    domain = replace(domain, predicates=(*domain.predicates, other))
    return folder, replace(task, problem=replace(task.problem, domain=domain))


@pytest.mark.parametrize("variant", ["repaired", "printed"])
def test_that_every_shipped_task_is_understood_where_it_is_at_home(variant: str) -> None:
    for name in ("household", "tabletop"):
        folder = domain_library.load_domain_spec(name, variant if name == "household" else None)
        for task in folder.tasks.values():
            assert symbolic(folder, task) == ()
            assert (kitchen(folder, task) == ()) is (name == "household")
            assert (table(folder, task) == ()) is (name == "tabletop")


def test_that_a_predicate_that_the_kitchen_means_otherwise_is_refused_in_a_sentence() -> None:
    folder, task = felt_by_three(*household())
    said = "The kitchen knows no predicate 'handempty' with 3 arguments"
    assert kitchen(folder, task) == (f"{said}.",)
    with pytest.raises(BadValue) as caught:
        KitchenRobot(folder, task, pictures=False)
    assert str(caught.value) == f"{said}: choose the symbolic robot, which runs every domain."
    with pytest.raises(BadValue, match=r"^nut has no `hue`: measure it\.$"):
        raise_unsupported(("nut has no `hue`: measure it.",))


def test_that_a_predicate_that_only_keeps_books_need_not_be_known() -> None:
    folder, task = felt_by_three(*household())
    specs = {**folder.predicate_specs, "handempty": PredicateSpec("", bookkeeping=True)}
    folder = replace(folder, predicate_specs=specs)
    assert kitchen(folder, task) == ()


def test_that_an_action_without_a_skill_is_told() -> None:
    folder, task = household()
    without = replace(folder, skills={n: s for n, s in folder.skills.items() if n != "fill"})
    assert kitchen(without, task) == ("The kitchen has no skill for the action 'fill'.",)
    other = replace(folder, skills={**folder.skills, "fill": Skill("fill", "pour")})
    assert kitchen(other, task) == kitchen(without, task)


def test_that_all_reasons_are_given_each_in_one_sentence() -> None:
    folder, task = domain_library.load_task("collect_toys")
    reasons = kitchen(folder, task)
    assert len(reasons) == 5
    assert all(reason.endswith(".") and reason.count(". ") == 0 for reason in reasons)
    assert any("object of type floor" in reason for reason in reasons)


def test_that_a_world_without_an_action_of_the_planner_is_told() -> None:
    folder, task = household()
    domain = task.problem.domain
    poorer = replace(domain, actions=tuple(a for a in domain.actions if a.name != "fill"))
    world = Problem("world", poorer, task.problem.objects, task.problem.state, task.problem.goal)
    task = replace(task, world_problem=world)
    said = "Task boil_water: its world has no action fill of this kind; add it to the world's domain file."
    assert symbolic(folder, task) == (said,)
    with pytest.raises(BadValue, match="no action fill"):
        SymbolicRobot(folder, task)


def test_that_asking_loads_nothing_heavy() -> None:
    heavy = ("mujoco", "cv2", "rtde_control", "robots.kitchen.robot", "robots.ur5e.tabletop.robot")
    code = (
        "import sys, robots.kitchen.household.household, robots.ur5e.tabletop.task_support\n"
        "import robots.symbolic.world\n"
        f"sys.exit(str([m for m in {heavy} if m in sys.modules] or ''))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
