"""List what the arm at the table can be asked to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from core.domains import DomainSpec, Perception, Task
from core.planning_model import Action, Problem, Step
from robots.task_support import missing_features
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmSetup
from robots.ur5e.scene_file import read_scene
from robots.ur5e.tabletop.thing_faults import thing_doubts, thing_faults

# Each of `skills.SKILLS`, and how many things it is about. A domain names them: `skill` in `[skills.ACTION]`.
SKILLS = {"find": 1, "pick": 1, "place_goal": 1, "place_in": 2, "put_back": 1}
SENSED = "handempty"  # which the gripper tells of the agent
TOLD = {  # what an emulated table tells the truth about, with the number of arguments
    "inview": 2, "inhand": 2, "handempty": 1, "ontable": 1, "ingoal": 1, "inside": 2, "collected": 1,
}  # fmt: skip


def skill_of(domain_spec: DomainSpec, problem: Problem, step: Step) -> tuple[str, tuple[str, ...]]:
    """Return the skill that the folder names for this step, "" for none, and the things that it is about."""
    known, agents = domain_spec.skills.get(step.name), problem.of_type("agent")
    things = tuple(thing for thing in domain_spec.relevant_args(step) if thing not in agents)
    return (known.skill if known is not None else ""), things


def unsupported_reasons(
    domain_spec: DomainSpec, task: Task, setup: ArmSetup = EMULATED_SETUP
) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can.

    What is seen or remembered may have any name.
    """
    problem = task.problem

    def has_skill(action: Action) -> bool:
        if (known := domain_spec.skills.get(action.name)) is None:
            return False
        positions = known.argument_positions or range(len(action.parameters))
        types = [action.parameters[n].type for n in positions]
        return SKILLS.get(known.skill) == sum(not problem.domain.is_a(type, "agent") for type in types)

    perceived = {
        p.name: len(p.parameters)
        for p in problem.domain.predicates
        if domain_spec.perception(p.name) is not Perception.SENSE or p.name == SENSED
    }
    reasons = missing_features("The arm at the table", domain_spec, task, perceived, has_skill)
    agents = problem.of_type("agent")
    if len(agents) != 1:
        reasons += (f"Task {task.name}: the table has one arm, so it needs one agent, not {len(agents)}.",)
    table = read_scene(setup.scene)
    known = table.things
    if table.goal_area.drawn:
        reasons += tuple(_goal_conditions(domain_spec, problem.domain.actions))
    if unknown := [name for name in problem.of_type("movable") if name not in known]:
        things = f"the scene {Path(setup.scene).name!r} has no {', '.join(unknown)}"
        remedy = "add them (`things add`), or name a scene file that has, as `scene` in the arm's setup file"
        reasons += (f"Task {task.name}: {things}: {remedy}.",)
    picked = _picked(domain_spec, problem)
    return (*reasons, *thing_faults(table, problem.of_type("movable"), picked, setup.gripper))


def doubts(domain_spec: DomainSpec, task: Task, setup: ArmSetup, drawn: bool) -> tuple[str, ...]:
    """Return what of its things will probably make this task fail. `drawn`: the emulator draws them."""
    problem = task.problem
    picked = _picked(domain_spec, problem)
    return tuple(thing_doubts(read_scene(setup.scene), problem.of_type("movable"), picked, setup, drawn))


def _picked(domain_spec: DomainSpec, problem: Problem) -> frozenset[str]:
    """Return the things that some action of the domain picks."""
    found = set[str]()
    for action in problem.domain.actions:
        known = domain_spec.skills.get(action.name)
        if known is not None and known.skill == "pick":
            kinds = {p.type for p in action.parameters if not problem.domain.is_a(p.type, "agent")}
            found.update(name for kind in kinds for name in problem.of_type(kind))
    return frozenset(found)


def _goal_conditions(domain_spec: DomainSpec, actions: Iterable[Action]) -> Iterator[str]:
    """Yield what is missing where the arm puts things only into a container in the goal area, and an action
    demands nothing of its container.
    """
    for action in actions:
        known = domain_spec.skills.get(action.name)
        if known is None or known.skill != "place_in":
            continue
        container = action.parameters[(known.argument_positions or range(len(action.parameters)))[-1]].name
        if not any(literal.args[-1:] == (container,) and literal.positive for literal in action.precondition):
            yield (
                f"Action {action.name}: the arm puts things only into a container that stands in the goal "
                "area, and the action demands nothing of it: give it such a precondition, or put "
                "`goal_area = { drawn = false }` into the scene."
            )


def untold_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return which predicates an emulated table does not tell the truth about, one sentence for each."""
    return missing_features("The emulated table", domain_spec, task, TOLD, lambda action: True)
