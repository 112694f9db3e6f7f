"""The camera panel of a replay."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction

from app.controls.badge import Chip
from app.presentation.formatting import clock
from app.review.replay_video import ReplayVideo, VideoClip
from app.widgets.camera.camera_panel import CameraPanel
from app.widgets.camera.picture_view import PictureTag
from core.episode_state import EpisodeState


class ReplayCamera(CameraPanel):
    """Shows the stills of a replay as large as possible, because there is no live picture beside them.

    If the log has live video, `video` shows that of the same moment instead.
    """

    def __init__(self) -> None:
        super().__init__()
        self.watch(None)
        self._expand.hide()
        self.replay_video = ReplayVideo()
        self.video = Chip("Video")
        self.video.setToolTip("Play the live video of this moment (V)")
        self.video.hide()
        self.video.toggled.connect(self._filmed)
        tools = self.header.layout()
        tools.insertWidget(tools.indexOf(self._which), self.video)  # type: ignore[union-attr]

    def load(self, clips: Sequence[VideoClip]) -> None:
        """Use these clips from now on."""
        self.replay_video.close()
        self.replay_video = ReplayVideo(clips)
        self.video.blockSignals(True)
        self.video.setChecked(False)
        self.video.blockSignals(False)
        self.video.setVisible(bool(clips))
        self._which.hide()
        self._menu.clear()
        for name in self.replay_video.cameras:
            self._menu.addAction(QAction(name, self._menu, checkable=True))
        if clips:
            self._choose(self.replay_video.cameras[0])

    @property
    def showing_video(self) -> bool:
        """Return True if the video is wanted and may be shown."""
        return self.video.isChecked() and self.video.isEnabled()

    def show_picture_only(self, state: EpisodeState) -> None:
        """Show the still without anything that the robot, the model or the loop knows about it."""
        super().display(EpisodeState(frame=state.frame))
        self.picture.show_tags(PictureTag(""), PictureTag(""))
        self.header.note.set_note("the picture as asked")

    def display(self, state: EpisodeState) -> None:
        super().display(state)
        if not self.showing_video:
            return
        picture = self.replay_video.picture(self._camera, state.started_monotonic + state.now)
        if picture is None:
            self.header.note.set_note("the still of this turn")
            self.picture.show_tags(PictureTag("no video of this moment", "camera"), PictureTag(""))
            return
        self.header.note.set_note("live video, in step with the timeline")
        self.picture.show_image(picture)
        self.picture.show_marks(())
        self.picture.show_tags(PictureTag(self._camera, "camera"), PictureTag(clock(state.now), "clock"))

    def _filmed(self, on: bool) -> None:
        self._which.setVisible(on and len(self.replay_video.cameras) > 1)
        if not on:
            self.replay_video.close()

    def _choose(self, name: str) -> None:
        super()._choose(name)
        self.display(self._state)

    def _fit(self) -> None:
        """Leave the picture all of the panel."""
