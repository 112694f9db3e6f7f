"""Draw docs/wishes.png: a scene before, in the middle and at the end of a plan, for a few of the wishes.

PYTHONPATH=. python scripts/wish_pictures.py
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from core.install_paths import ROOT
from core.planning.domain_library import load_domain_spec
from core.planning_model import Step
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import WishOptions
from core.wishes.hand_written import hand_written
from core.wishes.motion_process import MotionRequest, plan_here
from robots.ur5e.emulator import gl

PAGE_PICTURE = ROOT / "docs" / "wishes.png"
SHOWN = {"mug_2": 3, "soup_pour": 1}  # each task, and the step in whose middle it is drawn
WIDTH, HEIGHT = 480, 320


def planned(task: str, scene: Scene) -> tuple[Step, ...]:
    wish = hand_written(task, "")
    assert wish is not None
    problem = load_domain_spec("tabletop-wishes").tasks[task].problem
    found = plan_here(MotionRequest(problem, wish, scene, WishOptions()), StopToken())
    assert found.plan.steps, found.plan.reason
    return found.plan.steps


def row(task: str, middle: int) -> NDArray[np.uint8]:
    """Return three pictures side by side."""
    gl.select_backend()
    import mujoco

    from robots.ur5e.emulator.plant import Plant
    from robots.ur5e.emulator.scene import make_scene
    from robots.ur5e.gripper.model import DEFAULT_GRIPPER
    from robots.ur5e.motion.rehearsal import Rehearsal
    from robots.ur5e.motion.table_scene import first_poses, table_scene

    table = make_scene(task, 0)
    camera, frames = mujoco.MjvCamera(), []
    camera.lookat, camera.distance, camera.azimuth, camera.elevation = (0.48, 0, 0.05), 0.85, 205, -28
    physics = Rehearsal(table, np.eye(4), lambda plant: frames.append(plant.data.qpos.copy()))
    physics.begin(first_poses(table))
    shown = [physics.plant.data.qpos.copy()]
    steps = planned(task, table_scene(table, task, 0, DEFAULT_GRIPPER, first_poses(table), "simulator"))
    for number, step in enumerate(steps):
        frames.clear()
        physics.carry_out(step.values["moves"])
        if number == middle:
            shown.append(frames[3 * len(frames) // 5])
    shown.append(physics.plant.data.qpos.copy())
    plant = Plant(table)
    with mujoco.Renderer(plant.model, HEIGHT, WIDTH) as renderer:
        pictures = []
        for joints in shown:
            plant.data.qpos[:] = joints
            mujoco.mj_forward(plant.model, plant.data)
            renderer.update_scene(plant.data, camera)
            pictures.append(renderer.render())
    return np.hstack(pictures)


if __name__ == "__main__":
    rows = [row(task, middle) for task, middle in SHOWN.items()]
    cv2.imwrite(str(PAGE_PICTURE), np.vstack(rows)[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 9])
    print(PAGE_PICTURE)
