"""Renders the window in every state, light and dark, at two sizes: look at all of them after a change.

make screenshots ARGS="[--out FOLDER] [--only WORD] [--scene NAME] [--docs]"; `--docs` renews those in docs/.
It drives the real window, the real loop and the real kitchen; nothing on the pictures is made up.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import cv2
import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap

from app.theme import styling
from app.theme.styling import ColourMode
from benchmarks.shared.window import SIZE, application, window
from core.config import Settings
from core.install_paths import ROOT
from core.stop import heartbeat
from scripts.driver import Driver, close, end
from scripts.scenes import SCENES

DOCS = ROOT / "docs" / "screenshots"
SIZES = ((1280, 800), (1920, 1080))
LIGHT, DARK = ColourMode.LIGHT, ColourMode.DARK
SHOWN = {  # themes shown in docs/; the second one's name is appended to the file name
    "newcomer": (LIGHT,),
    "setup": (LIGHT,),
    "acting": (DARK,),
    "reviewing": (LIGHT,),
    "offered": (LIGHT,),
    "stopped": (DARK,),
    "choose": (LIGHT,),
    "ur5e-robot": (LIGHT,),
    "drafting": (LIGHT,),
    "wish": (LIGHT,),
    "wish_pick": (LIGHT,),
    "wish_painted": (LIGHT,),
    "wish_ghost": (DARK,),
    "wish_conflict": (LIGHT,),
    "review_replay": (LIGHT, DARK),
    "review_blind": (LIGHT,),
    "review_compare": (LIGHT, DARK),
}
README = "offered"  # the scene whose smaller picture is in the README
COLOURS, EXACT = 256, 96  # of the palette; of these, kept as they are
DRAG = 6  # sizes between two of the pictures


def forms(name: str, docs: bool) -> Iterator[tuple[str, ColourMode, tuple[int, int]]]:
    """Yield each file of a picture with its theme and size: all, or those in the guide, of a size between."""
    if not docs:
        for mode in (LIGHT, DARK):
            yield from ((f"{name}_{w}x{h}_{mode.value}.png", mode, (w, h)) for w, h in SIZES)
        return
    for number, mode in enumerate(SHOWN.get(name, ())):
        yield f"{name}_{mode.value}.png" if number else f"{name}.png", mode, SIZE
    if name == README:
        yield "console.png", LIGHT, SIZES[0]


def take(s: Driver, mode: ColourMode, size: tuple[int, int]) -> QPixmap:
    """Return the window in this theme, dragged to this size as by a person: the panels keep their layout."""
    window, dialog, start = s.at.window, s.dialog, s.at.window.size()
    styling.apply(application(), mode)
    for step in range(1, DRAG + 1):
        window.resize(start + (QSize(*size) - start) * (step / DRAG))
        application().processEvents()
    if s.panel:
        window.docks[s.panel].show()
        window.docks[s.panel].raise_()
    if dialog is not None:
        dialog.place()
    else:
        window.setFocus()  # a restored dock passes the focus to the first widget
    s.do(0.35)
    picture = window.grab()
    if dialog is not None:
        painter = QPainter(picture)
        painter.drawPixmap(dialog.pos() - window.pos(), dialog.grab())
        painter.end()
    if s.panel:
        window.reset_layout()
    return picture


def indexed(picture: QPixmap) -> QImage:
    """Return the picture with a palette of 256 colours: a third of the size, without visible loss."""
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
    h, w, line = image.height(), image.width(), image.bytesPerLine()
    rgb = np.frombuffer(image.constBits(), np.uint8).reshape(h, line)[:, : w * 3].reshape(-1, 3)
    packed, counts = np.unique(rgb @ np.array([1 << 16, 1 << 8, 1], np.int32), return_counts=True)
    unique = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], 1).astype(np.uint8)
    common = unique[np.argsort(-counts)[:EXACT]].astype(np.float32)  # flat backgrounds and text stay exact
    sample = unique[np.random.default_rng(0).permutation(len(unique))[:8000]].astype(np.float32)
    criteria = (cv2.TERM_CRITERIA_MAX_ITER, 12, 0)
    wanted = min(COLOURS - EXACT, len(sample))
    _, _, centres = cv2.kmeans(sample, wanted, None, criteria, 1, cv2.KMEANS_PP_CENTERS)
    palette = np.vstack([common, centres]).round().astype(int).tolist()
    table = [0xFF000000 | r << 16 | g << 8 | b for r, g, b in palette]
    return image.convertToFormat(QImage.Format.Format_Indexed8, table, Qt.ImageConversionFlag.AvoidDither)


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "dkprompt-screenshots")
    parser.add_argument("--only", default="", help="only pictures with this in their name")
    parser.add_argument("--scene", default="", choices=[scene.name for scene in SCENES])
    parser.add_argument("--docs", action="store_true", help="renew the pictures in docs/screenshots")
    given = parser.parse_args()
    out = DOCS if given.docs else given.out
    out.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    heartbeat.HEARTBEAT_TIMEOUT = 60.0  # writing pictures holds the GUI thread up, and nobody is in danger
    with tempfile.TemporaryDirectory(prefix="dkp-") as runtime:  # out of reach of a `stop` meant for others
        os.environ["XDG_RUNTIME_DIR"] = runtime
        for scene in (scene for scene in SCENES if scene.name.startswith(given.scene)):
            fixed = isinstance(scene.settings, Settings)
            with (
                nullcontext(scene.settings) if fixed else scene.settings() as settings,
                window(settings, scene.preset) as console,
            ):
                s = Driver(console)
                s.wait_until(lambda: s.at.window.camera.shown, 2.0)  # noqa: B023
                s.do(0.6)
                for name, *steps in scene.pictures:
                    for step in steps:
                        s.do(step)
                    wanted = forms(name, given.docs) if given.only in name else ()
                    taken = [(out / file, take(s, mode, size)) for file, mode, size in wanted]
                    for file, picture in taken:  # encoded afterwards: a motion does not wait
                        indexed(picture).save(str(file))
                        print(f"{file.name} {file.stat().st_size // 1024} KB", flush=True)
                close(s)
                end(s)
    print(out)


if __name__ == "__main__":
    run()
