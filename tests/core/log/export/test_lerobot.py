"""An arm's episodes as a LeRobot data set."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.arm.arm_capabilities import ArmStatus, GripperStatus
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.errors import BadValue, LogError
from core.events import DecisionMade, EpisodeEnded, EpisodeResult, MotionSampled, StepFinished, StepStarted
from core.log.export.lerobot import arm_episode, export
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video import segments
from core.log.video.live_video import EACH, MotionSamples
from core.log.video.video_writer import VideoWriter
from core.operator import Choose, Correct
from core.planning_model import Step
from core.ports import StepResult, StepStatus
from tests.core.log import made

PICK = Step("pick", ("robot", "screw"))
ENDED = EpisodeEnded(EpisodeResult.SUCCEEDED, "", True, True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two seconds of an arm whose joints turn by 1 rad/s, filmed; and an episode of nothing that moves."""
    pytest.importorskip("av")
    now, fact = [10.0], Answer(Atom("ontable", ("screw",)), Verdict.NO, BeliefSource.OPERATOR)
    at = tuple(10 + n / 10 for n in range(21))
    said = [
        (10.0, made.started(robot="ur5e")),
        (10.4, DecisionMade(1, 1, Correct((fact,), "ada"))),
        (10.4, DecisionMade(2, 1, Choose(PICK, "ada"))),
        (10.5, StepStarted(1, PICK)),
        (11.5, StepFinished(1, PICK, StepResult(StepStatus.DONE))),
        (11.9, MotionSampled(at, tuple((t - 10, 0.0) for t in at), (0.05,) * 21)),
        (12.0, ENDED),
    ]
    with Recorder.open(tmp_path / "log.db", monotonic=lambda: now[0]) as recorder:
        for now[0], event in said:
            episode = recorder.record(event).episode
        film = tmp_path / "film"
        video = VideoWriter(film, 64, 48)
        for n in range(4):
            video.add(np.full((48, 64, 3), 60 * n, np.uint8), n / 2)
        video.close()
        digest = segments.file_digest(film)
        recorder.record(made.started())
        recorder.record(ENDED)
    with Store.open(tmp_path / "log.db") as store:
        segments.write_video(store.path, digest, film.read_bytes())
        one = segments.Segment("top", 10.0, 12.0, digest, film.stat().st_size, 0)
        segments.insert(store.db, store.nr(episode), one)
        store.db.commit()
    return tmp_path / "log.db"


def test_that_a_frame_says_what_the_arm_did_and_a_person_corrected(path: Path) -> None:
    with Store.open(path) as store:
        still, arm = (s.episode for s in store.episodes())
        assert arm_episode(store, still) is None, "nothing that moved was recorded"
        found = arm_episode(store, arm)
        assert found is not None and found.success and found.cameras == {"top"}
        assert np.allclose(found.state[:, 0], np.arange(20) / 10) and np.allclose(found.state[:, 2], 0.05)
        assert np.allclose(found.action[:-1], found.state[1:]) and (found.action[-1] == found.state[-1]).all()
        words = "pick robot screw"
        assert found.subtasks == ("",) * 5 + (words,) * 10 + ("",) * 5
        assert {n: said for n, said in enumerate(found.corrections) if said} == {
            4: f"(ontable screw): no; {words}"
        }


def test_that_an_arms_joints_are_sampled_and_those_of_no_arm_are_not() -> None:
    class Arm:
        gripper_status = GripperStatus(0.03, 0.05, True, False, None)
        move_gripper = activate_gripper = staticmethod(str)
        status = ArmStatus("", "", "", (1.0, 2.0), (), 1.0, 0.0, 0.02, False, True, joint_loads=(0.5, -0.25))

    kept: list[MotionSampled] = []
    unasked = Arm()
    unasked.gripper_status = None  # type: ignore[assignment]
    for robot in (Arm(), unasked, object()):
        samples = MotionSamples(robot, kept.append)
        for n in range(25):
            samples.take(n / 10)
    assert [len(one.at) for one in kept] == [EACH, EACH], "a record a second"
    assert (kept[1].at[0], kept[1].joints[0], kept[1].openings[0]) == (0.98, (1.0, 2.0), 0.03)
    assert kept[1].loads[0] == (0.5, -0.25)


def test_that_the_folder_is_one_that_lerobot_reads(path: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    to = tmp_path / "arm.lerobot"
    with Store.open(path) as store:
        every = [s.episode for s in store.episodes()]
        with pytest.raises(BadValue, match="--live-video"):
            export(store, every[:1], to)
        assert not to.exists() and export(store, every, to) == 20
        with pytest.raises(IsADirectoryError):
            export(store, every, to)
        segments.video_path(path, store.segments(every[1])[0].hash).write_bytes(b"no video")
        with pytest.raises(LogError):
            export(store, every, tmp_path / "broken.lerobot")
    assert [p.name for p in tmp_path.glob("*.lerobot")] == [to.name]
    info = json.loads((to / "meta" / "info.json").read_text())
    assert (info["codebase_version"], info["total_frames"], info["fps"]) == ("v3.0", 20, 10)
    place, key = {"chunk_index": 0, "file_index": 0}, "observation.images.top"
    rows = parquet.read_table(to / info["data_path"].format(**place)).to_pylist()
    assert set(rows[0]) | {key} == set(info["features"]) and rows[-1]["next.success"]
    assert (to / info["video_path"].format(video_key=key, **place)).stat().st_size > 0
    stats = json.loads((to / "meta" / "stats.json").read_text())
    assert stats["action"]["max"][0] == pytest.approx(1.9) and len(stats[key]["mean"]) == 3
