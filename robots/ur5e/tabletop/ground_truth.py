"""The true facts on the table, from the poses that the emulator reports. Pure; never shown to a policy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.belief import Atom
from core.planning import semantics
from core.planning.outcomes import effects_hold
from core.planning_model import Problem, Step
from robots.ur5e.scene_file import SceneFile, Size

_UPRIGHT = 0.9
VISIBLE_PX = 40


@dataclass(frozen=True)
class ThingPose:
    """A thing's centre, and how upright it stands (1: upright, -1: upside down)."""

    x: float
    y: float
    z: float
    upright: float


def true_atoms(
    problem: Problem,
    scene: SceneFile,
    places: Mapping[str, ThingPose],
    pinched: Collection[str],
    pixels: Mapping[str, int],
) -> frozenset[Atom]:
    """Return every atom that holds. `pixels`: visible pixels of each thing in the last picture."""
    (agent,) = problem.of_type("agent")
    atoms: set[Atom] = set()
    half = {name: thing.half for name, thing in scene.things.items()}
    places = {name: place for name, place in places.items() if name in half}
    held = {name for name in pinched if name in places and places[name].z > half[name][2] + 0.01}
    for name in (n for n in problem.of_type("movable") if n in places):
        if pixels.get(name, 0) >= VISIBLE_PX:
            atoms.add(Atom("inview", (agent, name)))
        if name in held:
            atoms.add(Atom("inhand", (agent, name)))
    if not held:
        atoms.add(Atom("handempty", (agent,)))
    bins = [c for c in problem.of_type("container") if c in places]
    for name in (c for c in bins if c not in held and _on_table(half[c], places[c])):
        atoms.add(Atom("ontable", (name,)))
        if in_goal(scene, places[name]):
            atoms.add(Atom("ingoal", (name,)))
    for toy in (t for t in problem.of_type("toy") if t in places and t not in held):
        inside = [c for c in bins if _is_inside(places[toy], places[c], half[c])]
        atoms.update(Atom("inside", (toy, c)) for c in inside)
        if any(Atom("ingoal", (c,)) in atoms for c in inside):
            atoms.add(Atom("collected", (toy,)))
        if not inside and _on_table(half[toy], places[toy]):
            atoms.add(Atom("ontable", (toy,)))
    return frozenset(atoms)


def shows(atom: Atom, pixels: Mapping[str, int]) -> bool:
    """Return True if a picture shows whether this is so, by the pixels that it has of each thing.

    That a thing is not in it, any picture shows.
    """
    counts = [pixels[name] for name in atom.args if name in pixels]
    return atom.predicate == "inview" or all(count >= VISIBLE_PX for count in counts)


def worked(
    problem: Problem, before: frozenset[Atom], now: frozenset[Atom], step: Step, kept: frozenset[str]
) -> bool:
    """Return True if everything holds that the step's action promised, given the facts before it.

    The predicates in `kept` are the planner's bookkeeping, of which a table tells nothing. An effect "no
    longer in view", which a domain may state to have things found anew, is ignored: the camera sees them.
    """
    if problem.step_faults(step):
        return False
    adds = semantics.adds(problem, step)
    unseen = {a for a in before | now if a.predicate == "inview"} - adds
    noted = {a for a in adds if a.predicate in kept}
    return effects_hold(problem, before - unseen, now - unseen | noted, step)


def possible(problem: Problem, now: frozenset[Atom], step: Step, kept: frozenset[str]) -> bool:
    """Return True if the preconditions of the step's action hold, but for those of the predicates `kept`."""
    if problem.step_faults(step):
        return False
    noted = {p.atom for p in semantics.preconditions(problem, step) if p.positive and p.predicate in kept}
    return semantics.is_applicable(problem, now | noted, step)


def in_goal(scene: SceneFile, place: ThingPose) -> bool:
    """Return True if a container stands upright with its centre in the goal area."""
    return scene.goal_area.contains(place.x, place.y) and place.upright > _UPRIGHT and place.z < 0.06


def _on_table(half: Size, place: ThingPose) -> bool:
    inside = 0.12 < place.x < 0.92 and abs(place.y) < 0.52
    return inside and -0.01 < place.z < max(half) + 0.02


def _is_inside(toy: ThingPose, bin_: ThingPose, half: Size) -> bool:
    """`half` is the container's; beside a turned one, the longer side counts."""
    side, height = max(half[:2]), half[2]
    near = abs(toy.x - bin_.x) < side and abs(toy.y - bin_.y) < side
    return near and bin_.upright > _UPRIGHT and -height < toy.z - bin_.z < height + 0.02
