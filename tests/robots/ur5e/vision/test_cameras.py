"""The tabletop robot with a camera of the setup file: files that are written anew, as a camera does it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from threading import Event, Thread

import cv2
import numpy as np
import pytest

from core.belief import Atom
from core.errors import NoPicture, RobotError, RobotNotReady
from core.planning import domain_library
from core.planning_model import Step
from core.ports import StepStatus
from core.stop_token import StopToken
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.kinematics import pose_to_matrix
from robots.ur5e.scene_file import read_scene
from robots.ur5e.tabletop.colour_segmentation import find_region
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.emulated_robot import EmulatedTabletopRobot, make_tabletop_robot
from robots.ur5e.tabletop.rgbd_image import HeightMap
from robots.ur5e.vision import calibration_file
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.cameras import TableCameras
from robots.ur5e.vision.intrinsics import Intrinsics
from tests.permitted import do
from tests.robots.ur5e.conftest import fresh_address, until
from tests.robots.ur5e.vision.fake_cameras import (
    HEIGHT,
    WIDTH,
    PictureWriter,
    noisy_depth,
    scene,
    write_whole,
)

pytestmark = pytest.mark.gl
COLOURS = read_scene("tabletop").colours
FILES = "colour.png and depth.png"
LENS = (-0.06, 0.02, 0.0005, -0.0003, 0.0)


@dataclass
class Lens:
    """What the emulator draws, bent as a lens bends it, and written as files again and again."""

    folder: Path
    address: str

    def __post_init__(self) -> None:
        self._eye, self._closing, self.frozen = EmulatedCamera(self.address), Event(), Event()
        self._rng = np.random.default_rng(0)
        first = self._eye.picture("overhead")
        height, width = first.rgb.shape[:2]
        f = first.focal_length
        self.lens = Intrinsics(width, height, f * 1.01, f, (width - 1) / 2 + 3, (height - 1) / 2 - 2, LENS)
        rows, columns = np.indices((height, width)).astype(np.float32)
        seen = np.stack((columns, rows), axis=-1).reshape(-1, 1, 2)
        straight = self.lens.rectified.matrix
        straight[0, 0] = straight[1, 1] = f
        rays = cv2.undistortPoints(
            seen, self.lens.matrix, self.lens.distortion_coefficients, P=straight
        ).reshape(height, width, 2)
        self._maps = (rays[..., 0].astype(np.float32), rays[..., 1].astype(np.float32))
        made = calibration_file.CameraCalibration(
            "overhead", "2026-01-01", 12, self.lens, 0.1, first.pose, 0.001, 0.001, (0.0, 0.0), FILES
        )
        calibration_file.write_calibration(self.folder / "overhead.toml", made)
        self._write()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._closing.wait(0.35):
            try:
                self._write()
            except RobotError:
                return

    def _write(self) -> None:
        if self.frozen.is_set():
            for name in ("colour.png", "depth.png"):
                os.utime(self.folder / name)  # written anew, with what they show already
            return
        picture = self._eye.picture("overhead")
        rgb = cv2.remap(picture.rgb, *self._maps, cv2.INTER_LINEAR)
        depth = cv2.remap(picture.depth, *self._maps, cv2.INTER_NEAREST)
        raw = np.round(depth * 10000).astype(np.uint16)
        rgb[0] = self._rng.integers(0, 255, rgb[0].shape, np.uint8)  # a sensor's noise, never the same
        raw[0, :9] += self._rng.integers(0, 9, 9, np.uint16)
        for name, array in (("colour", rgb[..., ::-1]), ("depth", raw)):
            write_whole(self.folder / f"{name}.png", array)

    def close(self) -> None:
        self._closing.set()
        self._thread.join(10)
        self._eye.close()


SETUP = """
address = "{address}"
tcp = [0.0, 0.0, 0.157, 0.0, 0.0, 0.0]
payload = 0.98
centre = [0.0, 0.0, 0.058]
watchdog = 2.0
[limits]
tool_speed = 1.0
tool_acceleration = 2.5
joint_speed = 2.5
joint_acceleration = 5.0
[camera.overhead]
source = "colour.png"
depth = "depth.png"
depth_unit = 0.0001
"""


@pytest.fixture(scope="module")
def lens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lens]:
    process = EmulatorProcess(fresh_address(), "tabletop", 3)
    try:
        made = Lens(tmp_path_factory.mktemp("arm"), process.address)
    except RobotError as error:
        process.close()
        pytest.skip(f"no pictures here: {error}")
    yield made
    made.close()
    process.close()


@pytest.fixture(scope="module")
def robot(lens: Lens) -> Iterator[EmulatedTabletopRobot]:
    setup = lens.folder / "arm.toml"
    setup.write_text(SETUP.format(address=lens.address))
    folder, task = domain_library.load_task("collect_toys")
    made = make_tabletop_robot(folder, task, seed=3, openness=0.0, arm=str(setup))
    assert isinstance(made, EmulatedTabletopRobot)
    yield made
    made.close()


@pytest.mark.long
def test_that_things_are_seen_where_they_are_through_a_bent_lens(robot: EmulatedTabletopRobot) -> None:
    picture, places = robot.capture(), robot._thing_poses()
    relief = HeightMap.from_image(picture)
    for name in ("toy_eggplant", "toy_carrot", "toy_block", "container_blue"):
        region = find_region(name, COLOURS[name], picture, relief)
        assert region is not None, name
        assert abs(region.x - places[name].x) < 0.012, name
        assert abs(region.y - places[name].y) < 0.012, name


@pytest.mark.long
def test_that_boxes_come_from_what_is_seen(robot: EmulatedTabletopRobot) -> None:
    robot.look(StopToken())
    boxes = {b.name: b for b in robot.boxes(("toy_eggplant", "container_blue"))}
    assert set(boxes) == {"toy_eggplant", "container_blue"}
    assert boxes["container_blue"].right - boxes["container_blue"].left > 20


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.long)])
def test_that_nothing_moves_by_a_camera_that_has_frozen(
    robot: EmulatedTabletopRobot, lens: Lens, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(CameraReader.next_frame_after, "__defaults__", (1.0,))
    lens.frozen.set()
    try:
        assert robot.arm.state is not None
        before = robot.arm.state.q
        for _ in range(times):
            outcome = do(robot, Step("pick", ("robot", "toy_eggplant")))
            assert outcome.status is StepStatus.FAILED and "No new picture for 1 s" in outcome.detail
            with pytest.raises(NoPicture):
                robot.look(StopToken())
        assert robot.arm.state.q == pytest.approx(before, abs=1e-3)
    finally:
        lens.frozen.clear()


def test_that_a_toy_is_picked_by_a_camera_of_the_setup_file(robot: EmulatedTabletopRobot) -> None:
    outcome = do(robot, Step("pick", ("robot", "toy_eggplant")))
    assert outcome.status is StepStatus.DONE, outcome.detail
    assert Atom("inhand", ("robot", "toy_eggplant")) in robot.truth()


def test_that_cameras_without_depth_are_refused_in_one_sentence(tmp_path: Path) -> None:
    setup = CameraSetup("overhead", source=str(tmp_path / "a.png"))
    cameras = TableCameras((setup,), lambda: np.eye(4), COLOURS)
    with pytest.raises(RobotNotReady, match="No camera of the setup file gives depth"):
        cameras.wait_until_ready()
    cameras.close()


def test_that_a_camera_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CameraReader.next_frame_after, "__defaults__", (0.5,))
    says = pytest.raises(RobotError, match=r"from the overhead camera.*is not there")
    with small_cameras(tmp_path, writes=False) as cameras, says:
        cameras.wait_until_ready()


SMALL = Intrinsics(WIDTH, HEIGHT, 60, 60, 31.5, 23.5)


@contextmanager
def small_cameras(
    folder: Path, real: bool = True, writes: bool = True, **changes: object
) -> Iterator[TableCameras]:
    """Two files that are rewritten, and a calibration with these changes."""
    files = {folder / "colour.png": scene, folder / "depth.png": noisy_depth} if writes else {}
    pose = pose_to_matrix((0.5, 0, 1, pi, 0, 0))
    made = calibration_file.CameraCalibration(
        "overhead", "2026-01-01", 9, SMALL, 0.1, pose, 0, 0, (0.0, 0.0), FILES
    )
    calibration_file.write_calibration(folder / "overhead.toml", replace(made, **changes))
    setup = CameraSetup(source="colour.png", depth="depth.png").placed("overhead", folder)
    with (
        closing(PictureWriter(files)),
        closing(TableCameras((setup,), lambda: np.eye(4), COLOURS, real=real)) as made_,
    ):
        yield made_


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"table": (-0.04, 0.0)}, "the table is -40 mm off the arm's base.*mount it so"),
        ({"table": None}, "no measure of the table.*the board on the table"),
        (
            {"translation": 0.0061, "rotation": 0.02},
            "in doubt: the views disagree by 6.1 mm.*calibrate again",
        ),
        ({"reprojection": 1.2}, "in doubt: the corners are off by 1.2 pixels"),
        ({"device": "usb-B"}, "was made with usb-B, and this camera is colour.png and depth.png: plug"),
        ({"device": ""}, 'which camera it was made with.*add the line device = "colour.png and depth.png"'),
    ],
)
def test_that_a_real_robot_does_not_start_with_a_calibration_that_nobody_can_rely_on(
    tmp_path: Path, changes: dict[str, object], says: str
) -> None:
    with small_cameras(tmp_path, **changes) as cameras:
        with pytest.raises(RobotNotReady, match=says):
            cameras.wait_until_ready()
        assert [c.name for c in cameras.checks() if not c.ok][-1] == "overhead calibration"


@pytest.mark.parametrize(
    ("seen_from", "says"),
    [
        ((0.5, 0, 1.065, pi, 0, 0), r"the table is \+6\d mm off the arm's base"),
        ((0.5, 0, 1, pi + 0.08, 0, 0), r"tilted 4\.\d°"),
        ((0.5, 0, 1.3, pi, 0, 0), "its depth shows no table"),
    ],
)
def test_that_a_camera_that_was_pushed_since_its_calibration_is_noticed_at_the_start(
    tmp_path: Path, seen_from: tuple[float, ...], says: str
) -> None:
    """The calibration says where the camera was; the table that it sees is not where it should be."""
    refused = pytest.raises(RobotNotReady, match=f"{says}.*set it up as it was, or calibrate again")
    with small_cameras(tmp_path, pose=pose_to_matrix(seen_from)) as cameras, refused:
        cameras.wait_until_ready()
    with small_cameras(tmp_path) as cameras:
        cameras.wait_until_ready()


def test_that_a_calibration_of_old_is_told_and_taken_where_nobody_can_be_hurt(tmp_path: Path) -> None:
    with small_cameras(tmp_path, real=False, device="") as cameras:
        cameras.wait_until_ready()
        (line,) = [c for c in cameras.checks() if not c.ok]
        assert (line.name, line.reason) == (
            "overhead calibration",
            "it does not say which camera it was made with",
        )


def becomes_a_folder(picture: Path) -> bool:
    """Return False where its writer was faster."""
    picture.unlink(missing_ok=True)
    with suppress(FileExistsError):
        picture.mkdir()
        return True
    return False


def test_that_a_good_camera_is_ready_and_dies_with_a_reason(tmp_path: Path) -> None:
    with small_cameras(tmp_path) as cameras:
        cameras.wait_until_ready()
        assert all(check.ok for check in cameras.checks())
        assert cameras.picture("overhead").rgb.shape == (HEIGHT, WIDTH, 3)
        until(lambda: becomes_a_folder(tmp_path / "colour.png"))  # its writer is gone for good
        until(lambda: not cameras.checks()[0].ok)
        assert cameras.checks()[0].remedy != ""


def test_that_another_camera_that_comes_in_mid_episode_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with small_cameras(tmp_path) as cameras:
        cameras.wait_until_ready()
        monkeypatch.setattr(cameras._readers["overhead"], "device", "usb-B")
        with pytest.raises(NoPicture, match=r"was made with colour\.png and depth\.png"):
            cameras.picture("overhead")
