"""A whole calibration on the emulated arm: it is moved, a board is drawn into real frames, and read again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli.command_line import command_line
from core.errors import BadValue, RobotError
from core.ports import StepStatus
from main import program
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.kinematics import invert_transform, nearest_solution, pose_distance, pose_to_matrix
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.hardware import ARM_ENV
from robots.ur5e.vision import calibration_file
from robots.ur5e.vision.calibrator import BOARD_ON_FLANGE, open_calibrator
from tests.permitted import move_joints
from tests.robots.ur5e.conftest import FAST, Bench, connected, fresh_address

pytestmark = pytest.mark.gl
VIEWS = 12


@pytest.fixture(scope="module")
def seeing() -> Iterator[Bench]:
    bench = Bench(EmulatorProcess(fresh_address(), "empty"))
    try:
        EmulatedCamera(bench.address).picture("overhead")  # which has patience on a busy machine
    except RobotError as error:
        bench.close()
        pytest.skip(f"no pictures here: {error}")
    bench.power_up()
    yield bench
    bench.close()


@pytest.fixture
def mover(seeing: Bench) -> Iterator[Arm]:
    made = connected(seeing, limits=FAST)
    yield made
    made.close()


def poses() -> list[np.ndarray]:
    """Flange poses that hold the practice board up to the overhead camera, tilted all round."""
    found = []
    for k in range(VIEWS):
        turn = 2 * math.pi * k / VIEWS
        board = pose_to_matrix(
            (0.48 + 0.05 * math.cos(3 * turn), 0.06 * math.sin(turn), 0.22 + 0.1 * (k % 3), 0, 0, 0)
        )
        board = board @ pose_to_matrix(
            (0, 0, 0, 0.3 * math.cos(turn), 0.3 * math.sin(turn), 0.2 * math.sin(2 * turn))
        )
        found.append(
            board
            @ pose_to_matrix((0, 0, 0, math.pi, 0, 0))
            @ invert_transform(BOARD_ON_FLANGE @ pose_to_matrix((0.1575, 0.1125, 0, 0, 0, 0)))
        )
    return found


def to(arm: Arm, flange: np.ndarray) -> None:
    assert arm.state is not None
    q = nearest_solution(flange, arm.state.q)
    assert q is not None
    for _ in range(5):  # on a busy machine data may stay away, and a person lets it go on
        outcome = move_joints(arm, q)
        if outcome.status is not StepStatus.HALTED:
            break
        arm.release_stop(arm.halt())
    assert outcome.status is StepStatus.DONE, outcome.detail


@pytest.mark.long
def test_that_the_overhead_camera_is_found_where_the_emulator_has_it(
    seeing: Bench, mover: Arm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ARM_ENV, seeing.address)
    monkeypatch.chdir(tmp_path)
    work = open_calibrator("overhead")
    eye = EmulatedCamera(seeing.address)
    truth = eye.picture("overhead").pose
    try:
        began = monotonic()
        for flange in poses()[:8]:
            to(mover, flange)
            refused = work.capture()
            assert refused in (
                "",
                "The board is not seen well enough: nearer, flatter, no glare, all of it in the picture.",
            ), refused
        assert work.capture() == "This is where an earlier view was taken: move and tilt the hand."
        assert not work.status.table_captured
        assert "no measure of the table" in work.status.warning
        with pytest.raises(BadValue, match='type "in doubt" to store it all the same'):
            work.save("s")
        assert not (tmp_path / "overhead.toml").exists()
        assert work.capture_table() == ""
        stand = work.status
        print(f"\n{stand} in {monotonic() - began:.1f} s")
        assert stand.captured >= 6
        assert stand.table_captured
        assert "px reprojection" in stand.residuals
        path = Path(work.save())
    finally:
        work.close()
        eye.close()
    found = calibration_file.read_calibration(path)
    metres, radians = pose_distance(found.pose, truth)
    print(f"off by {metres * 1000:.1f} mm and {math.degrees(radians):.2f} degrees")
    assert metres < 0.02
    assert radians < 0.02
    assert found.table is not None
    assert abs(found.table[0]) < 0.01


@pytest.mark.long
def test_that_the_verb_guides_and_leaves_without_storing(
    seeing: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ARM_ENV, seeing.address)
    monkeypatch.chdir(tmp_path)
    cli = command_line(program())
    result = CliRunner().invoke(cli, ["calibrate"], input="t\ns\nq\n")
    assert result.exit_code == 1, result.output
    assert "0 of 12 views. Fix the board in the hand." in result.output
    assert "Taken." in result.output
    assert "not 0: take more" in result.output
    assert not (tmp_path / "overhead.toml").exists()


@pytest.mark.long
def test_that_the_board_is_written_for_the_printer(tmp_path: Path) -> None:
    cli = command_line(program())
    result = CliRunner().invoke(cli, ["calibrate", "--board", str(tmp_path / "board.png")])
    assert "a square must be 30 mm" in result.output
    assert (tmp_path / "board.png").stat().st_size > 1000
    refused = CliRunner().invoke(cli, ["calibrate", "--board", str(tmp_path / "none" / "board.png")])
    assert refused.exit_code == 2


@pytest.mark.long
def test_that_an_arm_that_nobody_named_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ARM_ENV, raising=False)
    with pytest.raises(BadValue, match="DKPROMPT_UR5E"):
        open_calibrator()
