"""Film four tasks from the sheet through ur_rtde on the emulated arm: docs/screenshots/film_TASK.png.

PYTHONPATH=. python scripts/sheet_films.py [TASK...]. A strip: the region, the ghost, four moments of the arm.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.commands import just_appeared
from benchmarks.shared.window import until, window
from core.config import Settings
from core.episode_state import Phase
from core.install_paths import ROOT
from scripts.driver import PASSING, Driver, ready

TASKS = {
    "berry_2": "put the strawberry onto the light-grey region",
    "full_plate": "",
    "berry_1": "",
    "green_between": "put the green block between the blue block and the red block",
}  # "": as the task says it
WIDTH, HEIGHT, MOMENTS = 300, 225, 4
Picture = NDArray[np.uint8]


def small(picture: Picture) -> Picture:
    """Return a picture cut to 4:3 about its middle, in WIDTH x HEIGHT."""
    high, wide = picture.shape[:2]
    cut = min(wide, high * WIDTH // HEIGHT), min(high, wide * HEIGHT // WIDTH)
    x, y = (wide - cut[0]) // 2, (high - cut[1]) // 2
    part = picture[y : y + cut[1], x : x + cut[0]]
    return np.asarray(cv2.resize(part, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)


def grabbed(driver: Driver) -> Picture:
    image = driver.at.sheet.picture.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return small(pixels[:, : 3 * image.width()].reshape(image.height(), image.width(), 3))


def film(task: str, words: str) -> str:
    """Return how the episode ended; write the strip."""
    settings = Settings(task, "tabletop-wishes", robot="ur5e", method="owl-tamp", answerer="perfect", seed=2)
    with (
        tempfile.TemporaryDirectory() as place,
        window(settings, "Watch", log=Path(place) / "log.db") as console,
    ):
        driver, sheet = Driver(console), console.sheet
        ready(driver)
        sheet.toggle()
        assert until(lambda: sheet.look), sheet.said.text()
        sheet.words.setText(words or sheet.look.domain_spec.tasks[task].description)
        sheet.press()
        assert until(lambda: sheet.desk and sheet.desk.here and sheet.desk.here.region), sheet.said.text()
        until(lambda: not any(work.running for work in sheet.work.tasks))
        frames = [grabbed(driver)]
        sheet.press()
        assert until(lambda: sheet.desk.rehearsed and sheet.desk.rehearsed.film, 200), sheet.said.text()
        until(lambda: sheet.picture._caption.startswith("2 of"), 20)
        frames.append(grabbed(driver))
        sheet.press()
        console.window.resize(1000, 640)  # the less is painted, the more time the arm has
        began, moments = time.monotonic(), list[Picture]()

        def look() -> bool:
            robot, state = driver.parts and driver.parts.robot, driver.state
            shot = (
                robot.live(console.window.camera._camera) if robot and state.phase is Phase.ACTING else None
            )
            if shot is not None and shot.rgb is not None:
                moments.append(small(shot.rgb))
            if state.phase in PASSING and not just_appeared(state):
                console.window.actions_[PASSING[state.phase]].trigger()
            elif state.paused:
                console.window.actions_["pause"].trigger()
            return bool(state.ended)

        until(lambda: driver.state.started, 60)
        until(look, 900, 1000)  # on a busy machine the emulated arm is slow
        end = driver.state.ended
        if moments:
            frames += [moments[k] for k in np.linspace(0, len(moments) - 1, MOMENTS + 1).astype(int)[1:]]
        strip = np.hstack(frames)
        file = ROOT / "docs" / "screenshots" / f"film_{task}.png"
        cv2.imwrite(str(file), strip[..., ::-1], [cv2.IMWRITE_PNG_COMPRESSION, 9])
        took = time.monotonic() - began
        said = (
            f"{end.result.value}, {end.reason} (truly: {end.true_goal})"
            if end
            else f"not ended, {driver.state.phase.value}"
        )
        return f"{task}: {said}; {took:.0f} s, {len(moments)} pictures"


if __name__ == "__main__":
    for name in sys.argv[1:] or TASKS:
        print(film(name, TASKS[name]), flush=True)
