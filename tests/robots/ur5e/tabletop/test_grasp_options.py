"""What is in the way of a grasp, and a network that ranks them: an ONNX file written here, byte by byte."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import BadFile
from robots.ur5e.gripper.model import read_gripper
from robots.ur5e.tabletop.antipodal_grasps import AntipodalPlanner
from robots.ur5e.tabletop.colour_segmentation import Region
from robots.ur5e.tabletop.grasp import Grasp
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, HeightMap, RgbdImage, cell_of
from robots.ur5e.vision.grasp_network import INPUT_SIZE_PX, GraspNetwork

X, Y, HIGH = 0.5, 0.02, 0.04  # a block on the table
HALF = (0.03, 0.012)
HAND = read_gripper("hand-e")
PLANNER = AntipodalPlanner(HAND)


def picture() -> RgbdImage:
    """From one metre straight above the block; x to the right, y up."""
    pose = np.eye(4)
    pose[:3, :3] = np.diag((1.0, -1.0, -1.0))
    pose[:3, 3] = 0.5, 0.0, 1.0
    f, width, height = 600.0, 640, 480
    rows, columns = np.indices((height, width))
    at = [0.5 + (columns + 0.5 - width / 2) * (1 - HIGH) / f, -(rows + 0.5 - height / 2) * (1 - HIGH) / f]
    on = (np.abs(at[0] - X) < HALF[0]) & (np.abs(at[1] - Y) < HALF[1])
    depth = np.where(on, 1 - HIGH, 1.0).astype(np.float32)
    return RgbdImage("overhead", 0.0, np.zeros((height, width, 3), np.uint8), depth, f, pose)


def block(relief: HeightMap) -> Region:
    mask = (relief.heights > 0.02).astype(np.uint8)
    return Region("block", X, Y, HIGH, (2 * HALF[0], 2 * HALF[1]), 0.0, mask)


@pytest.fixture(scope="module")
def scene() -> tuple[RgbdImage, HeightMap, Region]:
    seen = picture()
    relief = HeightMap.from_image(seen)
    return seen, relief, block(relief)


Scene = tuple[RgbdImage, HeightMap, Region]


def test_that_a_free_grasp_is_not_blocked(scene: Scene) -> None:
    _, relief, region = scene
    best = PLANNER.grasps(region, relief)[0]
    assert abs(math.sin(best.angle)) > 0.9, "across the short side"
    assert PLANNER.collision(best, relief) == ""


def test_that_a_grasp_into_the_table_is_blocked(scene: Scene) -> None:
    _, relief, region = scene
    low = replace(PLANNER.grasps(region, relief)[0], z=0.004)
    assert PLANNER.collision(low, relief) == "the fingers would touch the table"


def test_that_a_grasp_beside_something_high_is_blocked(scene: Scene) -> None:
    _, relief, region = scene
    best = PLANNER.grasps(region, relief)[0]
    heights = relief.heights.copy()
    i, j = cell_of(best.x, best.y + best.width / 2 + 0.006)
    heights[i - 2 : i + 3, j : j + 2] = 0.05
    assert "something 50 mm high" in PLANNER.collision(best, replace(relief, heights=heights))


def test_that_a_grasp_beyond_what_is_seen_is_blocked(scene: Scene) -> None:
    _, relief, _ = scene
    assert "leave the part" in PLANNER.collision(Grasp(0.141, 0.0, 0.02, 0.0, 0.03, 1.0), relief)


# --- a network ---------------------------------------------------------------------------------------------


def field(number: int, body: bytes) -> bytes:
    """A protobuf field with a length."""
    return bytes((number << 3 | 2,)) + varint(len(body)) + body


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes((value & 127 | 128,)), value >> 7
    return out + bytes((value,))


def number(field_: int, value: int) -> bytes:
    return bytes((field_ << 3,)) + varint(value)


def tensor(name: str, shape: tuple[int, ...], values: list[float]) -> bytes:
    dims = b"".join(number(1, d) for d in shape)
    return dims + number(2, 1) + field(8, name.encode()) + field(9, struct.pack(f"<{len(values)}f", *values))


def shaped(name: str) -> bytes:
    dims = b"".join(field(1, number(1, d)) for d in (1, 1, INPUT_SIZE_PX, INPUT_SIZE_PX))
    return field(1, name.encode()) + field(2, field(1, number(1, 1) + field(2, dims)))


def onnx(outputs: dict[str, tuple[float, float]]) -> bytes:
    """Each output is the depth times a weight and a bias: a 1 x 1 convolution."""
    graph = field(2, b"tiny")
    for name, (weight, bias) in outputs.items():
        wires = b"".join(field(1, part.encode()) for part in ("depth", f"{name}_w", f"{name}_b"))
        graph += field(1, wires + field(2, name.encode()) + field(3, name.encode()) + field(4, b"Conv"))
        graph += field(5, tensor(f"{name}_w", (1, 1, 1, 1), [weight]))
        graph += field(5, tensor(f"{name}_b", (1,), [bias]))
        graph += field(12, shaped(name))
    graph += field(11, shaped("depth"))
    return number(1, 7) + field(8, field(1, b"") + number(2, 11)) + field(7, graph)


UP = {"quality": (-20.0, 0.0), "cosine": (0.0, -1.0), "sine": (0.0, 0.0), "width": (0.0, 20.0)}


def test_that_a_network_ranks_grasps_on_the_thing_alone(scene: Scene, tmp_path: Path) -> None:
    seen, relief, region = scene
    path = tmp_path / "tiny.onnx"
    path.write_bytes(onnx(UP))
    found = GraspNetwork(path, HAND).grasps(region, relief, seen, 3)
    assert found
    best = found[0]
    assert abs(best.x - X) < HALF[0] + 2 * CELL_SIZE_M
    assert abs(best.y - Y) < HALF[1] + 2 * CELL_SIZE_M
    assert abs(best.angle - math.pi / 2) < 0.05, "its angle is a quarter turn of the picture's columns"
    assert (
        best.width == pytest.approx(20 * 480 / INPUT_SIZE_PX * (1 - HIGH) / 600, abs=0.004)
        or best.width == 0.042
    )
    assert [g.score for g in found] == sorted((g.score for g in found), reverse=True)


def test_that_a_network_that_sees_nothing_offers_nothing(scene: Scene, tmp_path: Path) -> None:
    seen, relief, region = scene
    path = tmp_path / "blind.onnx"
    path.write_bytes(onnx({**UP, "quality": (0.0, 0.0)}))
    assert GraspNetwork(path, HAND).grasps(region, relief, seen, 3) == ()


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"no network", "cannot read it"), (onnx({"quality": (1.0, 0.0)}), "1 outputs, and a GG-CNN has four")],
)
def test_that_what_is_no_such_network_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "other.onnx"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=says):
        GraspNetwork(path, HAND)
