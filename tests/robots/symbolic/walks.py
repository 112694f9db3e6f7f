"""50 random walks as digests: the symbolic robot's true states when much goes wrong, whatever computes them.

`python -m tests.robots.symbolic.walks` writes the file that `test_same_states.py` compares with. It was first
written at commit dc0fcc6, when the robot's world read the agent's own assumptions, and again with the same
states when the robot began to report FAILED of what `feels` in domain.toml says that it feels.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from core.planning import domain_library, semantics
from robots.symbolic.robot import SymbolicRobot
from tests.permitted import do

FILE = Path(__file__).parents[2] / "fixtures" / "walks" / "symbolic.json"
STEPS = 40
HOUSEHOLD = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")
TABLETOP = ("collect_eggplant", "collect_toys")


def cases() -> Iterator[tuple[str, str, int]]:
    """Task, variant, seed: 40 walks in the household and 10 on the tabletop."""
    for seed in range(4):
        for task in HOUSEHOLD:
            for variant in ("repaired", "printed"):
                yield task, variant, seed
    for seed in range(5):
        for task in TABLETOP:
            yield task, "tabletop", seed


def walked(name: str, variant: str, seed: int) -> dict[str, str | int]:
    """A walk among the steps that truly can be done; now and then one that cannot."""
    folder, task = domain_library.load_task(name, variant)
    robot = SymbolicRobot(folder, task, seed=seed, openness=1.75, pictures=False)
    draw, told, wrong = random.Random(f"{name} {variant} {seed}"), [], 0
    for _ in range(STEPS):
        problem = task.problem
        state = problem.state if draw.random() < 0.1 else robot.truth()
        steps = semantics.applicable_steps(problem, state)
        if not steps:
            break
        outcome = do(robot, draw.choice(steps))
        wrong += bool(robot.situation)
        truth = " ".join(sorted(map(str, robot.truth())))
        told.append(f"{outcome.status.value} {robot.situation} {truth}")
    robot.close()
    return {
        "steps": len(told),
        "wrong": wrong,
        "states": hashlib.sha256("\n".join(told).encode()).hexdigest()[:16],
    }


def digests() -> dict[str, dict[str, str | int]]:
    return {" ".join(map(str, case)): walked(*case) for case in cases()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(digests(), indent=0) + "\n", encoding="utf-8")
