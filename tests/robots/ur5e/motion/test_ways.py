"""Ways around what is in between: by our own trees, and by OMPL's where that is installed."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from core.motion.frames import Frame
from robots.ur5e.kinematics import Joints
from robots.ur5e.motion.ways import Ways

A: Joints = (3.0, -1.57, 1.57, -1.5, -1.5, 0.0)
B: Joints = (4.2, -1.57, 1.57, -1.5, -1.5, 0.0)


def is_free(q: Joints, hand: Frame) -> bool:
    """A wall between the two, that a raised arm passes over."""
    return abs(q[0] - 3.6) > 0.2 or q[1] < -1.7


def ways(seed: int) -> Ways:
    return Ways(np.eye(4), np.random.default_rng(seed))


@pytest.mark.parametrize("planner", ["_connect", "_by_ompl"])
def test_that_a_way_around_a_wall_is_found_and_is_the_same_by_the_same_seed(planner: str) -> None:
    if planner == "_by_ompl":
        pytest.importorskip("ompl")
    one, again = ([getattr(ways(seed), planner)(A, B, is_free) for seed in range(5)] for _ in range(2))
    found = [way for way in one if way]
    assert one == again and len(found) >= 2
    for way in found:
        assert (way[0], way[-1]) == (A, B)
        for a, b in pairwise(way):
            assert all(abs(q[0] - 3.6) > 0.1 or q[1] < -1.6 for q in np.linspace(a, b, 12))


def test_that_ompl_is_asked_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ways, "_by_ompl", lambda *_: (A,))
    monkeypatch.setattr(Ways, "_connect", lambda *_: (B,))
    assert ways(1).around(A, B, lambda *_: False) == ((A,) if find_spec("ompl") else (B,))
