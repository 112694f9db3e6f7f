"""Whether a person would know a way: planned in the true world, without the method and without a model."""

from __future__ import annotations

from dataclasses import replace

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.knowledge.apply import apply_changes
from core.knowledge.changes import AddFact, AddObject, AddPrecondition, AddRepair, AllowSubstitute, Change
from core.open_world.situations import hindrance, interpret_situation
from core.open_world.world_file import load_open_world
from core.planners import Planner
from core.planning_model import PlanStatus
from core.stock import StockItem
from core.stop_token import StopToken

BAD = "is_hindered"


def is_solvable(
    folder: DomainSpec,
    task: Task,
    stock: tuple[StockItem, ...],
    sentence: str,
    state: frozenset[Atom],
    planner: Planner,
) -> bool:
    """Return True if some plan reaches the goal from this true state, as the paper means it.

    In the place of the thing that failed, another one is used that a person would accept, or it is repaired.
    """
    world, domain = load_open_world(folder), task.problem.domain
    told = interpret_situation(world, folder, task.problem, task.name, sentence)
    thing = told.object
    type = next((o.type for o in task.problem.all_objects if o.name == thing), "")
    changes: list[Change] = []
    for item in stock:
        instead = type if type and world.accepts(domain, type, item.kind) else item.sort
        if not domain.is_a(item.kind, instead):
            changes.append(AllowSubstitute(item.kind, instead))
        changes.append(AddObject(item.name, item.kind, item.facts))
        if type and world.mends(item.kind, told.kind, type):
            changes.append(AddRepair(world.repair_skill, item.kind, BAD, type))
    barred = frozenset(a.name for a in domain.actions if not thing and hindrance(world, told, a.name, ()))
    for action in domain.actions if type else ():
        takes = any(domain.is_a(type, p.type) for p in action.parameters)
        if takes and hindrance(world, told, action.name, (thing,)):
            changes += [AddPrecondition(action.name, BAD, (type,)), AddFact(Atom(BAD, (thing,)))]
    here = task.problem.with_state(state)
    problem = apply_changes(here, changes)
    names = {o.name for o in problem.all_objects}
    facts = {atom for atom in problem.state if names.issuperset(atom.args)}
    if world.kinds[told.kind].effect == "gone":
        facts = {atom for atom in facts if thing not in atom.args or atom.predicate == BAD}
    kept = tuple(a for a in problem.domain.actions if a.name not in barred)
    problem = replace(problem, domain=replace(problem.domain, actions=kept), state=frozenset(facts))
    return planner.plan(problem, StopToken()).status is PlanStatus.FOUND
