"""The camera panel of a replay."""

from __future__ import annotations

from app.widgets.camera import Camera


class Recorded(Camera):
    """The stills of a replay, as large as there is room: nothing is live, so nothing stands beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.watch(None)
        self.asked.hide()
        self._expand.hide()

    def _fit(self) -> None:
        self.picture.setFixedHeight(max(90, self.height()))
