"""Render the emulated cameras in a separate process, so that rendering does not delay the 500 Hz ticks.

`python -m robots.ur5e.emulator.renderer_process ADDRESS` takes the scene from the admin port, waits there for
what to draw, and ends when that port closes. It replies with "drawn":

camera, plain, taken (s), width, height, focal (pixels), pose (of the camera in the base frame, 12 numbers,
rows of 3 x 4, z forward), boxes {thing: [left, top, right, bottom]}, pixels {thing: number of its pixels
in the middle square, which is the still}; blobs: colour and depth as PNG, depth in uint16 tenths of a
millimetre, 0 for none. With `plain` there are no boxes, pixels or depth, and the colour is a JPEG, with
rough edges: a quarter of the work. `ghost`: the joints of a second, translucent arm, red if `blocked`; none
without.
"""

from __future__ import annotations

import math
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from core.errors import RobotError
from robots import opengl
from robots.remote.connection import Connection
from robots.remote.wire_message import JsonValue, WireMessage
from robots.ur5e.emulator.admin_client import ADMIN_PORT
from robots.ur5e.emulator.scene import VIEW

WIDTH, HEIGHT = 640, 480
AXIS_M, CORNER, TIPS_M = 0.14, (0.2, -0.42, 0.01), 0.2  # of the view: where nothing hides the axes
GHOST, BLOCKED = (0.25, 0.5, 1.0, 0.4), (0.9, 0.2, 0.2, 0.45)
DEPTH_UNIT_M = 1e-4


def focal_length(model: Any, camera: str) -> float:
    """Return a camera's focal length in pixels."""
    return HEIGHT / 2 / math.tan(math.radians(float(model.camera(camera).fovy[0])) / 2)


def camera_pose(data: Any, camera: str) -> Any:
    """Return a camera's pose, 4 x 4: ours look along z with y down, MuJoCo's along -z."""
    import numpy as np

    pose = np.eye(4)
    pose[:3, :3] = data.camera(camera).xmat.reshape(3, 3) @ np.diag((1.0, -1.0, -1.0))
    pose[:3, 3] = data.camera(camera).xpos
    return pose


class SceneRenderer:
    """Renders the states of a scene, of which it knows the MJCF. One thread makes and uses it."""

    def __init__(self, xml: str, things: Sequence[str]) -> None:
        import mujoco
        import numpy as np

        self._mj, self._np, self._things = mujoco, np, things
        self.model: Any = mujoco.MjModel.from_xml_string(xml)
        self._data: Any = mujoco.MjData(self.model)
        self._ghost: Any = mujoco.MjData(self.model)
        try:
            self._camera: Any = mujoco.Renderer(self.model, HEIGHT, WIDTH)
        except Exception as error:  # each of the GL libraries raises its own
            raise opengl.unavailable_error(error) from error

    @cached_property
    def _quick(self) -> Any:
        self.model.vis.quality.offsamples = 0  # twice as fast; only edges are rougher
        return self._mj.Renderer(self.model, HEIGHT, WIDTH)

    def render(self, asked: WireMessage) -> WireMessage:
        """Return "drawn", as above."""
        camera = asked.text("camera")
        data, np = self._data, self._np
        data.qpos[:] = asked.numbers("state")
        self._mj.mj_forward(self.model, data)
        plain = bool(asked.body.get("plain"))
        renderer = self._quick if plain or camera == VIEW else self._camera
        renderer.update_scene(data, camera)
        renderer.scene.flags[self._mj.mjtRndFlag.mjRND_SHADOW] = camera != VIEW  # twice the time
        if camera == VIEW:
            self._add_axes(renderer.scene, np.array(CORNER), np.eye(3))
            hand, turned = data.body("hand").xpos, data.body("hand").xmat.reshape(3, 3)
            self._add_axes(renderer.scene, hand + TIPS_M * turned[:, 2], turned)
        if ghost := asked.numbers("ghost"):
            self._add_ghost(renderer.scene, ghost, BLOCKED if asked.body.get("blocked") else GHOST)
        bgr = renderer.render()[..., ::-1]
        body: dict[str, JsonValue] = {
            "camera": camera,
            "plain": plain,
            "taken": asked.number("taken"),
            "width": WIDTH,
            "height": HEIGHT,
            "focal": focal_length(self.model, camera),
            "pose": tuple(float(v) for v in camera_pose(data, camera)[:3].ravel()),
        }
        if plain:
            return WireMessage(body, (_jpeg(bgr),))
        colour = _png(bgr)
        renderer.enable_depth_rendering()
        depth = np.clip(renderer.render() / DEPTH_UNIT_M, 0, 65535).astype(np.uint16)
        renderer.disable_depth_rendering()
        renderer.enable_segmentation_rendering()
        boxes, pixels = self._boxes(renderer.render())
        renderer.disable_segmentation_rendering()
        return WireMessage(body | {"boxes": boxes, "pixels": pixels}, (colour, _png(depth)))

    def _add_axes(self, scene: Any, at: Any, turned: Any) -> None:
        """Add a frame's axes to the scene, x red, y green and z blue: the base's and the tool's."""
        mj, np = self._mj, self._np
        for axis, colour in zip(turned.T, np.eye(3), strict=True):
            geom, arrow = scene.geoms[scene.ngeom], mj.mjtGeom.mjGEOM_ARROW
            mj.mjv_initGeom(geom, arrow, np.zeros(3), np.zeros(3), np.zeros(9), np.float32([*colour, 1]))
            mj.mjv_connector(geom, arrow, 0.008, at, at + AXIS_M * axis)
            scene.ngeom += 1

    def _add_ghost(self, scene: Any, q: Sequence[float], colour: Sequence[float]) -> None:
        """Add what the arm moves if it has these joints; what stays is in the scene already."""
        mj, model, np = self._mj, self.model, self._np
        self._ghost.qpos[:] = self._data.qpos
        self._ghost.qpos[:6] = q
        mj.mj_kinematics(model, self._ghost)
        first, moving = scene.ngeom, mj.mjtCatBit.mjCAT_DYNAMIC
        mj.mjv_addGeoms(model, self._ghost, mj.MjvOption(), mj.MjvPerturb(), moving, scene)
        moved = np.abs(self._ghost.geom_xpos - self._data.geom_xpos).max(axis=1) > 1e-3
        for geom in scene.geoms[first : scene.ngeom]:
            geom.rgba = colour if moved[geom.objid] else (0.0, 0.0, 0.0, 0.0)

    def close(self) -> None:
        self._camera.close()
        if "_quick" in self.__dict__:
            self._quick.close()

    def _boxes(self, seen: Any) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
        np = self._np
        geoms = seen[..., 0].astype(int)
        bodies = np.where(geoms >= 0, self.model.geom_bodyid[np.clip(geoms, 0, None)], -1)
        boxes: dict[str, JsonValue] = {}
        pixels: dict[str, JsonValue] = {}
        for name in self._things:
            rows, columns = np.nonzero(bodies == self.model.body(name).id)
            pixels[name] = int(np.count_nonzero(abs(columns - (WIDTH - 1) / 2) < HEIGHT / 2))
            if len(rows):
                boxes[name] = [
                    int(columns.min()),
                    int(rows.min()),
                    int(columns.max()) + 1,
                    int(rows.max()) + 1,
                ]
        return boxes, pixels


def _png(array: Any) -> bytes:
    import cv2

    return bytes(cv2.imencode(".png", array, [cv2.IMWRITE_PNG_COMPRESSION, 1])[1])


def _jpeg(array: Any) -> bytes:
    import cv2

    return bytes(cv2.imencode(".jpg", array, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


def main(address: str) -> None:
    opengl.select_backend()
    connection = Connection(socket.create_connection((address, ADMIN_PORT)))
    connection.send("painter")
    messages = connection.messages()
    if (scene := next(messages, None)) is not None:
        painter = SceneRenderer(scene.text("xml"), scene.texts("things"))
        with suppress(RobotError):  # the emulator is gone
            for asked in messages:
                drawn = painter.render(asked)
                connection.send("drawn", *drawn.blobs, **drawn.body)


if __name__ == "__main__":
    main(*sys.argv[1:])
