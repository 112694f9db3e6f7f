"""The shapes of the arm's links, and whether they would touch each other. Metres; pure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.kinematics import ALPHA, A, D, Transform, VectorLike, link_frames

LINKS = ("base", "upper arm", "forearm", "wrist 1", "wrist 2", "wrist 3", "tool")
_TOOL_RADIUS_M = 0.037  # around the line from the flange to the tool centre point
_MARGIN_M = 0.005  # a real link is no capsule


class Capsule(NamedTuple):
    """A part of link `link`, which turns about z: its ends where the link begins, and its radius."""

    link: int
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float


CAPSULES = (
    Capsule(0, (0, 0, 0.03), (0, 0, 0.165), 0.058),
    Capsule(1, (0, 0, 0), (0, 0, 0.136), 0.055),
    Capsule(1, (0, 0, 0.136), (A[1], 0, 0.136), 0.05),
    Capsule(1, (A[1], 0, 0.136), (A[1], 0, 0.03), 0.048),
    Capsule(2, (0, 0, 0), (A[2], 0, 0), 0.042),
    Capsule(3, (0, 0, 0), (0, 0, 0.1333), 0.038),
    Capsule(4, (0, 0, 0), (0, 0, 0.0997), 0.038),
    Capsule(5, (0, 0, 0), (0, 0, 0.05), 0.034),
)


def _at_end(c: Capsule) -> NDArray[np.float64]:
    """Return a capsule's ends, 2 x 4, in the frame in which its link ends, as the kinematics have it."""
    cos, sin = np.cos(ALPHA[c.link]), np.sin(ALPHA[c.link])
    x, y, z = (np.array((c.start, c.end)) - (A[c.link], 0, D[c.link])).T
    return np.stack((x, y * cos + z * sin, z * cos - y * sin, np.ones(2)), axis=1)


_ENDS = np.array([_at_end(c) for c in CAPSULES])
_LINK = np.array([*(c.link for c in CAPSULES), 6])
_RADIUS = np.array([*(c.radius for c in CAPSULES), _TOOL_RADIUS_M])
_ONE, _OTHER = np.array([(a, b) for a, i in enumerate(_LINK) for b, j in enumerate(_LINK) if j - i >= 2]).T


def rods(q: VectorLike, tcp: Transform) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of the links' capsules and of the tool's, n x 2 x 3, in the base frame; their radii."""
    frames = link_frames(q)
    ends = np.empty((len(_LINK), 2, 3))
    ends[:-1] = (_ENDS @ frames[_LINK[:-1] + 1].transpose(0, 2, 1))[..., :3]
    reach = float(np.linalg.norm(tcp[:3, 3]))
    tool = tcp[:3, 3] * max(0.0, 1 - _TOOL_RADIUS_M / max(reach, 1e-9))
    ends[-1] = frames[6, :3, 3], frames[6, :3, :3] @ tool + frames[6, :3, 3]
    return ends, _RADIUS


def self_collision(q: VectorLike, tcp: Transform) -> tuple[float, str]:
    """Return how deep two links that are not neighbours lie in each other, and which; 0 and "" if none do.

    The tool is a line from the flange to its centre point, with the radius of a gripper.
    """
    ends, _ = rods(q, tcp)
    gaps = _distances(ends[_ONE], ends[_OTHER]) - _RADIUS[_ONE] - _RADIUS[_OTHER] - _MARGIN_M
    if (gap := float(gaps.min())) >= 0:
        return 0.0, ""
    worst = int(gaps.argmin())
    return -gap, f"the {LINKS[_LINK[_OTHER[worst]]]} and the {LINKS[_LINK[_ONE[worst]]]} would touch"


def _distances(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance between each two segments, n x 2 x 3 and the same (Ericson, 2005, 5.1.9)."""
    u, v, w = a[:, 1] - a[:, 0], b[:, 1] - b[:, 0], a[:, 0] - b[:, 0]
    uu, vv, uv = (u * u).sum(1) + 1e-12, (v * v).sum(1) + 1e-12, (u * v).sum(1)
    uw, vw = (u * w).sum(1), (v * w).sum(1)
    s = np.clip((uv * vw - uw * vv) / np.maximum(uu * vv - uv * uv, 1e-12), 0, 1)
    t = np.clip((uv * s + vw) / vv, 0, 1)
    s = np.clip((uv * t - uw) / uu, 0, 1)
    return np.asarray(np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1))
