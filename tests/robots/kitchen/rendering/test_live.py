"""The live view: with shadows, thirty a second, where a graphics card draws, and plain where none does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from time import monotonic, sleep

import numpy as np
import pytest
from numpy.typing import NDArray

from core.errors import BadValue
from core.planning import domain_library
from core.planning_model import Step
from core.ports import Frame
from core.stop_token import StopToken
from robots import opengl
from robots.kitchen.rendering.live_render_mode import CPU_MODE, GPU_MODE, LIVE_ENV, LiveRenderMode, mode_for
from robots.kitchen.robot import KitchenRobot
from robots.registry import make_robot
from tests.permitted import do

FIND = Step("find", ("agent-n-01_1", "sink-n-01_1", "kitchen_1"))
NVIDIA, LLVMPIPE = "NVIDIA H200/PCIe/SSE2", "llvmpipe (LLVM 15.0.6, 256 bits)"
SOON = 20.0


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LIVE_ENV, raising=False)


def made(pace: float = 0.0) -> KitchenRobot:
    folder, task = domain_library.load_task("boil_water")
    robot = make_robot("kitchen", domain_spec=folder, task=task, openness=0.0, pace=pace)
    assert isinstance(robot, KitchenRobot)
    return robot


def live(robot: KitchenRobot, view: str, until: Callable[[Frame], bool] = lambda _: True) -> Frame:
    begun = monotonic()
    while monotonic() - begun < SOON:
        if (frame := robot.live(view)) and until(frame):
            return frame
        sleep(0.005)
    raise AssertionError(f"no such frame of {view} in {SOON:g} s")


@pytest.mark.parametrize(
    ("renderer", "is_gpu"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", False),
        ("zink Vulkan 1.3(llvmpipe (LLVM 15.0.6, 256 bits) (MESA_LLVMPIPE))", False),
        ("softpipe", False),
        ("Software Rasterizer", False),
        ("Mesa OffScreen", False),
        ("ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)))", False),
        ("", False),
        ("NVIDIA H200/PCIe/SSE2", True),
        ("NVIDIA GeForce RTX 4070/PCIe/SSE2", True),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", True),
        ("AMD Radeon Graphics (radeonsi, renoir, LLVM 15.0.6, DRM 3.49)", True),
        ("Apple M2", True),
    ],
)
def test_that_a_graphics_card_is_told_from_a_processor_by_name(renderer: str, is_gpu: bool) -> None:
    assert opengl.is_gpu(renderer) is is_gpu


def test_that_the_renderer_decides_how_the_live_view_is_drawn() -> None:
    assert mode_for(NVIDIA) is GPU_MODE
    assert mode_for(LLVMPIPE) is CPU_MODE
    assert GPU_MODE.format.shadows and not CPU_MODE.format.shadows


@pytest.mark.parametrize(
    ("word", "way"), [("card", GPU_MODE), ("Processor", CPU_MODE), ("auto", GPU_MODE), ("", GPU_MODE)]
)
def test_that_a_person_may_overrule_it(
    monkeypatch: pytest.MonkeyPatch, word: str, way: LiveRenderMode
) -> None:
    monkeypatch.setenv(LIVE_ENV, word)
    assert mode_for(NVIDIA) is way


def test_that_a_slip_in_the_choice_is_said_before_the_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIVE_ENV, "gpu")
    with pytest.raises(BadValue, match="DKPROMPT_LIVE is 'gpu': set it to card, processor or auto"):
        made()


@pytest.mark.parametrize(
    ("way", "took", "views", "rate"),
    [
        (GPU_MODE, 0.002, 1, 30),  # a card draws in no time: thirty a second ...
        (GPU_MODE, 0.002, 2, 60),  # ... of each view
        (GPU_MODE, 0.100, 1, 6),  # a weak one gives way to the loop
        (CPU_MODE, 0.017, 1, 18),
        (CPU_MODE, 0.017, 2, 18),  # both views together
        (CPU_MODE, 0.060, 1, 10),
    ],
)
def test_that_the_rate_follows_what_a_frame_takes(
    way: LiveRenderMode, took: float, views: int, rate: float
) -> None:
    assert 1 / way.frame_interval(took, views) == pytest.approx(rate)


def dark(picture: NDArray[np.uint8], than: NDArray[np.uint8]) -> float:
    """The part of a picture that is clearly darker than in another one of the same."""
    return float((than.mean(2) - picture.mean(2) > 20).mean())


@pytest.mark.long
@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
def test_that_a_card_draws_the_same_kitchen_with_shadows_and_goes_on_beside_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole way of it runs here too, only slower."""
    shown: dict[str, NDArray[np.uint8]] = {}
    for renderer in (LLVMPIPE, NVIDIA):
        monkeypatch.setattr(opengl, "renderer_name", lambda renderer=renderer: renderer)
        robot = made()
        try:
            first = live(robot, "eye")
            do(robot, FIND)
            assert robot.look(StopToken()).png
            body = robot._body
            assert body is not None
            studio = body.render_thread
            live(robot, "eye", lambda _, s=studio, now=body.snapshot: s._drawn_snapshots["eye"] is now)
            picture = live(robot, "eye").rgb
            assert studio.mode is mode_for(renderer)
        finally:
            robot.close()
        assert first.rgb is not None and picture is not None and picture.shape == (480, 640, 3)
        assert np.abs(picture.astype(int) - first.rgb).mean() > 10
        shown[renderer] = picture
    with_shadows, plain = shown[NVIDIA], shown[LLVMPIPE]
    assert dark(with_shadows, plain) > 0.01 > dark(plain, with_shadows)


@pytest.mark.long
@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
@pytest.mark.parametrize(("word", "told"), [("card", "with shadows"), ("", "live view with")])
def test_that_one_line_says_what_draws_and_how(word: str, told: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "robots.kitchen.rendering.live_render_mode"],
        capture_output=True, text=True, env={**os.environ, LIVE_ENV: word},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("\n") == 1 and run.stdout.startswith(opengl.backend()) and told in run.stdout
