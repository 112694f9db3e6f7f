"""The camera panel: the live picture, or the still that was asked about."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAction, QImage, QResizeEvent
from PySide6.QtWidgets import QMenu

from app.controls.button import ToolButton
from app.controls.layout import open_menu
from app.presentation.decision_section import suspicious
from app.presentation.formatting import age, frame_age_text, staleness_level
from app.widgets.arm.grasp_overlay import GraspOverlay
from app.widgets.camera.frame_images import box_of, image, still
from app.widgets.camera.picture_view import BoxMark, PictureTag, PictureView
from app.widgets.panel import Panel
from core.arm.step_candidates import ProvidesCandidates
from core.belief import Verdict
from core.episode_state import EpisodeState, QuestionCard, TimelineTrack
from core.ports import (
    BoundingBox,
    CropsStills,
    Embodiment,
    Frame,
    ProvidesLiveFrames,
    ProvidesViews,
    ReportsRendering,
    Robot,
)
from core.text.vocabulary import Vocabulary

POLL = 25  # ms between two looks for a new live frame
OWN_CLOCK = 60.0  # seconds; a simulator's frame from longer ago than this has another clock than ours
REFRESH_INTERVAL = 0.1  # seconds between two looks at the age of a frame that stays the same


class CameraPanel(Panel):
    """Polls live frames independently of the loop, from the robot given to `watch`."""

    frame_age_changed = Signal(str, str)  # the age of the live picture in words, and its level

    def __init__(self) -> None:
        self._expand = ToolButton("expand", "Picture as asked (V)", checkable=True)
        self._which = ToolButton("camera", "Camera")
        super().__init__("Camera", self._which, self._expand)
        self._menu = QMenu(self)
        self._menu.triggered.connect(lambda action: self._choose(action.text()))
        self._which.clicked.connect(lambda: open_menu(self._menu, self._which, False))
        self._expand.toggled.connect(lambda _: self._show())
        self.picture = PictureView()
        self.picture.pointed.connect(self._pointed)
        self.grasp_overlay = GraspOverlay()
        self.set_body((self.picture, 100), 1)
        self._robot: ProvidesLiveFrames | None = None
        self._simulated = False
        self._without = ""  # why this robot has no pictures
        self._camera = self._still_camera = ""
        self._live: object = None
        self._aged: object = None  # the camera's frame whose age is told
        self._live_image: QImage | None = None
        self._came = self._refreshed = 0.0
        self.shown = 0  # live frames painted so far
        self._state = EpisodeState()
        self._timer = QTimer(self, interval=POLL)
        self._timer.timeout.connect(self._poll)
        self._show()

    # --- live --------------------------------------------------------------------------------------------

    def watch(self, robot: Robot | None) -> None:
        """Show this robot's live frames, if it has any."""
        self._robot = robot if isinstance(robot, ProvidesLiveFrames) else None
        self.grasp_overlay.option_source = robot if isinstance(robot, ProvidesCandidates) else None
        self._still_camera = robot.still_camera if isinstance(robot, CropsStills) else ""
        self._simulated = robot is not None and robot.embodiment is Embodiment.SIM
        if robot is not None:
            self._without = robot.blank_frames_reason if isinstance(robot, ReportsRendering) else ""
        self._menu.clear()
        names: tuple[str, ...] = self._robot.cameras if self._robot else ()
        names += robot.views if isinstance(robot, ProvidesViews) else ()
        for name in names:
            self._menu.addAction(QAction(name, self._menu, checkable=True))
        self._which.setVisible(len(names) > 1)
        if self._robot is None:
            self._timer.stop()  # the last picture stays, and says that it is the last
            self.frame_age_changed.emit("no live picture", "")
        else:
            self._choose(names[0])
            self._timer.start()
        self._show()

    def clear_picture(self) -> None:
        """Clear the pictures of an earlier episode."""
        self._live, self._live_image, self._came = None, None, 0.0
        self._state = EpisodeState()
        self._without = ""
        self._show()

    @property
    def frame_age(self) -> float | None:
        """Return the seconds since the latest live frame was taken, infinite if that is not known; None if
        there is none.

        A simulator at rest draws no new frame, so its last one is current.
        """
        if self._robot is None or not self._came:
            return None
        old = time.monotonic() - self._came
        if self._simulated:
            moved = self._state.now - self._state.acting_since if self._state.acting else 0.0
            return min(old, moved)
        return old

    def _poll(self) -> None:
        """Poll a live frame. After an error polling ends, because the timer would repeat it forty times a
        second.
        """
        try:
            self._look()
        except Exception:
            self._timer.stop()
            self._robot = None
            raise

    def _look(self) -> None:
        if self._robot is None:
            return
        frame, now, cameras = self._robot.live(self._camera), time.monotonic(), self._robot.cameras
        viewed = self._camera not in cameras  # a view of the arm, over which its camera's picture stands
        seen = self._robot.live(cameras[0]) if viewed else frame
        if seen is not None and seen is not self._aged:
            self._aged, self._came = seen, self._taken_at(seen, now)
            self.picture.show_inset(image(seen) if viewed else None)
        if frame is not None and frame is not self._live:
            self._live, self._live_image = frame, image(frame)
            self.shown += 1
        elif now - self._refreshed < REFRESH_INTERVAL:
            return
        self._refreshed = now
        self._show()
        old = self.frame_age
        self.frame_age_changed.emit(
            "waiting" if old is None else frame_age_text(old) if old else "live", staleness_level(old or 0.0)
        )

    def _taken_at(self, frame: Frame, now: float) -> float:
        """Return when a frame was taken by its own time; its arrival says nothing, but of a simulator's."""
        since = now - frame.timestamp
        if self._simulated:
            return frame.timestamp if 0 <= since < OWN_CLOCK else now
        return frame.timestamp if since >= 0 else -math.inf

    def _choose(self, name: str) -> None:
        self._camera, self._live, self._aged = name, None, None
        self.picture.show_inset(None)
        for action in self._menu.actions():
            action.setChecked(action.text() == name)

    # --- showing -----------------------------------------------------------------------------------------

    def toggle_still(self) -> None:
        self._expand.toggle()

    def display(self, state: EpisodeState) -> None:
        self._state = state
        if self._live_image is None or self._expand.isChecked():
            self._show()

    def _show(self) -> None:
        if self._without:
            self._show_none()
            return
        state = self._state
        asked = self._expand.isChecked() or self._live_image is None
        shown = still(state.frame) if asked else self._live_image
        before = self.picture.ratio
        self.picture.show_image(shown)
        self.picture.show_marks(self._marks(asked))
        live = None if asked else self._live_image
        self.picture.show_options(*self.grasp_overlay.visible_options(state, live, self._camera))
        if asked:
            self.picture.show_tags(PictureTag(""), PictureTag(""))  # what was asked about, nothing covers
            taken = f"as asked in turn {state.turn}, {age(self._since())} ago"
            self.header.note.set_note(taken if state.frame else "")
        else:
            self.picture.show_tags(PictureTag(self._camera, "camera"), self._age_tag())
            self.header.note.set_note("live" if self._robot else "the last picture")
        self.picture.show_empty(
            PictureTag("no picture yet" if self._robot is None else "waiting for the camera", "camera")
        )
        if abs(self.picture.ratio - before) > 0.01:
            self._fit()

    def _show_none(self) -> None:
        """Show why this robot has no pictures."""
        self.picture.show_image(None)
        self.picture.show_marks(())
        self.picture.show_tags(PictureTag(""), PictureTag(""))
        self.picture.show_empty(PictureTag(self._without, "camera"))
        self.header.note.set_note("no pictures")

    def _pointed(self, column: float, row: float, k: float) -> None:
        if self.grasp_overlay.choose_at(self._state, column, row, k):
            self._show()

    def _since(self) -> float:
        state = self._state
        looked = next((m.start for m in reversed(state.marks) if m.kind == "turn"), state.now)
        return state.now - looked

    def _age_tag(self) -> PictureTag:
        old = self.frame_age
        if old is None:
            return PictureTag("not live", "clock")
        if math.isinf(old):
            return PictureTag(frame_age_text(old), "fault", "fault")
        level = staleness_level(old)
        words = {"": "", "doubt": " · late", "fault": " · STALE"}[level]
        icon = {"": "clock", "doubt": "diamond", "fault": "fault"}[level]
        return PictureTag(f"frame {frame_age_text(old)}{words}" if old else "live", icon, level)

    def _marks(self, asked: bool) -> tuple[BoxMark, ...]:
        """Return the boxes of what was asked about. They belong to the still; a live picture gets them only
        if it shows the same and nothing has moved since.
        """
        state, live = self._state, self._live_image
        if state.frame is None or state.frame.rgb is None:
            return ()
        if asked:
            return question_boxes(state, self.vocabulary)
        if live is None or self._camera != self._still_camera or has_moved(state):
            return ()
        rows, columns = state.frame.rgb.shape[:2]
        return on_live(question_boxes(state, self.vocabulary), (rows, columns), live)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Make the picture as high as its width requires."""
        self.picture.setMaximumHeight(max(90, min(round(self.width() * self.picture.ratio), self.height())))


def question_boxes(state: EpisodeState, vocabulary: Vocabulary) -> tuple[BoxMark, ...]:
    """Return a mark, in the still's pixels, for each object that this turn asks about and the robot locates.

    It shows the first uncertain question about the object, or else the first one.
    """
    by_object: dict[str, tuple[BoundingBox, QuestionCard]] = {}
    for card in sorted(state.cards, key=lambda card: not _doubtful(card)):
        if (box := box_of(state.boxes, card.query.atom.args)) is not None:
            by_object.setdefault(box.name, (box, card))
    return tuple(
        BoxMark(box, _words(card, box, vocabulary), "doubt" if _doubtful(card) else "")
        for box, card in by_object.values()
    )


def _doubtful(card: QuestionCard) -> bool:
    unasked = card.model is not None and card.model.is_unasked
    return suspicious(card) and not unasked and not card.overridden


def _words(card: QuestionCard, box: BoundingBox, vocabulary: Vocabulary) -> str:
    """Return the answer as a statement, such as "the mug is in view"; before it, the object's name."""
    answer = card.final or card.model
    if answer is None or answer.is_unasked:
        return vocabulary.object_name(box.name)
    if answer.verdict is Verdict.UNKNOWN:
        return f"{vocabulary.object_name(box.name)}: can't tell"
    return vocabulary.describe_literal(card.query.atom, answer.verdict is Verdict.YES)


def has_moved(state: EpisodeState) -> bool:
    """Return True if a step was started since the still was taken, so that its boxes may be elsewhere."""
    tracks = (m.track for m in reversed(state.marks) if m.kind == "turn" or m.track is TimelineTrack.ACTION)
    return state.acting is not None or next(tracks, None) is TimelineTrack.ACTION


def on_live(marks: Sequence[BoxMark], still: tuple[int, int], live: QImage) -> tuple[BoxMark, ...]:
    """Place marks of a still (height, width) on a live picture of which it is the middle, at full height."""
    k = live.height() / still[0]
    cut = (live.width() - k * still[1]) / 2

    def placed(b: BoundingBox) -> BoundingBox:
        return BoundingBox(b.name, b.left * k + cut, b.top * k, b.right * k + cut, b.bottom * k)

    return tuple(replace(mark, box=placed(mark.box)) for mark in marks)
