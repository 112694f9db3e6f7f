"""Paint where an eye looked: what counted is lit, the rest is dark."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.runtime.background_task import BackgroundTask
from app.widgets.camera.frame_images import rgb_image
from core.belief import Atom
from core.errors import ConsoleError
from core.stop_token import StopToken

KEPT = 16  # pictures, of the latest questions
DARK, GLOW = 0.8, (255, 190, 60)  # how dark the rest becomes, and the light on what counted
_GLOWS = 0.3
Key = tuple[str, str, Atom]  # who answered, about which frame, which question


class HeatMaps(QObject):
    """Makes heat maps on a thread of its own, one at a time; the latest question counts. GUI thread only."""

    changed = Signal()  # another one is there, or it is known why there is none

    def __init__(self) -> None:
        super().__init__()
        self._made: OrderedDict[Key, QImage | str] = OrderedDict()
        self._wanted: Key | None = None
        self._task = BackgroundTask("heat map")
        self._task.done.connect(self._deliver)

    def of(self, by: str, frame: str, picture: QImage | None, atom: Atom) -> QImage | str:
        """Return the picture with what counted for an answer, why there is none, or "" while it is made."""
        if picture is None:
            return ""
        key = by, frame, atom
        if key not in self._made and key != self._wanted:
            self._wanted = key
            self._task.start(lambda cancel, _: (key, _make(by, picture, atom, cancel)))
        return self._made.get(key, "")

    def _deliver(self, result: tuple[Key, QImage] | ConsoleError) -> None:
        if isinstance(result, ConsoleError):
            assert self._wanted is not None
            self._made[self._wanted] = str(result)
        else:
            self._made[result[0]] = result[1]
        self._wanted = None
        while len(self._made) > KEPT:
            self._made.popitem(last=False)
        self.changed.emit()


def _make(by: str, picture: QImage, atom: Atom, cancel: StopToken) -> QImage:
    from core.vqa.eye.attention import find_eye, heat_map

    eye = find_eye(by)
    cancel.check()
    rgb = pixels_of(picture)
    return overlay_heat(rgb, heat_map(eye, rgb, atom))


def pixels_of(picture: QImage) -> NDArray[np.uint8]:
    """Return the pixels of a picture, H x W x 3."""
    image = picture.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def overlay_heat(rgb: NDArray[np.uint8], heat: NDArray[np.float32]) -> QImage:
    """Return the picture (H x W x 3), dark where `heat` (H x W, 0 to 1) is 0 and glowing where it is 1."""
    light = heat[..., None] ** 0.5  # attention is peaked: what counted a little is to be seen as well
    seen = rgb * (1 - DARK * (1 - light))
    glowing = seen + (np.array(GLOW) - seen) * _GLOWS * heat[..., None]
    return rgb_image(np.clip(glowing, 0, 255).astype(np.uint8))
