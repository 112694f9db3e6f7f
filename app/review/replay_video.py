"""Frames of the live video of a logged episode at any moment; one segment is open at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from core.log import sidecar

HOLD = 1.0  # seconds that a segment's last picture stays: the next one begins a moment after its end


@dataclass(frozen=True)
class VideoClip:
    """The file of a segment. Times are of the recorder's clock."""

    camera: str
    started: float
    ended: float
    path: Path


class ReplayVideo:
    """Decodes a camera's video. GUI thread only.

    Going back, it decodes the segment from its start, which takes less than 0.1 s for its ten seconds.
    """

    def __init__(self, clips: Sequence[VideoClip] = ()) -> None:
        self.clips = tuple(clips)
        self.cameras = tuple(dict.fromkeys(clip.camera for clip in clips))
        self._clip: VideoClip | None = None
        self._file: Any = None
        self._ahead: float | None = None  # time in the video of the picture that is grabbed and not yet shown
        self._at = -1.0  # of the one that is shown
        self._image: QImage | None = None

    def picture(self, camera: str, moment: float) -> QImage | None:
        """Return the camera's picture at this moment of the recorder's clock, None if it was not recorded."""
        begun = (c for c in self.clips if c.camera == camera and c.started <= moment)
        clip = max(begun, key=lambda c: c.started, default=None)
        if clip is None or moment > clip.ended + HOLD:
            return None
        seconds = moment - clip.started
        if clip is not self._clip or seconds < self._at:
            self._open(clip)
        while self._ahead is not None and self._ahead <= seconds + 0.001:
            done, bgr = self._file.retrieve()
            if done:
                height, width = bgr.shape[:2]
                self._image = QImage(bgr.data, width, height, width * 3, QImage.Format.Format_BGR888).copy()
            self._at = self._ahead
            self._grab()
        return self._image

    def close(self) -> None:
        """Close the file. Idempotent."""
        if self._file is not None:
            self._file.release()
        self._clip = self._file = self._image = self._ahead = None
        self._at = -1.0

    def _open(self, clip: VideoClip) -> None:
        import cv2

        self.close()
        self._clip = clip
        if _is_mp4(clip.path):  # else it went with the quota, or is no video; there is no picture then
            self._file = cv2.VideoCapture(str(clip.path))
            self._grab()

    def _grab(self) -> None:
        import cv2

        self._ahead = self._file.get(cv2.CAP_PROP_POS_MSEC) / 1000 if self._file.grab() else None


def _is_mp4(path: Path) -> bool:
    """Return True for what begins as MP4; in other files FFmpeg may find the names of further ones."""
    try:
        return sidecar.read_head(path, 12)[4:8] == b"ftyp"
    except OSError:
        return False
