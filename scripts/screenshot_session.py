"""The real window for the scenes of `scripts/screenshots.py`: drive it, photograph it, save the pictures."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QSize
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

import main
from app.command_reasons import just_appeared
from app.episode.session import SessionStage
from app.main import Console
from app.preferences import Preferences
from app.theme import styling
from app.theme.styling import ColourMode
from core.config import Settings
from core.episode_state import EpisodeState, Phase
from core.install_paths import ROOT
from core.supervision import SUPERVISION_PRESETS
from robots.registry import ROBOTS

DOCS = ROOT / "docs" / "screenshots"
SIZES = ((1280, 800), (1920, 1080))
MODES = (ColourMode.LIGHT, ColourMode.DARK)
DOC_SIZE = (1440, 900)
SHOWN = {  # themes shown in docs/; the second one's name is appended to the file name
    "newcomer": ("light",),
    "setup": ("light",),
    "acting": ("dark",),
    "reviewing": ("light",),
    "offered": ("light",),
    "stopped": ("dark",),
    "choose": ("light",),
    "ur5e-robot": ("light",),
    "review_replay": ("light", "dark"),
    "review_blind": ("light",),
    "review_compare": ("light", "dark"),
}
README = "offered"  # the scene whose smaller picture is in the README
COLOURS = 256
DRAG = 6  # sizes between two of the pictures
ROUNDS = 10  # minimum iterations of Qt's event loop in every wait


class ScreenshotSession:
    """A window that the scenes drive and photograph."""

    def __init__(self, app: QApplication, out: Path, only: str, docs: bool) -> None:
        self.app, self.out, self.only, self.docs = app, out, only, docs
        self.console: Console | None = None
        self.extra = ""  # a panel that is closed by default

    @property
    def at(self) -> Console:
        assert self.console is not None
        return self.console

    @property
    def state(self) -> EpisodeState:
        return self.at.controller.state

    def wait_until(self, seen: Callable[[], object], seconds: float = 60.0) -> bool:
        end = time.monotonic() + seconds
        rounds = 0  # so that a slow machine gets as far as a fast one
        while (not seen() and time.monotonic() < end) or rounds < ROUNDS:
            rounds += 1
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            time.sleep(0.003)
        return bool(seen())

    def wait(self, seconds: float) -> None:
        self.wait_until(lambda: False, seconds)

    @contextmanager
    def window(self, settings: Settings, preset: str = "Approve") -> Iterator[None]:
        with tempfile.TemporaryDirectory() as place:
            memory = Preferences(
                Path(place), mode=ColourMode.LIGHT, supervision=SUPERVISION_PRESETS.get(preset)
            )
            self.console = Console(
                self.app, main.make_components, settings, Path(place) / "log.db", memory, ROBOTS
            )
            self.console.window.resize(*DOC_SIZE)
            self.console.show()
            self.wait_until(
                lambda: self.at.controller.session.stage in (SessionStage.READY, SessionStage.OVER)
            )
            self.wait(0.6)
            try:
                yield
            finally:
                self.console.window.close()
                self.console.window.deleteLater()
                self.console = None

    def do(self, command: str) -> None:
        self.at.controller.refresh()
        self.at.window.actions_[command].trigger()

    def pass_until(self, seen: Callable[[], object]) -> bool:
        commands = {
            Phase.REVIEWING: "use",
            Phase.OFFERED: "take",
            Phase.WAITING: "approve",
            Phase.STOPPED: "go_on",
        }

        def look_() -> bool:
            if seen():
                return True
            if self.state.phase in commands and not just_appeared(self.state):
                self.do(commands[self.state.phase])
            return bool(self.state.ended)

        self.wait_until(look_, 120)
        return bool(seen())

    # --- taking pictures ---------------------------------------------------------------------------------

    def save_screenshots(self, name: str) -> None:
        """Save both themes at both sizes, dragged from one to the next; for the guide, one at a size in
        between.
        """
        if self.only and self.only not in name:
            return
        wanted = [(mode, size, f"_{size[0]}x{size[1]}_{mode.value}") for mode in MODES for size in SIZES]
        if self.docs:
            wanted = [
                (ColourMode(mode), DOC_SIZE, "" if i == 0 else f"_{mode}")
                for i, mode in enumerate(SHOWN.get(name, ()))
            ]
        taken = [(self._take(mode, size), f"{name}{end}.png") for mode, size, end in wanted]
        if self.docs and name == README:
            taken.append((self._take(ColourMode.LIGHT, SIZES[0]), "console.png"))
        for picture, file in taken:  # encoded afterwards: a motion does not wait
            path = (DOCS if self.docs else self.out) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            indexed(picture).save(str(path))
            print(f"{path.name} {path.stat().st_size // 1024} KB", flush=True)

    def _take(self, mode: ColourMode, size: tuple[int, int]) -> QPixmap:
        window, dialog = self.at.window, self.at.controller.dialog
        styling.apply(self.app, mode)
        self._drag_to(QSize(*size))
        if self.extra:
            window.docks[self.extra].show()
            window.docks[self.extra].raise_()
        if dialog is not None:
            dialog.place()
        else:
            window.setFocus()  # a restored dock passes the focus to the first widget
        self.wait(0.35)
        picture = window.grab()
        if dialog is not None:
            p = QPainter(picture)
            p.drawPixmap(dialog.pos() - window.pos(), dialog.grab())
            p.end()
        if self.extra:
            window.reset_layout()
        return picture

    def _drag_to(self, size: QSize) -> None:
        """Resize the window as a person does by its corner: the panels keep the layout that they have."""
        window, start = self.at.window, self.at.window.size()
        for step in range(1, DRAG + 1):
            window.resize(start + (size - start) * (step / DRAG))
            self.app.processEvents()


def indexed(picture: QPixmap) -> QImage:
    """Return the picture with a palette of 256 colours: a third of the size, without visible loss."""
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
    h, w, line = image.height(), image.width(), image.bytesPerLine()
    rgb = np.frombuffer(image.constBits(), np.uint8).reshape(h, line)[:, : w * 3].reshape(-1, 3)
    packed, counts = np.unique(rgb @ np.array([1 << 16, 1 << 8, 1], np.int32), return_counts=True)
    unique = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], 1).astype(np.uint8)
    common = unique[np.argsort(-counts)[:96]].astype(np.float32)  # flat backgrounds and text stay exact
    sample = unique[np.random.default_rng(0).permutation(len(unique))[:8000]].astype(np.float32)
    criteria = (cv2.TERM_CRITERIA_MAX_ITER, 12, 0)
    _, _, centres = cv2.kmeans(
        sample, min(COLOURS - 96, len(sample)), None, criteria, 1, cv2.KMEANS_PP_CENTERS
    )
    palette = np.vstack([common, centres])
    index = np.empty(len(rgb), np.uint8)
    for i in range(0, len(rgb), 65536):
        part = rgb[i : i + 65536].astype(np.float32)
        far = (part**2).sum(1)[:, None] - 2 * part @ palette.T + (palette**2).sum(1)
        index[i : i + 65536] = far.argmin(1)
    pixels = np.ascontiguousarray(np.pad(index.reshape(h, w), ((0, 0), (0, -w % 4))))
    made = QImage(pixels.data, w, h, pixels.shape[1], QImage.Format.Format_Indexed8)
    made.setColorTable(
        [0xFF000000 | int(r) << 16 | int(g) << 8 | int(b) for r, g, b in palette.round().astype(int)]
    )
    return made.copy()
