"""Grasps by a network that the user supplies: a GG-CNN as ONNX, run by `cv2.dnn`.

Morrison, Corke and Leitner, Closing the Loop for Robotic Grasping (RSS 2018): the input is a depth image; the
outputs are quality, cosine and sine of twice the angle, and the width in pixels, one value per pixel.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.errors import BadFile
from robots.ur5e.gripper.model import GripperModel
from robots.ur5e.tabletop.antipodal_grasps import AntipodalPlanner
from robots.ur5e.tabletop.colour_segmentation import Region
from robots.ur5e.tabletop.grasp import Grasp
from robots.ur5e.tabletop.reach import tool_height
from robots.ur5e.tabletop.rgbd_image import HeightMap, RgbdImage

INPUT_SIZE_PX = 300  # side of the network's input
MIN_QUALITY = 0.05  # below this nothing counts as a grasp
_MIN_PEAK_DISTANCE_PX = 12  # between two candidates


class GraspNetwork(AntipodalPlanner):
    """A loaded network. One thread at a time. Raises BadFile if the file is not such a network."""

    def __init__(self, path: Path, hand: GripperModel) -> None:
        super().__init__(hand)
        self._path = path
        try:
            self._net = cv2.dnn.readNetFromONNX(str(path))
            known = set(self._net.getUnconnectedOutLayersNames())
            self._names = [name for name in output_names(path.read_bytes()) if name in known]
        except OSError as error:
            raise BadFile(path, error.strerror or "it cannot be read") from None
        except cv2.error as error:
            raise BadFile(path, f"OpenCV cannot read it as a network ({_last_line(error)})") from None
        if len(self._names) != 4:
            raise BadFile(path, f"it has {len(self._names)} outputs, and a GG-CNN has four")

    def grasps(
        self, region: Region, height_map: HeightMap, picture: RgbdImage | None = None, most: int = 5
    ) -> tuple[Grasp, ...]:
        """See `GraspPlanner`."""
        assert picture is not None
        cut, edge, scale = _centre_crop(picture)
        quality, cosine, sine, width = self._run(_prepare_depth(picture, cut, edge))
        owned = _region_mask(region, height_map, cut, edge)
        quality = np.where(owned, quality, 0.0)
        found: list[Grasp] = []
        while len(found) < most:
            row, column = (int(v) for v in np.unravel_index(int(np.argmax(quality)), quality.shape))
            score = float(quality[row, column])
            if score < MIN_QUALITY:
                break
            angle = math.atan2(float(sine[row, column]), float(cosine[row, column])) / 2
            grasp = _to_grasp(picture, (column, row), cut, scale, angle, float(width[row, column]), score)
            if grasp is not None:
                found.append(replace(grasp, width=min(self._hand.widest, grasp.width)))
            low = max(0, row - _MIN_PEAK_DISTANCE_PX), max(0, column - _MIN_PEAK_DISTANCE_PX)
            quality[low[0] : row + _MIN_PEAK_DISTANCE_PX + 1, low[1] : column + _MIN_PEAK_DISTANCE_PX + 1] = 0
        return tuple(found)

    def _run(self, depth: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        try:
            self._net.setInput(depth[None, None])
            outputs = [
                np.asarray(o, np.float32).reshape(INPUT_SIZE_PX, INPUT_SIZE_PX)
                for o in self._net.forward(self._names)
            ]
        except (cv2.error, ValueError) as error:
            raise BadFile(
                self._path,
                f"it is no GG-CNN of {INPUT_SIZE_PX} x {INPUT_SIZE_PX} pixels ({_last_line(error)})",
            ) from None
        return outputs


def output_names(model: bytes) -> list[str]:
    """Return the names of an ONNX model's outputs in its own order, which `cv2.dnn` does not keep: graph
    (field 7), outputs (12), name (1) of the protobuf.
    """
    return [
        bytes(name).decode("utf-8", "replace")
        for graph in _fields(model, 7)
        for output in _fields(graph, 12)
        for name in _fields(output, 1)
    ]


def _fields(message: bytes, wanted: int) -> list[bytes]:
    """Return the fields with this number in a protobuf message, up to where it is truncated."""
    found, at = [], 0
    while at < len(message):
        key, at = _varint(message, at)
        match key & 7:
            case 0:
                _, at = _varint(message, at)
            case 2:
                size, at = _varint(message, at)
                if key >> 3 == wanted:
                    found.append(message[at : at + size])
                at += size
            case kind:
                at += {1: 8, 5: 4}.get(kind, len(message))
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            break
    return value, at


def _centre_crop(picture: RgbdImage) -> tuple[tuple[int, int], int, float]:
    """Return the central square of a picture: left, top, side, and its pixels per pixel of the network."""
    height, width = picture.depth.shape
    edge = min(height, width)
    return ((width - edge) // 2, (height - edge) // 2), edge, edge / INPUT_SIZE_PX


def _prepare_depth(picture: RgbdImage, cut: tuple[int, int], edge: int) -> NDArray[np.float32]:
    """Prepare the depth as in GG-CNN's training: holes filled, less its mean, clipped to one metre."""
    depth = picture.depth[cut[1] : cut[1] + edge, cut[0] : cut[0] + edge]
    missing = (depth <= 0).astype(np.uint8)
    if missing.any():
        far = max(float(depth.max()), 1e-3)
        depth = cv2.inpaint((depth / far).astype(np.float32), missing, 1, cv2.INPAINT_NS) * far
    small = cv2.resize(depth, (INPUT_SIZE_PX, INPUT_SIZE_PX), interpolation=cv2.INTER_AREA)
    return np.asarray(np.clip(small - small.mean(), -1, 1), np.float32)


def _region_mask(region: Region, height_map: HeightMap, cut: tuple[int, int], edge: int) -> NDArray[np.bool_]:
    """Return the pixels of the network's input that show the thing."""
    on = height_map.cells[..., 0] >= 0
    i, j = (np.where(on, height_map.cells[..., k], 0) for k in (0, 1))
    mask = (on & (region.mask[i, j] > 0)).astype(np.uint8)[cut[1] : cut[1] + edge, cut[0] : cut[0] + edge]
    return cv2.resize(mask, (INPUT_SIZE_PX, INPUT_SIZE_PX), interpolation=cv2.INTER_AREA) > 0


def _to_grasp(
    picture: RgbdImage,
    at: tuple[int, int],
    cut: tuple[int, int],
    scale: float,
    angle: float,
    width: float,
    score: float,
) -> Grasp | None:
    """Convert a grasp in the network's image, whose angle is against the rows, to the base frame."""
    column, row = (cut[k] + (at[k] + 0.5) * scale for k in (0, 1))
    height, wide = picture.depth.shape
    z = float(picture.depth[min(height - 1, int(row)), min(wide - 1, int(column))])
    if z <= 0:
        return None
    middle = picture.point(column, row, z)
    reach = max(2.0, width * scale / 2)
    ends = [
        picture.point(column + s * reach * math.cos(angle), row - s * reach * math.sin(angle), z)
        for s in (-1, 1)
    ]
    along = ends[1] - ends[0]
    gap = float(np.linalg.norm(along[:2]))
    turn = math.atan2(float(along[1]), float(along[0])) % math.pi
    down = tool_height(float(middle[2]))
    return Grasp(float(middle[0]), float(middle[1]), down, turn, gap, min(1.0, score))


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[-1][:160]
