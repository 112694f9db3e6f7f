"""Live video of an episode in short segments, recorded by a thread that nobody ever waits for.

Each camera is recorded to its own video; every `SEGMENT` seconds the videos are finished, stored beside the
log under their hashes, and started anew. A busy machine records fewer frames and counts the dropped ones.
What an arm does meanwhile goes into the log (`MotionSamples`). Extra: `video`.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from pathlib import Path

from core.arm.arm_capabilities import ReportsStatus, SupportsGripper
from core.errors import ConsoleError
from core.events import MotionSampled
from core.log import sidecar
from core.log.database import Connect, connect
from core.log.lease import Lease
from core.log.recorder import Recorder
from core.log.video import segments
from core.log.video.video_writer import VideoWriter
from core.ports import Frame, ProvidesLiveFrames

RATE = 10.0  # frames per second
SEGMENT = 10.0  # seconds per video
THREAD_NICENESS = 10  # where threads have one; the loop has priority
STOP_TIMEOUT = 2.0  # seconds that the end of an episode waits for its last video
FAILURE_NOTICE = "The live video of this episode ends here, the episode goes on: {}"


class SegmentRecorder:
    """The video of one camera that is being recorded. `began` is a time of the recorder's clock."""

    def __init__(self, camera: str, part: Path, began: float) -> None:
        self.camera, self.part, self.began = camera, part, began
        self.dropped = 0
        self._video: VideoWriter | None = None
        self._last: Frame | None = None
        self.pictures = 0

    def add_frame(self, frame: Frame | None, now: float) -> None:
        """Add a frame; one identical to the last costs nothing, since that is still shown."""
        if frame is None or frame.rgb is None or frame is self._last:
            return
        if self._video is None:
            height, width = frame.rgb.shape[:2]
            self._video, self.began = VideoWriter(self.part, width, height, round(RATE), quick=True), now
        self._video.add(frame.rgb, now - self.began)
        self._last = frame
        self.pictures += 1

    def close(self, now: float) -> bool:
        """Finish the file. Return False if there was no frame."""
        video, self._video = self._video, None
        if video is None:
            return False
        if self._last is not None and self._last.rgb is not None:
            video.add(self._last.rgb, now - self.began)  # else the video would end at its last frame
        video.close()
        return True

    def discard(self) -> None:
        """Delete the file in whatever state it is."""
        video, self._video = self._video, None
        if video is not None:
            with suppress(Exception):
                video.close()
        self.part.unlink(missing_ok=True)


class LiveVideo:
    """Records `robot` for the recorder's episode from `start` to `stop`.

    `notify` receives one sentence if it fails, on the video's own thread. `start` and `stop` may be called
    from any thread and never raise.
    """

    def __init__(
        self,
        robot: ProvidesLiveFrames,
        recorder: Recorder,
        notify: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        connect: Connect = connect,
        rate: float = RATE,
        seconds: float = SEGMENT,
    ) -> None:
        self._robot, self._recorder, self._notify = robot, recorder, notify
        self._clock, self._connect, self._rate, self._seconds = clock, connect, rate, seconds
        self._episode = ""
        self._motion = MotionSamples(robot, self._keep_motion)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, name="live video", daemon=True)
        self.kept = self.dropped = 0  # segments on disk; frames that were dropped

    def start(self) -> None:
        """Start to record; the episode's beginning must already be on disk."""
        self._episode = self._recorder.episode
        self._thread.start()

    def stop(self, seconds: float = STOP_TIMEOUT) -> bool:
        """Finish the last segment. Return False if that takes longer than `seconds`; it goes on by itself."""
        self._done.set()
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    # --- the video's thread ------------------------------------------------------------------------------

    def _work(self) -> None:
        database = self._recorder.path
        if database is None:
            return
        with suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), THREAD_NICENESS)
        lease: Lease | None = None
        db: sqlite3.Connection | None = None
        try:
            lease, db = Lease(database), self._connect(database)
            db.execute("pragma wal_autocheckpoint=0")  # the log's writer has a thread for that
            sidecar.make_folder(segments.folder(database))
            while not self._done.is_set():
                self._segment(db, database, lease.writer)
        except Exception as error:  # a failed video must never end the episode
            self._failed(error)
        finally:
            if db is not None:
                db.close()
            if lease is not None:
                lease.release()

    def _segment(self, db: sqlite3.Connection, database: Path, writer: str) -> None:
        began, beside = self._clock(), segments.folder(database)
        recorders = [
            SegmentRecorder(camera, beside / f"{writer}.{i}{segments.PART}", began)
            for i, camera in enumerate(self._robot.cameras)
        ]
        try:
            self._record_frames(recorders, began)
            ended = self._clock()
            for recorder in recorders:
                if recorder.close(ended):
                    self._keep(db, database, recorder, ended)
        finally:
            for recorder in recorders:
                recorder.discard()

    def _record_frames(self, recorders: list[SegmentRecorder], began: float) -> None:
        shot, end = 0, began + self._seconds
        while self._clock() < end:
            self._motion.take(self._clock())
            for recorder in recorders:
                recorder.add_frame(self._robot.live(recorder.camera), self._clock())
            due = int((self._clock() - began) * self._rate) + 1
            missed, shot = due - shot - 1, due
            for recorder in recorders:
                recorder.dropped += missed
            self.dropped += missed * len(recorders)
            if self._done.wait(max(0.0, min(began + shot / self._rate, end) - self._clock())):
                return

    def _keep_motion(self, event: MotionSampled) -> None:
        if self._recorder.episode == self._episode:
            self._recorder.record(event, wait=False)

    def _keep(self, db: sqlite3.Connection, database: Path, recorder: SegmentRecorder, ended: float) -> None:
        sidecar.sync(recorder.part)
        size, hash = recorder.part.stat().st_size, segments.file_digest(recorder.part)
        made = segments.Segment(recorder.camera, recorder.began, ended, hash, size, recorder.dropped)
        self.kept += segments.add(db, database, self._episode, made, recorder.part)

    def _failed(self, error: Exception) -> None:
        reason = str(error) if isinstance(error, ConsoleError) else f"{type(error).__name__}, {error}."
        if self._recorder.episode == self._episode:
            with suppress(ConsoleError):
                self._notify(FAILURE_NOTICE.format(reason))


def start_live_video(
    wanted: bool, robot: object, recorder: Recorder, notify: Callable[[str], None]
) -> LiveVideo | None:
    """Start live video if it is wanted and there are a camera and a log."""
    if not wanted or recorder.path is None:
        return None
    if not isinstance(robot, ProvidesLiveFrames) or not robot.cameras:
        notify("There is no live video of this episode: the robot has no live camera.")
        return None
    video = LiveVideo(robot, recorder, notify)
    video.start()
    return video


EACH = 10  # samples of a record


class MotionSamples:
    """Takes a sample of `robot` whenever it is told to; of one that is no arm, none. One thread."""

    def __init__(self, robot: object, record: Callable[[MotionSampled], object]) -> None:
        self._arm = robot if isinstance(robot, ReportsStatus) else None
        self._gripper = robot if isinstance(robot, SupportsGripper) else None
        self._record = record
        self._rows: list[tuple[float, tuple[float, ...], float, tuple[float, ...]]] = []

    def take(self, now: float) -> None:
        """Take a sample at this time of the recorder's clock, if the arm's data are not older."""
        if self._arm is None or not isfinite((status := self._arm.status).age):
            return
        gripper = self._gripper.gripper_status if self._gripper else None
        if self._gripper and gripper is None:
            return  # it has not been asked yet
        opening = round(gripper.opening, 4) if gripper else 0.0
        joints = tuple(round(angle, 5) for angle in status.joints)
        loads = tuple(round(load, 3) for load in status.joint_loads)
        self._rows.append((round(now - status.age, 4), joints, opening, loads))
        if len(self._rows) >= EACH:
            at, all_joints, openings, all_loads = zip(*self._rows, strict=True)
            self._rows = []
            self._record(MotionSampled(at, all_joints, openings, all_loads if any(all_loads) else ()))
