"""The kitchen robot: its pictures, and how it does without."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli.command_line import command_line
from core.errors import Cancelled
from core.planning import domain_library
from core.planning_model import Step
from core.ports import GroundTruth, ProvidesBoxes, ProvidesLiveFrames, ReportsRendering
from core.stop_token import StopToken
from main import program
from robots import opengl
from robots.kitchen.robot import KitchenRobot
from robots.registry import make_robot
from tests.permitted import do

AGENT, ROOM = "agent-n-01_1", "kitchen_1"
FIND = Step("find", (AGENT, "cabinet-n-01_1", ROOM))
OPEN = Step("openit", (AGENT, "cabinet-n-01_1", ROOM))
SOON = 20.0


def made(pictures: bool = True, pace: float = 0.0) -> KitchenRobot:
    folder, task = domain_library.load_task("boil_water")
    robot = make_robot("kitchen", domain_spec=folder, task=task, openness=0.0, pictures=pictures, pace=pace)
    assert isinstance(robot, KitchenRobot)
    return robot


@pytest.fixture
def robot(needs_gl: None) -> Iterator[KitchenRobot]:
    robot = made()
    yield robot
    robot.close()


@pytest.mark.gl
def test_that_it_has_every_protocol_of_a_simulator(robot: KitchenRobot) -> None:
    assert all(
        isinstance(robot, port) for port in (GroundTruth, ProvidesBoxes, ProvidesLiveFrames, ReportsRendering)
    )
    assert robot.blank_frames_reason == ""


@pytest.mark.gl
def test_that_boxes_name_what_is_in_the_picture(robot: KitchenRobot) -> None:
    do(robot, FIND)
    robot.look(StopToken())
    assert [b.name for b in robot.boxes(["mug-n-04_1", "cabinet-n-01_1"])] == ["cabinet-n-01_1"]
    do(robot, OPEN)
    robot.look(StopToken())
    assert len(robot.boxes(["mug-n-04_1", "cabinet-n-01_1"])) == 2


@pytest.mark.gl
def test_that_find_says_how_much_is_in_sight(robot: KitchenRobot) -> None:
    assert do(robot, FIND).detail.endswith("visible")


@pytest.mark.gl
def test_that_live_pictures_come_by_themselves_from_inside_and_outside(robot: KitchenRobot) -> None:
    begun = monotonic()
    frames = {}
    while len(frames) < 2 and monotonic() - begun < SOON:
        for camera in robot.cameras:
            if frame := robot.live(camera):
                frames[camera] = frame
        sleep(0.01)
    eye, room = frames["eye"], frames["room"]
    assert eye.rgb is not None and room.rgb is not None
    assert eye.rgb.shape == room.rgb.shape == (480, 640, 3)
    assert eye.png == b"" and not eye.rgb.flags.writeable
    assert np.abs(eye.rgb.astype(int) - room.rgb).mean() > 10


@pytest.mark.gl
def test_that_nothing_is_drawn_while_nothing_moves(robot: KitchenRobot) -> None:
    begun = monotonic()
    while robot.live("eye") is None and monotonic() - begun < SOON:
        sleep(0.01)
    first = robot.live("eye")
    for _ in range(30):
        assert robot.live("eye") is first
        sleep(0.01)


@pytest.mark.gl
def test_that_a_cancelled_look_raises_and_the_next_one_works(robot: KitchenRobot) -> None:
    cancel = StopToken()
    cancel.stop(1, "stop")
    with pytest.raises(Cancelled):
        robot.look(cancel)
    assert robot.look(StopToken()).png


@pytest.mark.long
@pytest.mark.gl
def test_that_robots_one_after_another_draw_the_same_picture(needs_gl: None) -> None:
    frames = []
    for _ in range(2):
        robot = made()
        frames.append(robot.look(StopToken()).id)
        robot.close()
    assert len(set(frames)) == 1


def test_that_without_pictures_neither_mujoco_nor_opengl_is_loaded() -> None:
    program = (
        "import sys; from core.stop_token import StopToken; from core.planning import domain_library;"
        "from robots.registry import make_robot; from core.planning_model import Step;"
        "folder, task = domain_library.load_task('boil_water');"
        "robot = make_robot('kitchen', domain_spec=folder, task=task, pictures=False);"
        "from tests.permitted import do;"
        f"do(robot, Step{(FIND.name, FIND.args)!r}); robot.look(StopToken()); robot.close();"
        "print([m for m in sys.modules if m.split('.')[0] in ('mujoco', 'OpenGL', 'cv2')])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_that_without_opengl_it_says_so_in_a_sentence_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opengl, "backend", lambda: "")
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    robot = made()
    assert robot.blank_frames_reason == opengl.REMEDY
    do(robot, FIND)
    assert robot.look(StopToken()).png == b""
    robot.close()


@pytest.mark.parametrize("missing", [("libEGL",), ("libGL", "libOpenGL")])
def test_that_egl_is_not_chosen_where_a_library_of_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]
) -> None:
    load = ctypes.CDLL

    def without(name: str) -> ctypes.CDLL:
        if name.startswith(missing):
            raise OSError(f"{name} is not here")
        return load(name)

    monkeypatch.setattr(opengl.ctypes, "CDLL", without)
    assert not opengl._egl_works()


def test_that_run_says_why_there_are_no_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(opengl, "backend", lambda: "")
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    cli = command_line(program())
    told = {}
    for pictures in ("--pictures", "--no-pictures"):
        words = ["run", "halve_egg", pictures, "--openness", "0", "--database", str(tmp_path / "log.db")]
        run = CliRunner().invoke(cli, words)
        assert run.exit_code == 0, run.output
        told[pictures] = " ".join(run.output.split()).count(opengl.REMEDY)
    assert told == {"--pictures": 1, "--no-pictures": 0}


HIDDEN = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere.json"}  # a libEGL that has no driver
DRAW = """
from robots import opengl
import sys
if not opengl.backend():
    print(opengl.unavailable_reason())
    sys.exit(3)
from core.stop_token import StopToken
from core.planning import domain_library
from robots.registry import make_robot
folder, task = domain_library.load_task("halve_egg")
robot = make_robot("kitchen", domain_spec=folder, task=task)
print(opengl.backend(), robot.look(StopToken()).rgb.std())
robot.close()
"""


def drawn(**more: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYOPENGL_PLATFORM", "MUJOCO_GL")}
    return subprocess.run(
        [sys.executable, "-c", DRAW], capture_output=True, text=True, env={**environment, **more}
    )


@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
@pytest.mark.parametrize(
    ("environment", "backend"),
    [
        pytest.param({}, "", marks=pytest.mark.long),  # as the tests above
        pytest.param({"MUJOCO_GL": "osmesa"}, "osmesa", marks=pytest.mark.long),
        pytest.param(HIDDEN, "osmesa", marks=pytest.mark.long),
    ],
)
def test_that_the_kitchen_is_drawn_with_egl_and_else_with_osmesa(
    environment: dict[str, str], backend: str
) -> None:
    run = drawn(**environment)
    if run.returncode == 3:
        pytest.skip(f"there is no {backend} here")
    assert run.returncode == 0, run.stderr
    name, spread = run.stdout.split()
    assert name.startswith(backend) and float(spread) > 20


def test_that_a_choice_of_opengl_that_does_not_work_is_said() -> None:
    run = drawn(**HIDDEN, MUJOCO_GL="egl")
    assert run.returncode == 3
    assert run.stdout.startswith("MUJOCO_GL allows only egl for drawing pictures, which does not work here:")
