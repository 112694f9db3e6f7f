"""Draw the pictures of `docs/kitchen.md` again, all or those named.

`PYTHONPATH=. .venv/bin/python docs/kitchen/draw.py [NAME ...]`
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.config import Settings
from core.log.video.contact_sheet import contact_sheet, panels_of
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.pictures import decode_png
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Step
from core.ports import BoundingBox
from core.stop_token import StopToken
from main import make_components
from robots.kitchen.rendering.offscreen_renderer import ImageFormat, OffscreenRenderer
from robots.kitchen.robot import KitchenRobot

HERE = Path(__file__).parent
STRIPS = {  # file -> task, seed, pace
    "half-open": ("boil_water", 144, 0.0),
    "dropped": ("bring_in_bottles", 7, 1.0),
    "pie": ("cook_frozen_pie", 14, 1.0),
    "failed-grasp": ("halve_egg", 8, 1.0),
    "firewood": ("store_firewood", 0, 0.0),
}


def main(wanted: list[str]) -> None:
    drawing = {name: partial(_strip, *settings) for name, settings in STRIPS.items()}
    drawing |= {"seeds": seeds, "half-open-doors": doors, "room": room, "boxes": boxes}
    for name, draw in drawing.items():
        if not wanted or name in wanted:
            write(name, draw())


def _strip(task: str, seed: int, pace: float) -> NDArray[np.uint8]:
    parts = make_components(Settings(task=task, seed=seed, pace=pace, openness=1.0, robot="kitchen"))
    try:
        events = list(
            run_episode(
                task, parts.task.problem, parts.robot, parts.answerer, parts.planner, parts.method,
                AutoOperator(), StopToken(), permits=parts.permits,
            )
        )  # fmt: skip
    finally:
        parts.robot.close()
    return decode_png(
        contact_sheet(
            panels_of(events, parts.domain_spec.describe_step), f"{task}, seed {seed}, pace {pace:g}", 5
        )
    )


def at(task: str, seed: int, steps: int) -> KitchenRobot:
    """Return the kitchen after the first steps of the task's plan, with no failure."""
    domain_spec, found = domain_library.load_task(task)
    robot = KitchenRobot(domain_spec, found, seed=seed, openness=0.0)
    return carried_out(robot, make_planner().plan(found.problem, StopToken()).steps[:steps])


def carried_out(robot: KitchenRobot, steps: Sequence[Step]) -> KitchenRobot:
    issuer = PermitIssuer(robot.permits, robot.embodiment)
    for step in steps:
        robot.do(step, issuer.restore(step), StopToken())
    return robot


def still(robot: KitchenRobot) -> NDArray[np.uint8]:
    picture = robot.look(StopToken()).rgb
    assert picture is not None
    return picture


def seeds() -> NDArray[np.uint8]:
    """Return three views for each of six seeds."""
    rows = []
    for task, steps in (("boil_water", 2), ("halve_egg", 3), ("store_firewood", 4)):
        row = []
        for seed in range(6):
            robot = at(task, seed, steps)
            row.append(still(robot))
            robot.close()
        rows.append(np.hstack(row))
    return np.vstack(rows)


def doors() -> NDArray[np.uint8]:
    """Return doors that opened half way, for six seeds."""
    rows = []
    for task in ("boil_water", "cook_frozen_pie"):
        domain_spec, found = domain_library.load_task(task)
        known = {s.name for skill in domain_spec.skills.values() for s in skill.situations}
        find, opening = make_planner().plan(found.problem, StopToken()).steps[:2]
        row = []
        for seed in range(6):
            rates = {name: float(name == "it stays closed") for name in known}
            robot = carried_out(KitchenRobot(domain_spec, found, seed=seed, rates=rates), (find, opening))
            row.append(still(robot))
            robot.close()
        rows.append(np.hstack(row))
    return np.vstack(rows)


def room() -> NDArray[np.uint8]:
    robot = at("boil_water", 3, 9)
    assert robot._animator is not None
    camera = OffscreenRenderer(robot._animator.built.model, ImageFormat(1280, 720, samples=8), "room")
    picture = camera.colour(robot._animator.snapshot)
    camera.close()
    robot.close()
    return picture


def boxes() -> NDArray[np.uint8]:
    robot = at("halve_egg", 1, 1)
    picture = cv2.resize(still(robot), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    found = robot.boxes([o.name for o in domain_library.load_task("halve_egg")[1].problem.all_objects])
    for box in found:
        _outline(picture, box)
    robot.close()
    return picture


def _outline(picture: NDArray[np.uint8], box: BoundingBox) -> None:
    corner, other = (int(2 * box.left), int(2 * box.top)), (int(2 * box.right) - 1, int(2 * box.bottom) - 1)
    cv2.rectangle(picture, corner, other, (20, 150, 150), 2)
    place = (corner[0] + 4, corner[1] + 16)
    cv2.putText(picture, box.name, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (250, 250, 250), 3, cv2.LINE_AA)
    cv2.putText(picture, box.name, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, (10, 60, 60), 1, cv2.LINE_AA)


def write(name: str, picture: NDArray[np.uint8]) -> None:
    """Write a PNG with a palette of 256 colours, a third of the size without a visible difference."""
    sample = picture.reshape(-1, 3)[:: max(1, picture.size // 90_000)].astype(np.float32)
    cv2.setRNGSeed(0)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 12, 0.5)
    _, _, palette = cv2.kmeans(sample, 256, None, stop, 1, cv2.KMEANS_PP_CENTERS)
    steps = np.arange(32) * 8 + 4
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3).astype(np.float32)
    nearest = ((palette**2).sum(1) - 2 * grid @ palette.T).argmin(1).astype(np.uint8)
    index = picture.astype(np.int32) >> 3
    rows = nearest[(index[..., 0] * 32 + index[..., 1]) * 32 + index[..., 2]]
    height, width = rows.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1).tobytes()
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.clip(0, 255).astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    chunks = (struct.pack(">I", len(b)) + k + b + struct.pack(">I", zlib.crc32(k + b)) for k, b in parts)
    (HERE / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


if __name__ == "__main__":
    main(sys.argv[1:])
