"""An arm's joints and torques are plotted in the replay; a log without torques is read as before."""

from __future__ import annotations

import pytest

from app.presentation.signals import signal, signal_names
from core import events as ev
from core.review.replay import EpisodeReplay

OLD = ev.MotionSampled((10.0, 10.1), ((0.0, 1.0), (0.1, 1.0)), (0.05, 0.05))
NEW = ev.MotionSampled((10.2,), ((0.2, 1.0),), (0.05,), ((0.5, -0.25),))


def test_that_joints_and_torques_are_signals_over_the_episodes_time() -> None:
    started = ev.EpisodeStarted("boil_water", "household", (), (), ())
    records = [ev.Record("e", i, 10.0, 10.0, event) for i, event in enumerate((started, OLD, NEW), 1)]
    replay = EpisodeReplay(records)
    assert signal_names(replay)[-4:] == ("joint 1", "joint 2", "torque 1", "torque 2")
    (first, _, last) = signal(replay, "joint 1")
    assert first == (0.0, 0.0) and last == pytest.approx((0.2, 11.459), abs=1e-3)
    assert signal(replay, "torque 2") == (pytest.approx((0.2, -25.0)),)
