"""Cameras as files that OpenCV writes: real films, real pictures, a real thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from time import monotonic

import cv2
import numpy as np
import pytest

from core.errors import BadFile, BadValue, MissingPackage, NoPicture, RobotError
from robots.ur5e.arm_setup import read_setup
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.camera_source import CameraSource, RawFrame, open_source
from tests.robots.ur5e.conftest import until

GREY = np.full((48, 64, 3), 90, np.uint8)


def written(path: Path, value: int) -> None:
    """Whole or not at all, as a careful camera program does it."""
    part = path.with_name("part" + path.suffix)
    cv2.imwrite(str(part), np.full((48, 64, 3), value, np.uint8))
    part.replace(path)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "camera.png"
    written(path, 10)
    return path


@pytest.fixture
def reader(picture: Path) -> Iterator[CameraReader]:
    made = CameraReader(
        "overhead", lambda: open_source(CameraSetup("overhead", source=str(picture))), reopen_delay=0.02
    )
    yield made
    made.close()


def test_that_a_film_is_shown_over_and_over(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 120, (64, 48))
    for value in (30, 120, 210):
        film.write(np.full((48, 64, 3), value, np.uint8))
    film.release()
    source = open_source(CameraSetup("overhead", source=str(path)))
    levels = [round(float(source.read().rgb.mean()) / 90) for _ in range(7)]
    source.close()
    assert levels == [0, 1, 2, 0, 1, 2, 0]


def test_that_depth_comes_in_metres_from_an_aligned_source(tmp_path: Path, picture: Path) -> None:
    depth = tmp_path / "depth.png"
    raw = np.zeros((48, 64), np.uint16)
    raw[10, 20] = 1234
    cv2.imwrite(str(depth), raw)
    source = open_source(CameraSetup("overhead", source=str(picture), depth=str(depth), depth_unit=0.001))
    shot = source.read()
    assert shot.depth is not None
    assert (shot.depth.dtype, float(shot.depth[10, 20]), float(shot.depth[0, 0])) == (
        np.float32,
        pytest.approx(1.234),
        0.0,
    )


def test_that_depth_of_another_size_is_refused(tmp_path: Path, picture: Path) -> None:
    depth = tmp_path / "depth.png"
    cv2.imwrite(str(depth), np.zeros((24, 32), np.uint16))
    with pytest.raises(RobotError, match="aligned with the colour"):
        open_source(CameraSetup("overhead", source=str(picture), depth=str(depth))).read()


@pytest.mark.parametrize(
    ("source", "says"),
    [("none.png", "is not there"), ("none.avi", "is not there"), (77, "check its cable")],
)
def test_that_a_missing_camera_says_so_in_one_sentence(tmp_path: Path, source: int | str, says: str) -> None:
    with pytest.raises(RobotError, match=says):
        open_source(CameraSetup("overhead", source=source if source == 77 else str(tmp_path / str(source))))


def test_that_a_stream_that_fails_does_not_tell_its_password() -> None:
    with pytest.raises(RobotError) as caught:
        open_source(CameraSetup("overhead", source="rtsp://lab:secret@127.0.0.1:1/live"))
    assert "secret" not in str(caught.value)
    assert "rtsp://127.0.0.1:1/live does not open" in str(caught.value)


class Camera(BaseHTTPRequestHandler):
    """A network camera: JPEG after JPEG, as `multipart/x-mixed-replace`."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.end_headers()
        level = 0
        with suppress(OSError):
            while not self.server.closing.wait(0.02):  # type: ignore[attr-defined]
                level = (level + 10) % 250
                jpeg = cv2.imencode(".jpg", np.full((48, 64, 3), level, np.uint8))[1].tobytes()
                head = f"--next\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                self.wfile.write(head.encode() + jpeg + b"\r\n")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def network_camera() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    server.closing = Event()  # type: ignore[attr-defined]
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://lab:secret@127.0.0.1:{server.server_port}/live.mjpg"
    finally:
        server.closing.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()
        thread.join(5)


def test_that_a_network_camera_is_read_live_and_its_end_is_told_without_the_password() -> None:
    camera = network_camera()
    setup = CameraSetup("overhead", source=camera.__enter__())
    with closing(CameraReader("overhead", lambda: open_source(setup), reopen_delay=0.05)) as reader:
        try:
            first = reader.next_frame_after(0.0, 10)
            assert first.frame.rgb.shape == (48, 64, 3)
            until(lambda: reader.next_frame_after(monotonic()).frame.rgb.mean() != first.frame.rgb.mean())
        finally:
            camera.__exit__(None, None, None)
        until(lambda: reader.error != "", 20)
        assert "127.0.0.1" in reader.error
        assert "secret" not in reader.error


def test_that_a_realsense_without_its_package_says_how_to_get_it() -> None:
    try:
        import pyrealsense2  # type: ignore[import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        with pytest.raises(MissingPackage, match="realsense"):
            open_source(CameraSetup("overhead", kind="realsense"))


def test_that_the_latest_picture_wins_and_its_age_is_known(reader: CameraReader, picture: Path) -> None:
    first = reader.next_frame_after(0.0)
    assert round(float(first.frame.rgb.mean())) == 10
    written(picture, 200)
    until(lambda: reader.latest is not None and round(float(reader.latest.frame.rgb.mean())) == 200)
    assert reader.age < 5


def test_that_after_gives_none_that_came_before(reader: CameraReader, picture: Path) -> None:
    reader.next_frame_after(0.0)
    moment = monotonic()
    assert reader.next_frame_after(moment).timestamp > moment


def test_that_a_lost_camera_is_opened_again(reader: CameraReader, picture: Path) -> None:
    reader.next_frame_after(0.0)
    picture.unlink()
    until(lambda: "cannot be read" in reader.error or "is not there" in reader.error)
    with pytest.raises(NoPicture, match="from the overhead camera"):
        reader.next_frame_after(monotonic(), 0.2)
    written(picture, 50)
    moment = monotonic()
    until(lambda: reader.error == "")
    assert round(float(reader.next_frame_after(moment).frame.rgb.mean())) == 50
    assert reader.open_count >= 2


class Broken:
    """A camera library that raises what it likes."""

    def read(self) -> RawFrame:
        raise ZeroDivisionError("inside the library")

    def close(self) -> None:
        raise OSError("and again")


def test_that_a_camera_library_that_breaks_ends_nothing() -> None:
    made: list[CameraSource] = []

    def open_() -> CameraSource:
        made.append(Broken())
        return made[-1]

    reader = CameraReader("wrist", open_, reopen_delay=0.01)
    until(lambda: len(made) > 3)
    assert "inside the library" in reader.error
    reader.close()


SETUP = """
address = "192.168.1.10"
[camera.overhead]
source = "colour.png"
depth = "depth.png"
depth_unit = 0.0001
[camera.wrist]
source = 2
size = [1280, 720]
calibration = "hand.toml"
"""


def test_that_the_setup_file_names_cameras(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(SETUP)
    overhead, wrist = read_setup(path).cameras
    assert (overhead.source, overhead.has_depth) == (str(tmp_path / "colour.png"), True)
    assert overhead.calibration == str(tmp_path / "overhead.toml")
    assert (wrist.source, wrist.size, wrist.has_depth) == (2, (1280, 720), False)
    assert wrist.calibration == str(tmp_path / "hand.toml")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[camera.ceiling]\nsource = 0", "camera.ceiling must be 'overhead' or 'wrist'"),
        ("[camera.overhead]\nlens = 1", "camera.overhead.lens is not a known key"),
        ('[camera.overhead]\nkind = "kinect"', "'kinect'"),
        ("camera = 3", "camera"),
    ],
)
def test_that_a_wrong_camera_table_is_named(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(text)
    with pytest.raises((BadFile, BadValue), match=says):
        read_setup(path)
