"""Render a snapshot. One thread makes, uses and closes a renderer."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from core.errors import RobotError
from robots import opengl
from robots.kitchen.rendering.live_render_mode import ImageFormat
from robots.kitchen.simulation.mj_sim import RenderSnapshot

# Least and greatest half width in metres covered by the sun's shadow map, which is 1.2 times the view
# distance. The map has to extend past the picture, since it speckles at its edge.
_SHADOW_EXTENT = {"eye": (1.8, 4.2), "room": (4.2, 4.2)}
_MAX_VIEW_DISTANCE = 3.5  # metres, the view distance that counts
_OPAQUE = np.array([1, 1, 0, 0, 0, 0], np.uint8)  # the geom groups that block the view


STILL_FORMAT = ImageFormat(256, 256)


class OffscreenRenderer:
    """Draws one model. `view` is "eye" (the robot's) or "room" (from outside, following the robot)."""

    def __init__(self, model: Any, format: ImageFormat, view: str = "eye") -> None:
        self.view, self.format = view, format
        self._model = copy.copy(model)  # looks and lights belong to this renderer
        self._data = mujoco.MjData(self._model)
        self._robot = np.flatnonzero(
            self._model.body_rootid[self._model.geom_bodyid] == self._model.body("robot").id
        )
        self._suns = [k for k in range(self._model.nlight) if self._model.light(k).name.startswith("sun")]
        self._model.geom_castshadow[self._robot] = view != "eye"  # its own shadow would confuse its picture
        visual = self._model.vis
        visual.global_.offwidth, visual.global_.offheight = format.width, format.height
        visual.quality.offsamples = format.samples
        visual.quality.shadowsize = (1024 if format.width < 400 else 2048) if format.shadows else 0
        self._gl: Any = opengl.create_context(format.width, format.height)
        self._gl.make_current()
        opengl.precompile_shaders()
        self.gl_renderer = opengl.renderer_name()
        self._scene = mujoco.MjvScene(self._model, maxgeom=2000)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = format.shadows
        self._scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = False
        self._option = mujoco.MjvOption()
        self._rect = mujoco.MjrRect(0, 0, format.width, format.height)
        self._context = mujoco.MjrContext(self._model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
        if self._context.currentBuffer != mujoco.mjtFramebuffer.mjFB_OFFSCREEN:
            raise RobotError(f"{opengl.REMEDY} (no picture buffer)")

    def colour(self, snapshot: RenderSnapshot) -> NDArray[np.uint8]:
        """Return the colour image, H x W x 3."""
        self._update_scene(snapshot)
        picture = np.empty((self.format.height, self.format.width, 3), np.uint8)
        mujoco.mjr_render(self._rect, self._scene, self._context)
        mujoco.mjr_readPixels(picture, None, self._rect, self._context)
        return np.ascontiguousarray(picture[::-1])

    def close(self) -> None:
        self._gl.make_current()
        self._context.free()
        self._gl.free()

    def _update_scene(self, snapshot: RenderSnapshot) -> None:
        model, data = self._model, self._data
        self._gl.make_current()
        data.qpos[:] = snapshot.qpos
        model.geom_group[:] = snapshot.groups
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        camera = mujoco.MjvCamera()
        if self.view == "eye":
            camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera("eye").id
            seen = data.camera("eye")
            ahead = -seen.xmat.reshape(3, 3)[:, 2]
            far = mujoco.mj_ray(model, data, seen.xpos, ahead, _OPAQUE, 1, -1, np.zeros(1, np.int32))
            far = far if 0 <= far < _MAX_VIEW_DISTANCE else _MAX_VIEW_DISTANCE
            target = seen.xpos + max(1.0, 0.7 * far) * ahead
        else:
            robot, far = data.body("robot").xpos, _MAX_VIEW_DISTANCE
            target = np.array([0.85 * robot[0] + 0.15, 0.55 * robot[1] + 0.35, 0.8])
            camera.type, camera.lookat = mujoco.mjtCamera.mjCAMERA_FREE, target
            camera.distance, camera.azimuth, camera.elevation = 4.6, 90, -22
        self._centre_shadow_map(target, float(np.clip(1.2 * far, *_SHADOW_EXTENT[self.view])))
        mujoco.mjv_updateScene(
            model, data, self._option, None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, self._scene
        )

    def _centre_shadow_map(self, target: NDArray[np.float64], reach: float) -> None:
        """Centre the shadow map on what the camera looks at."""
        self._context.shadowClip = reach
        for k in self._suns:
            direction = self._model.light_dir[k]
            self._model.light_pos[k] = target - 4.0 * direction / np.linalg.norm(direction)
        mujoco.mj_camlight(self._model, self._data)
