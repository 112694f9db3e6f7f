"""Pictures by the camera over a table, drawn in a process of their own.

MuJoCo makes what it draws with, and lets no other thread of its process run for 150 to 270 ms: the window's
neither.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from time import monotonic

import mujoco
import numpy as np
from numpy.typing import NDArray

from core.errors import PlanningError, RobotError
from core.planning.cancellable_process import CancellableProcess, Send, serve
from core.stop_token import StopToken
from robots import opengl
from robots.ur5e.emulator.plant import Plant
from robots.ur5e.emulator.renderer_process import HEIGHT, WIDTH, camera_pose, focal_length
from robots.ur5e.emulator.scene import make_scene
from robots.ur5e.tabletop.rgbd_image import RgbdImage

CAMERA = "overhead"
State = NDArray[np.float64]  # qpos of the scene
_MODULE, _NAME = "robots.ur5e.motion.pictures", "camera's process"


class TableCamera(CancellableProcess):
    """The client. It starts the process when first needed. Not thread-safe."""

    def __init__(self, scene: str, seed: int) -> None:
        super().__init__(_MODULE, (scene, str(seed)), _NAME)

    def take(self, state: State, cancel: StopToken, deep: bool = False) -> RgbdImage:
        """Return what the camera sees; its depth only if asked. A cancel ends the process.

        Raises RobotError and Cancelled.
        """
        try:
            (seen,) = self.answers((state, deep), cancel.check)
        except PlanningError as error:
            raise RobotError(str(error)) from error
        assert isinstance(seen, RgbdImage)
        return seen


@cache
def _drawn() -> tuple[Plant, mujoco.Renderer]:
    plant = Plant(make_scene(sys.argv[1], int(sys.argv[2])))
    try:
        return plant, mujoco.Renderer(plant.model, HEIGHT, WIDTH)
    except Exception as error:  # each of the GL libraries raises its own
        raise opengl.unavailable_error(error) from error


def answer(asked: tuple[State, bool], send: Send) -> None:
    (plant, renderer), (state, deep) = _drawn(), asked
    model, data = plant.model, plant.data
    data.qpos[:] = state
    mujoco.mj_forward(model, data)
    renderer.update_scene(data, CAMERA)
    rgb, depth = renderer.render(), np.zeros((HEIGHT, WIDTH), np.float32)
    if deep:
        renderer.enable_depth_rendering()
        depth = renderer.render()
        renderer.disable_depth_rendering()
    place = focal_length(model, CAMERA), camera_pose(data, CAMERA)
    send(RgbdImage(CAMERA, monotonic(), rgb, depth, *place))


if __name__ == "__main__":
    serve(import_module(_MODULE).answer, _NAME)  # under its real name, as what it says is pickled
