"""What the body's tests share: a household with a body, and steps that lead somewhere."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from core.domains import DomainSpec, Task
from core.planning import domain_library
from core.planning_model import Step
from core.stop_token import StopToken
from robots.kitchen.household.household import Household
from robots.kitchen.household.skills import HOUSEHOLD_SKILLS
from robots.kitchen.household.state import HouseholdTransition
from robots.kitchen.motion.animator import Animator
from robots.kitchen.mujoco_body import PlaybackResult, play
from robots.kitchen.scene.assignment import assign_bodies
from robots.kitchen.scene.builder import build_scene
from robots.kitchen.scene.geom_builder import TRANSPARENT_GROUP
from robots.kitchen.scene.loader import load_scene
from robots.stop_latch import Latch

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")
TASK_SAMPLE = tuple(  # the rest of them in the long tests
    task if task == "boil_water" else pytest.param(task, marks=pytest.mark.long) for task in TASKS
)


@dataclass
class KitchenHarness:
    """A world and the body that shows it. No OpenGL."""

    folder: DomainSpec
    task: Task
    world: Household
    body: Animator
    latch: Latch

    def do(self, step: Step, cancel: StopToken | None = None) -> tuple[HouseholdTransition, PlaybackResult]:
        happening = self.world.do(step)
        played = play(self.body, happening, cancel or StopToken())
        if played.halted:
            self.world.interrupt(happening, played.state, played.committed)
        return happening, played

    def masks(self) -> dict[str, NDArray[np.bool_]]:
        """The pixels of everything that can be seen, by MuJoCo's own segmentation; not a thing's steam."""
        built, shown, model = self.body.built, self.body.snapshot, copy(self.body.built.model)
        model.geom_group[:] = shown.groups
        data = mujoco.MjData(model)
        data.qpos[:] = shown.qpos
        mujoco.mj_forward(model, data)
        with mujoco.Renderer(model, 256, 256) as renderer:
            renderer.enable_segmentation_rendering()
            renderer.update_scene(data, "eye")
            drawn = renderer.render()[..., 0]
        furniture, floors = built.assignment.furniture, built.assignment.floors
        bodies = {**built.bodies, **{name: (kind, f"{kind} door") for name, kind in furniture.items()}}
        owner = [model.body(body).name for body in model.geom_bodyid]
        masks = {
            name: np.isin(drawn, [
                g for g in range(model.ngeom)
                if owner[g] in mine and (model.geom_group[g] != TRANSPARENT_GROUP or name in furniture)
            ])
            for name, mine in bodies.items()
        }  # fmt: skip
        for name, room in floors.items():
            ground = [g for g in range(model.ngeom) if f"{model.geom(g).name}:".startswith(f"ground:{room}:")]
            masks[name] = np.isin(drawn, ground)
        return masks

    def step(self, action: str, *things: str) -> Step:
        """By beginnings of names: step("graspin", "mug", "cabinet")."""
        given, args = list(things), []
        domain = self.task.problem.domain
        for parameter in domain.action(action).parameters:
            able = self.task.problem.of_type(parameter.type)
            if any(domain.is_a(parameter.type, t) for t in ("agent", "room", "liquid")):
                args.append(able[0])
            else:
                start = given.pop(0)
                args.append(next(name for name in able if name.startswith(start)))
        return Step(action, tuple(args))

    def play(self, *steps: tuple[str, ...]) -> list[HouseholdTransition]:
        return [self.do(self.step(*step))[0] for step in steps]

    def random_steps(self, count: int, seed: int) -> Iterator[Step]:
        """Mostly such as the world lets through, and not too much walking about."""
        rng, problem = random.Random(seed), self.task.problem
        every = [
            Step(action.name, args)
            for action in problem.domain.actions
            for args in product(*(problem.of_type(p.type) for p in action.parameters))
        ]
        for _ in range(count):
            able = [step for step in rng.sample(every, min(len(every), 300)) if self._can(step)]
            doing = [step for step in able if step.name != "find"]
            if doing and rng.random() < 0.6:
                yield rng.choice(doing)
            else:
                yield rng.choice(able if able and rng.random() < 0.95 else every)

    def _can(self, step: Step) -> bool:
        skill = HOUSEHOLD_SKILLS[self.folder.skills[step.name].skill]
        known = self.world.things.movables | self.world.things.furniture
        args = tuple(a for a in step.args if a in known)[: skill.argument_count]
        if len(args) < skill.argument_count:
            return False
        return not any(
            constraint(self.world.things, self.world.state, args) for constraint in skill.constraints
        )


Make = Callable[..., KitchenHarness]


def make_household(
    task: str = "boil_water",
    *,
    seed: int = 0,
    openness: float = 0.0,
    pace: float = 0.0,
    variant: str | None = None,
    only: str = "",
) -> KitchenHarness:
    """`only` names the one situation that happens, and it does whenever it can."""
    folder, found = domain_library.load_task(task, variant)
    names = {s.name for skill in folder.skills.values() for s in skill.situations}
    rates = {name: float(name == only) for name in names} if only else None
    world = Household(folder, found, seed=seed, openness=1.0 if only else openness, rates=rates)
    scene = load_scene()
    latch = Latch()
    body = Animator(
        build_scene(scene, assign_bodies(scene, found.problem, seed), seed), world.things, latch, pace
    )
    body.reset(world.state)
    return KitchenHarness(folder, found, world, body, latch)


@pytest.fixture(scope="session")
def household() -> Make:
    return make_household
