"""What goes wrong at a table: poses that are off, a grasp that slips, a thing that somebody moves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.motion.frames import Frame, frame, rotation
from robots.ur5e.motion.situation import is_inside
from robots.ur5e.scene_file import TabletopThing

_ASIDE_M = (0.03, 0.05)  # how far a hand moves a thing
_GAP_M, _ON_M = 0.01, 0.1  # between things; above a thing, and still on it
Poses = Mapping[str, Frame]
Kinds = Mapping[str, TabletopThing]


def believed(poses: Poses, kinds: Kinds, error: float, luck: np.random.Generator) -> dict[str, Frame]:
    """Return poses as seen: each thing shifted and turned on the table, with what is in or on it."""
    seen: dict[str, Frame] = {}
    for name in sorted(poses, key=lambda n: (n not in kinds, poses[n][2, 3])):
        if name in seen:
            continue
        off = np.deg2rad(luck.uniform(-error, error))
        x, y = luck.uniform(-error, error, 2) / 1000
        at = frame(rotation(0, 0, off) @ poses[name][:3, :3], poses[name][:3, 3] + (x, y, 0))
        seen |= {n: f for n, f in carried(name, poses, kinds, at).items() if n not in seen}
    return {name: seen[name] for name in poses}


def carried(name: str, poses: Poses, kinds: Kinds, at: Frame) -> dict[str, Frame]:
    """Return where a thing and what is in or on it come to be, if it is moved."""
    move = at @ np.linalg.inv(poses[name])
    with_it = [n for n in poses if n != name and name in kinds and _rests(poses[n], poses[name], kinds[name])]
    return {name: at} | {n: move @ poses[n] for n in with_it}


def _rests(thing: Frame, under: Frame, kind: TabletopThing) -> bool:
    if kind.is_open and is_inside(thing, under, kind):
        return True
    x, y, z = thing[:3, 3] - under[:3, 3]
    return bool(abs(x) < kind.half[0] and abs(y) < kind.half[1] and 0 < z - kind.half[2] < _ON_M)


def aside(name: str, poses: Poses, kinds: Kinds, luck: np.random.Generator) -> Frame | None:
    """Return a free place on the table near where a thing is, or None."""
    others = [(f[:2, 3], max(kinds[n].half[:2])) for n, f in poses.items() if n in kinds and n != name]
    for _ in range(50):
        angle, far = luck.uniform(0, 2 * np.pi), luck.uniform(*_ASIDE_M)
        at = poses[name][:3, 3] + (far * np.cos(angle), far * np.sin(angle), 0)
        size = max(kinds[name].half[:2])
        inside = 0.25 < at[0] < 0.72 and abs(at[1]) < 0.35
        if inside and all(np.linalg.norm(at[:2] - o) > size + half + _GAP_M for o, half in others):
            return frame(poses[name][:3, :3], at)
    return None
