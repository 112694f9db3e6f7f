"""No two boxes of a body share a face: it would be lit twice."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest

from robots.kitchen.scene.geom_builder import CoplanarFaceTrimmer
from tests.robots.kitchen.conftest import Make

CUBE = np.full(3, 0.5)
HAIR = 0.00006


@pytest.mark.parametrize(
    ("at", "trim"),
    [
        ((0.4, 0.4, 0.0), HAIR),  # reaches into it, their tops on one level
        ((0.0, 0.0, 0.0), HAIR),  # the same again
        ((0.4, 0.4, 0.3), 0.0),  # reaches into it, no two faces on one level
        ((1.0, 0.0, 0.0), 0.0),  # stands beside it: their tops meet in a line only
        ((0.0, 0.0, 1.0), 0.0),  # stands on it: their common face is not seen
    ],
)
def test_that_a_box_is_trimmed_by_a_hair_where_it_is_flush(at: tuple[float, ...], trim: float) -> None:
    flush = CoplanarFaceTrimmer()
    assert flush.trim("sink", np.zeros(3), CUBE) == 0
    assert flush.trim("sink", np.array(at), CUBE) == pytest.approx(trim, abs=1e-9)
    assert flush.trim("oven", np.array(at), CUBE) == 0, "another body, another frame"


def test_that_a_third_box_is_trimmed_by_two_hairs() -> None:
    flush = CoplanarFaceTrimmer()
    trims = [flush.trim("sink", np.array([0.1 * k, 0.1 * k, 0.0]), CUBE) for k in range(3)]
    assert trims == pytest.approx([0, HAIR, 2 * HAIR], abs=1e-9)


def test_that_no_two_boxes_of_the_kitchen_s_furniture_share_a_face(household: Make) -> None:
    model = household("halve_egg").body.built.model
    boxes = np.flatnonzero((model.geom_type == mujoco.mjtGeom.mjGEOM_BOX) & (model.geom_matid >= 0))
    shared = []
    for one, other in itertools.combinations(boxes, 2):
        if model.geom_bodyid[one] != model.geom_bodyid[other]:
            continue
        (low, high), (low_too, high_too) = _corners(model, one), _corners(model, other)
        overlap = np.minimum(high, high_too) - np.maximum(low, low_too)
        level = np.minimum(np.abs(low - low_too), np.abs(high - high_too)) < 0.00003
        for across in np.flatnonzero(level):
            if (np.delete(overlap, across) > 0.0005).all():
                shared.append((model.geom(one).name, model.geom(other).name))
    assert shared == []


def _corners(model: mujoco.MjModel, geom: int) -> tuple[np.ndarray, np.ndarray]:
    """Of a box in its body's frame; of one that stands askew, of no size, for it is flush with nothing."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    axes = np.abs(turn.reshape(3, 3))
    if not np.allclose(axes, axes.round(), atol=1e-6):
        axes = np.zeros((3, 3))
    half = axes @ model.geom_size[geom]
    return model.geom_pos[geom] - half, model.geom_pos[geom] + half
