"""The true facts on the table, from the poses that the emulator reports. Pure; never shown to a policy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.belief import Atom
from core.planning import semantics
from core.planning.outcomes import effects_hold
from core.planning_model import Problem, Step
from robots.ur5e.emulator.scene import GOAL_AREA, SCENES, make_scene

_CONTAINER_HALF, _CONTAINER_HEIGHT = 0.06, 0.035
_UPRIGHT = 0.9
VISIBLE = 40  # pixels


@dataclass(frozen=True)
class ThingPose:
    """A thing's centre, and how upright it stands (1: upright, -1: upside down)."""

    x: float
    y: float
    z: float
    upright: float


HALF_SIZES = {t.name: t.half for name in SCENES for t in make_scene(name).things}


def true_atoms(
    problem: Problem, places: Mapping[str, ThingPose], pinched: Collection[str], pixels: Mapping[str, int]
) -> frozenset[Atom]:
    """Return every atom that holds. `pixels`: visible pixels of each thing in the last picture."""
    (agent,) = problem.of_type("agent")
    atoms: set[Atom] = set()
    held = {name for name in pinched if name in places and _is_lifted(name, places[name])}
    for name in (n for n in problem.of_type("movable") if n in places):
        if pixels.get(name, 0) >= VISIBLE:
            atoms.add(Atom("inview", (agent, name)))
        if name in held:
            atoms.add(Atom("inhand", (agent, name)))
    if not held:
        atoms.add(Atom("handempty", (agent,)))
    bins = [c for c in problem.of_type("container") if c in places]
    for name in (c for c in bins if c not in held and _on_table(c, places[c])):
        atoms.add(Atom("ontable", (name,)))
        if in_goal(places[name]):
            atoms.add(Atom("ingoal", (name,)))
    for toy in (t for t in problem.of_type("toy") if t in places and t not in held):
        inside = [c for c in bins if _is_inside(places[toy], places[c])]
        atoms.update(Atom("inside", (toy, c)) for c in inside)
        if any(Atom("ingoal", (c,)) in atoms for c in inside):
            atoms.add(Atom("collected", (toy,)))
        if not inside and _on_table(toy, places[toy]):
            atoms.add(Atom("ontable", (toy,)))
    return frozenset(atoms)


def worked(problem: Problem, before: frozenset[Atom], now: frozenset[Atom], step: Step) -> bool:
    """Return True if everything holds that the step's action promised, given the facts before it.

    An effect "no longer in view" is ignored: the domain states it so that things are found anew, but the
    camera still sees them.
    """
    if problem.step_faults(step):
        return False
    found = semantics.ground_operator(problem, step).adds
    unseen = {a for a in before | now if a.predicate == "inview"} - found
    return effects_hold(problem, before - unseen, now - unseen, step)


def possible(problem: Problem, now: frozenset[Atom], step: Step) -> bool:
    """Return True if the preconditions of the step's action hold."""
    return not semantics.inapplicable_reasons(problem, now, step)


def in_goal(place: ThingPose) -> bool:
    """Return True if a container stands upright with its centre in the goal area."""
    x, y, side = GOAL_AREA
    return abs(place.x - x) < side and abs(place.y - y) < side and place.upright > _UPRIGHT and place.z < 0.06


def _is_lifted(name: str, place: ThingPose) -> bool:
    return place.z > HALF_SIZES[name][2] + 0.01


def _on_table(name: str, place: ThingPose) -> bool:
    inside = 0.12 < place.x < 0.92 and abs(place.y) < 0.52
    return inside and -0.01 < place.z < max(HALF_SIZES[name]) + 0.02


def _is_inside(toy: ThingPose, bin_: ThingPose) -> bool:
    near = abs(toy.x - bin_.x) < _CONTAINER_HALF and abs(toy.y - bin_.y) < _CONTAINER_HALF
    return near and bin_.upright > _UPRIGHT and -_CONTAINER_HEIGHT < toy.z - bin_.z < _CONTAINER_HEIGHT + 0.02
