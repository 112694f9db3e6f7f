"""The video of an episode in the replay: real segments, decoded at the playhead's moment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree
from time import monotonic, sleep

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

import main
from app.episode.session import SessionStage
from app.preferences import Preferences
from app.review.replay_video import HOLD, ReplayVideo, VideoClip
from app.widgets.camera.picture_view import PictureView
from core.config import EpisodeComponents, Settings, ignore
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video.live_video import LiveVideo
from core.ports import Frame
from core.supervision import WATCH, SupervisionLevels
from robots.registry import ROBOTS
from tests.app.conftest import PATIENCE, Opened
from tests.app.review.conftest import Reader
from tests.core.log import made

pytestmark = pytest.mark.skipif(find_spec("av") is None, reason="the extra `video` is not installed")


class Brightening:
    """Two cameras: the one gets brighter by 100 levels a second, the other is dark."""

    cameras = ("top", "hand")

    def __init__(self) -> None:
        self.begun = monotonic()

    def at(self, when: float) -> int:
        """How bright the first camera's picture of this moment is."""
        return min(250, round((when - self.begun) * 100) + 30)

    def live(self, camera: str) -> Frame | None:
        now = monotonic()
        level = self.at(now) if camera == "top" else 5
        return Frame("", camera, now, rgb=np.full((48, 64, 3), level, np.uint8))


@dataclass(frozen=True)
class Filmed:
    """A folder with the log of two episodes: one with live video in several segments, one without."""

    folder: Path
    ids: tuple[str, str]
    eyes: Brightening


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Filmed:
    folder, eyes = tmp_path_factory.mktemp("filmed"), Brightening()
    with Recorder.open(folder / "log.db") as recorder:
        events = iter(recorder.record_events(made.episode(4, True, "ada")))
        first = next(events)
        eyes.begun = monotonic()
        video = LiveVideo(eyes, recorder, pytest.fail, rate=25.0, seconds=0.5)
        video.start()
        while video.kept < 4:
            assert monotonic() < eyes.begun + PATIENCE / 1000, "it takes too long"
            sleep(0.01)
        *_, _last = events
        assert video.stop(20)
        *_, other = recorder.record_events(made.episode(2, True))
    return Filmed(folder, (first.episode, other.episode), eyes)


@pytest.fixture
def eyes(filmed: Filmed) -> Brightening:
    return filmed.eyes


@pytest.fixture
def ids(tmp_path: Path, filmed: Filmed) -> list[str]:
    """In a copy of the log, which the test may change."""
    copytree(filmed.folder, tmp_path, dirs_exist_ok=True)
    return list(filmed.ids)


def level(picture: PictureView | QImage | None) -> int:
    image = picture.image if isinstance(picture, PictureView) else picture
    assert image is not None
    return image.pixelColor(image.width() // 2, image.height() // 2).lightness()


@pytest.mark.long
def test_that_the_film_shows_the_moment_that_is_scrubbed_to(
    reader: Reader, ids: list[str], eyes: Brightening
) -> None:
    replay = reader.open(ids[0]).replay
    camera, player = replay.camera, replay.player
    player.go(1)
    still = level(camera.picture) if camera.picture.image else None
    reader.key(Qt.Key.Key_V)
    assert camera.showing_video
    assert player.playing
    player.pause()
    assert replay.opened
    top = [clip for clip in replay.opened.clips if clip.camera == "top"]
    assert len(top) > 1
    for clip in (top[-1], top[0], top[1]):  # each begins with a picture
        player.seek(clip.started - player.state.started_monotonic + 0.02)
        assert level(camera.picture) == pytest.approx(eyes.at(clip.started), abs=20)
    camera._menu.actions()[1].trigger()
    assert level(camera.picture) < 25
    reader.key(Qt.Key.Key_V)
    player.go(1)
    assert (level(camera.picture) if camera.picture.image else None) == still


@pytest.mark.long
def test_that_it_plays_on_by_itself(reader: Reader, ids: list[str]) -> None:
    replay = reader.open(ids[0]).replay
    replay.player.go(1)
    replay.camera.video.click()
    reader.until(lambda: replay.player.seconds > 0.3 and level(replay.camera.picture) > 50)


@pytest.mark.long
def test_that_an_episode_without_video_has_no_film(reader: Reader, ids: list[str]) -> None:
    replay = reader.open(ids[1]).replay
    assert replay.camera.video.isHidden()
    reader.key(Qt.Key.Key_V)
    assert not replay.camera.showing_video
    assert not replay.player.playing
    replay = reader.open(ids[0]).replay
    assert not replay.camera.video.isHidden()


@pytest.mark.long
def test_that_blind_review_judges_the_still_and_no_film(reader: Reader, ids: list[str]) -> None:
    replay = reader.open(ids[0]).replay
    replay.camera.video.click()
    reader.key(Qt.Key.Key_B)
    assert replay.blind
    assert not replay.camera.showing_video
    reader.key(Qt.Key.Key_B)
    assert replay.camera.showing_video


@pytest.mark.long
def test_that_a_film_that_is_gone_leaves_the_still(reader: Reader, ids: list[str], tmp_path: Path) -> None:
    replay = reader.open(ids[0]).replay
    for film in (tmp_path / "log.db-films").glob("*.mp4"):
        film.unlink()
    replay.camera.video.click()
    replay.player.pause()
    assert replay.opened
    replay.player.seek(replay.opened.clips[0].started - replay.player.state.started_monotonic + 0.02)
    assert replay.camera.picture._left.text == "no video of this moment"


def test_that_the_last_picture_stays_between_two_segments_and_no_longer(tmp_path: Path) -> None:
    from core.log.video.video_writer import VideoWriter

    film = VideoWriter(tmp_path / "a.mp4", 64, 48)
    for k in range(5):
        film.add(np.full((48, 64, 3), 40 * k + 30, np.uint8), k * 0.25)
    film.close()
    replay_video = ReplayVideo((VideoClip("top", 10.0, 11.0, tmp_path / "a.mp4"),))
    assert replay_video.picture("top", 9.9) is None
    assert level(replay_video.picture("top", 10.3)) == pytest.approx(70, abs=5)
    assert level(replay_video.picture("top", 11.0 + HOLD / 2)) == pytest.approx(190, abs=5)
    assert level(replay_video.picture("top", 10.0)) == pytest.approx(30, abs=5)
    assert replay_video.picture("top", 11.1 + HOLD) is None
    assert replay_video.picture("hand", 10.3) is None
    replay_video.close()


# --- made in the window ---------------------------------------------------------------------------------


@pytest.mark.long
def test_that_an_episode_in_the_window_is_filmed_where_it_is_wanted(opened: Opened, tmp_path: Path) -> None:
    eyes = Brightening()

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        vars(parts.robot).update(cameras=eyes.cameras, live=eyes.live)
        return parts

    at = opened(make=make, preset="Watch", live_video=True)
    at.start()
    episode = at.over().episode
    at.until(lambda: at.controller.session.stage is SessionStage.OVER)
    with Store.open(tmp_path / "log.db") as store:
        assert {s.camera for s in store.segments(episode)} == {"top", "hand"}
        assert verify(store).is_intact


def test_that_live_video_is_kept_where_the_set_up_or_the_start_says_so(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    preferences.store_settings(Settings(task="halve_egg"))
    assert preferences.settings(Settings(), ROBOTS) == Settings(task="halve_egg")
    assert preferences.settings(Settings(live_video=True), ROBOTS) == Settings(
        task="halve_egg", live_video=True
    )
    preferences.store_settings(Settings(task="halve_egg", live_video=True))
    assert preferences.settings(Settings(), ROBOTS) == Settings(task="halve_egg", live_video=True)


@pytest.mark.long
def test_that_a_robot_without_cameras_says_so_and_goes_on(opened: Opened) -> None:
    at = opened(preset="Watch", live_video=True)
    at.start()
    state = at.over()
    assert [n.text for n in state.notices] == [
        "There is no live video of this episode: the robot has no live camera."
    ]
    assert state.ended is not None
    assert state.ended.believed_goal
