"""The camera panel of a replay."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction

from app.parts.badge import Chip
from app.review.film import Clip, Projector
from app.widgets.camera import Camera
from app.widgets.picture import Tag
from app.words import clock
from core.episode_state import EpisodeState


class Recorded(Camera):
    """The stills of a replay, as large as there is room: nothing is live, so nothing stands beside them.

    Where the log has live video, `film` shows that of the same moment in their place.
    """

    def __init__(self) -> None:
        super().__init__()
        self.watch(None)
        self.asked.hide()
        self._expand.hide()
        self.projector = Projector()
        self.film = Chip("Film")
        self.film.setToolTip("Play the live video of this moment (V)")
        self.film.hide()
        self.film.toggled.connect(self._filmed)
        tools = self.header.layout()
        tools.insertWidget(tools.indexOf(self._which), self.film)  # type: ignore[union-attr]

    def load(self, clips: Sequence[Clip]) -> None:
        """Those of the episode that is shown from now on."""
        self.projector.close()
        self.projector = Projector(clips)
        self.film.blockSignals(True)
        self.film.setChecked(False)
        self.film.blockSignals(False)
        self.film.setVisible(bool(clips))
        self._which.hide()
        self._menu.clear()
        for name in self.projector.cameras:
            self._menu.addAction(QAction(name, self._menu, checkable=True))
        if clips:
            self._choose(self.projector.cameras[0])

    @property
    def filming(self) -> bool:
        """Whether the film is wanted and may be shown."""
        return self.film.isChecked() and self.film.isEnabled()

    def display(self, story: EpisodeState) -> None:
        super().display(story)
        if not self.filming:
            return
        picture = self.projector.picture(self._camera, story.started_monotonic + story.now)
        if picture is None:
            self.header.note.say("the still of this turn")
            self.picture.show_tags(Tag("no video of this moment", "camera"), Tag(""))
            return
        self.header.note.say("live video, in step with the timeline")
        self.picture.show_image(picture)
        self.picture.show_marks(())
        self.picture.show_tags(Tag(self._camera, "camera"), Tag(clock(story.now), "clock"))

    def _filmed(self, on: bool) -> None:
        self._which.setVisible(on and len(self.projector.cameras) > 1)
        if not on:
            self.projector.close()

    def _choose(self, name: str) -> None:
        super()._choose(name)
        self.display(self._story)

    def _fit(self) -> None:
        self.picture.setFixedHeight(max(90, self.height()))
