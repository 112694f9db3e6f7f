"""Stills of sampled states, with labels, for training an eye.

Walking to states by plans or at random hardly ever halves an egg or cooks anything. So a state is drawn, the
bodies are put there, and a few skills are played from it, for what only a motion leads to: doors half open,
things that fell, halves as they come apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import product
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.planning_model import Step
from core.stop_token import StopToken
from robots.kitchen.household.household import Household
from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HAND, HouseholdState, in_view
from robots.kitchen.motion.animator import Animator
from robots.kitchen.mujoco_body import play
from robots.kitchen.rendering.offscreen_renderer import STILL_FORMAT, OffscreenRenderer
from robots.kitchen.scene.assignment import assign_bodies
from robots.kitchen.scene.builder import build_scene
from robots.kitchen.scene.loader import load_scene
from robots.kitchen.simulation.mj_sim import RenderSnapshot
from robots.labelled_still import LabelledStill, shift_camera
from robots.stop_latch import Latch

OPENNESS = 1.75  # of the skills played: what goes wrong should be seen often
_SAME = 1e-3  # metres and radians
_CLEAR, _CLEAR_IN_HAND = 0.95, 0.5  # least visible share of what can be judged to be full
_ASIDE = 0.2  # share of the drawn states that are also seen from the side


class KitchenStills:
    """Makes the stills of one kitchen and one task; the same seed gives the same ones. One thread.

    With `quick` one sun shines in place of three: shadows have hard edges, in less than half the time.
    `heated` is the share of drawn states with a vessel in the microwave or from it: rare otherwise, and hard
    to judge.
    With `moved` the camera does not stand quite where the robot believes it (`shift_camera`).
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        seed: int,
        quick: bool = False,
        heated: float = 0.0,
        moved: bool = False,
    ) -> None:
        self._heated = heated
        self._world = Household(domain_spec, task, seed=seed, openness=OPENNESS)
        scene = load_scene()
        built = build_scene(scene, assign_bodies(scene, task.problem, seed), seed)
        self._animator = Animator(built, self._world.things, Latch())
        self._animator.reset(self._world.state)
        self._initial = self._world.state
        if quick:
            _merge_suns(built.model)
        drawn = built.model
        if moved:  # what is in view is judged as if it was not
            drawn = deepcopy(drawn)
            shift_camera(drawn, "eye", seed)
        self._camera = OffscreenRenderer(drawn, STILL_FORMAT)
        self._last: RenderSnapshot | None = None
        self._rng = Random(f"stills {task.name} {seed}")
        problem = task.problem
        self._steps = [
            Step(action.name, args)
            for action in problem.domain.actions
            for args in product(*(problem.of_type(p.type) for p in action.parameters))
        ]

    def close(self) -> None:
        self._camera.close()

    def stills(self, count: int, asked: Sequence[Atom]) -> Iterator[LabelledStill]:
        """Yield `count` stills, beginning with that of the task's first state."""
        made = 0
        state: HouseholdState | None = self._initial
        while made < count:
            for _ in self._visit(state):
                if self._same_as_before():
                    continue
                yield self._still(asked)
                made += 1
                if made == count:
                    return
            state = None

    def _visit(self, state: HouseholdState | None) -> Iterator[None]:
        """Put everything into a drawn state, then play skills from it; stop at each picture."""
        rng, animator, world = self._rng, self._animator, self._world
        if state is None:
            state = sample_state(world.things, self._initial, rng)
            heated = self._heated > 0 and rng.random() < self._heated
            if heated:
                state = boil(world.things, state, rng)
            self._scatter(state, partly=0.5 if heated else 0.15)
            self._set(state)
            self._half_open_door(state)
        if not self._agrees():
            return  # no pose shows this state as it should be shown
        yield
        if state.focus and rng.random() < _ASIDE:
            joints = animator.sim.joints
            animator.player.teleport(animator.find_side_pose(state, rng.choice((-35.0, 35.0)), "a side"))
            animator.sim.publish_snapshot()
            yield
            animator.player.set_joints(joints)
        for _ in range(rng.choice((0, 1, 2, 2))):
            step = self._next_step()
            if step is None:
                return
            played = play(animator, world.do(step), StopToken())
            if played.halted or not self._agrees():
                return
            yield

    def _set(self, state: HouseholdState) -> None:
        self._world.state = state
        self._animator.enforce_facts(state)
        self._animator.player.teleport(self._animator.find_base_pose(state))
        self._animator.sim.publish_snapshot()

    def _scatter(self, state: HouseholdState, partly: float) -> None:
        """Put each thing that is to be moved at a spot of its own draw, not always at the kitchen's first.
        `partly` is the share of the vessels that are not full but hold a little.
        """
        animator = self._animator
        animator.player.release()
        full = {f.args[0] for f in state.facts if f.predicate == "filled"}
        animator.partly_filled = frozenset(
            m for m in sorted(state.places) if m not in full and self._rng.random() < partly
        )
        animator.update_looks(state)
        for name, place in state.places.items():
            if place != HAND:
                animator.placements.place_free(name, place, self._rng.randrange(1 << 30))

    def _half_open_door(self, state: HouseholdState) -> None:
        """Leave the door that the robot looks at where a door that did not obey stands, now and then."""
        animator, rng = self._animator, self._rng
        place = state.places.get(state.focus, state.focus)
        kind = animator.built.assignment.furniture.get(place, "")
        if kind not in animator.sim.max_door_angle or rng.random() > 0.3:
            return
        closed = state.holds("closed", place)
        animator.sim.set_door_opening(kind, rng.uniform(0.13, 0.36) if closed else rng.uniform(0.72, 1.0))
        animator.sim.update_kinematics()
        if not animator.view_satisfied(state):
            animator.player.teleport(animator.find_base_pose(state))
        animator.sim.publish_snapshot()

    def _next_step(self) -> Step | None:
        """Return a step that the world allows, hardly ever one that goes elsewhere."""
        able = [step for step in self._steps if self._world.step_possible(step)]
        doing = [step for step in able if step.name != "find"]
        choice = doing if doing and self._rng.random() < 0.9 else able
        return self._rng.choice(choice) if choice else None

    def _agrees(self) -> bool:
        """Return True if the picture shows what the facts say is in view, and hides the rest."""
        return self._animator.view_satisfied(self._world.state)

    def _same_as_before(self) -> bool:
        """Return True if the picture would be the last one: a step that changed nothing that is seen."""
        shown, before = self._animator.snapshot, self._last
        self._last = shown
        if before is None or not np.array_equal(shown.groups, before.groups):
            return False
        return bool(np.abs(shown.qpos - before.qpos).max() < _SAME)

    def _still(self, asked: Sequence[Atom]) -> LabelledStill:
        facts = self._world.truth()
        labels = tuple((atom in facts, self._shows(atom)) for atom in asked)
        return LabelledStill(self._camera.colour(self._animator.snapshot), labels)

    def _shows(self, atom: Atom) -> bool | None:
        """Return True if the picture shows whether this holds; None if that can hardly be seen: how full
        something is that stands at the height of the eye, far away, or half behind something.
        """
        world = self._world
        shown = world.is_observable(atom)
        if atom.predicate != "filled":
            return shown
        thing, held = atom.args[0], world.state.held
        if not shown:
            return None if thing in in_view(world.things, world.state) else False
        share = self._animator.visibility.visible_share(thing)
        return True if share >= (_CLEAR_IN_HAND if thing == held else _CLEAR) else None


def _merge_suns(model: Any) -> None:
    """Let the first sun shine for all of them; each that casts shadows costs a pass over the whole scene."""
    first, *others = (k for k in range(model.nlight) if model.light(k).name.startswith("sun"))
    for k in others:
        model.light_diffuse[first] += model.light_diffuse[k]
        model.light_specular[first] += model.light_specular[k]
        model.light_active[k] = False


def sample_state(things: HouseholdObjects, initial: HouseholdState, rng: Random) -> HouseholdState:
    """Draw a state that the household's skills could lead to. Pure."""
    furniture = sorted(things.furniture)
    places = {m: rng.choice(furniture) for m in sorted(things.movables)}
    if len(places) > 1 and rng.random() < 0.3:  # as often as not, things share a place
        places = dict.fromkeys(places, rng.choice(furniture))
    if rng.random() < 0.35:
        places[rng.choice(sorted(places))] = HAND
    facts = {Atom("closed", (c,)) for c in sorted(things.openables) if rng.random() < 0.5}
    for thing in sorted(things.movables):
        heated = places[thing] in things.ovens or rng.random() < 0.2
        if Atom("frozen", (thing,)) in initial.facts and rng.random() < 0.5:
            facts.add(Atom("frozen", (thing,)))
        elif heated and things.ovens and rng.random() < 0.5:
            facts |= {Atom("hot", (thing,)), Atom("turnedon", (min(things.ovens),))}
        if things.knives and thing not in things.knives and rng.random() < 0.5:
            facts.add(Atom("halved", (thing,)))
    for sink, liquids in things.liquids.items():
        for liquid in liquids:
            facts |= _water(things, places, sink, liquid, rng)
    return HouseholdState(
        MappingProxyType(places), frozenset(facts), *_look(things, places, furniture, initial, rng)
    )


def _water(
    things: HouseholdObjects, places: dict[str, str], sink: str, liquid: str, rng: Random
) -> set[Atom]:
    """Draw where the water is, and whether it was boiled: only a microwave that was on has done that."""
    facts: set[Atom] = set()
    if rng.random() < 0.4:
        facts.add(Atom("filledsink", (sink, liquid)))
    full = [m for m in sorted(places) if rng.random() < 0.6 and places[m] not in things.floors.values()]
    facts |= {Atom("filled", (m, liquid)) for m in full}
    microwaves = sorted(things.microwaves)
    if microwaves and rng.random() < 0.45:
        facts.add(Atom("turnedon", (microwaves[0],)))
        if full and rng.random() < 0.85:
            facts.add(Atom("cooked", (liquid,)))
    return facts


def boil(things: HouseholdObjects, state: HouseholdState, rng: Random) -> HouseholdState:
    """Return the state with a vessel in the microwave or taken out of it, and looked at. Pure.

    It is full or not, and what is in it boiled if the microwave is on.
    """
    microwave, thing = rng.choice(sorted(things.microwaves)), rng.choice(sorted(state.places))
    furniture = sorted(things.furniture)
    place = microwave if rng.random() < 0.65 else rng.choice((HAND, rng.choice(furniture)))
    changed = {"closed": (microwave,), "turnedon": (microwave,), "filled": (thing,)}
    facts = {f for f in state.facts if changed.get(f.predicate) != f.args[:1] and f.predicate != "cooked"}
    if rng.random() < 0.8:
        facts.add(Atom("closed", (microwave,)))
    if on := rng.random() < 0.6:
        facts.add(Atom("turnedon", (microwave,)))
    for liquid in sorted(w for liquids in things.liquids.values() for w in liquids):
        if rng.random() < 0.5:  # a lit window alone does not show that anything boils
            facts |= {Atom("filled", (thing, liquid))} | ({Atom("cooked", (liquid,))} if on else set())
    near = rng.choice(furniture) if place == HAND else place
    return replace(
        state,
        places=MappingProxyType({**state.places, thing: place}),
        facts=frozenset(facts),
        room=things.rooms[near],
        near=near,
        focus=near if place == HAND else rng.choice((near, near, thing)),
    )


def _look(
    things: HouseholdObjects,
    places: dict[str, str],
    furniture: list[str],
    initial: HouseholdState,
    rng: Random,
) -> tuple[str, str, str]:
    """Draw the room, what the robot went to, and what it looks at."""
    loose = [m for m in sorted(places) if places[m] != HAND]
    near = rng.choice(loose) if loose and rng.random() < 0.5 else rng.choice(furniture)
    room = things.rooms.get(places.get(near, near), initial.room)
    focus = near if rng.random() > 0.06 else ""
    return room, near, focus
