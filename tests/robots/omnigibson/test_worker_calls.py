"""The worker's calls, each on the contract fake of every API, over a real connection to a real process."""

from __future__ import annotations

import socket
from pathlib import Path
from time import monotonic

import pytest

from core.errors import RobotError
from robots.omnigibson import worker_session
from robots.omnigibson.worker.messages import send
from robots.omnigibson.worker_session import WorkerSession
from tests.patience import AT_ONCE
from tests.robots.omnigibson.conftest import APIS, BOIL, SessionMaker, load
from tests.robots.remote.served import until

MUG, CABINET, SINK, OVEN = "mug.n.04_1", "cabinet.n.01_1", "sink.n.01_1", "microwave.n.02_1"
WATER, COOKED = "water.n.06_1", "cooked__water.n.01_1"
NORTH = [0.0, 0.0, 0.7071068, 0.7071068]


@pytest.fixture(params=APIS)
def loaded(request: pytest.FixtureRequest, session: SessionMaker) -> WorkerSession:
    made = session(request.param)
    load(made)
    return made


def held(session: WorkerSession) -> object:
    return session.call("held")


def state(session: WorkerSession, *asked: str) -> object:
    return session.call("states", asked=[list(asked)])[0]


@pytest.mark.parametrize(
    ("api", "version", "inferred"), [("a", "1.1.1", False), ("b", "3.8.0", True), ("c", "3.9.2", False)]
)
def test_that_an_era_is_told_by_its_features(
    session: SessionMaker, api: str, version: str, inferred: bool
) -> None:
    found = load(session(api))
    assert (found["omnigibson"], found["api"], found["inferred"]) == (version, api.upper(), inferred)
    assert found["scope"][MUG]["name"] == "mug_100"
    assert "Open" in found["scope"][CABINET]["states"] and found["scope"][COOKED] is None


def test_that_every_call_works_in_every_era(loaded: WorkerSession) -> None:
    call = loaded.call
    assert call("reset") is None
    assert state(loaded, "Inside", MUG, CABINET) is True
    assert state(loaded, "Open", CABINET) is False and state(loaded, "Open", MUG) is None
    assert call("set_state", name=CABINET, state="Open", value=True) is True
    call("teleport_base", position=[1.0, 5.0, 0.01], orientation=NORTH)
    call("aim", tilt=0.3)
    shown, picture = loaded.call_for_picture("look", camera="eye", picture=True)
    assert (shown["height"], shown["width"], len(picture)) == (256, 256, 256 * 256 * shown["channels"])
    assert {MUG, CABINET} <= shown["seen"].keys()
    assert call("attach", name=MUG, may_park=False) == {"held": MUG, "joint": True}
    call("step", count=5)
    assert held(loaded) == MUG, "the grasp outlasts the physics"
    call("teleport_base", position=[5.0, 5.0, 0.01], orientation=NORTH)
    robot, mug = call("robot_pose"), call("poses", names=[MUG])[MUG]
    assert mug["position"] == pytest.approx(robot["hand"])
    assert call("detach") == ""
    assert call("sample", name=MUG, relation="OnTop", other=SINK) is True
    assert call("fill", name=MUG, liquid=WATER) is True
    assert state(loaded, "Filled", MUG, WATER) is True
    assert call("empty", name=MUG, liquid=WATER) is True
    assert state(loaded, "Filled", MUG, WATER) is False
    assert call("spots", points=[[4, 4], [1, 7], [50, 50]]) == [
        [True, "kitchen_0"],
        [False, "kitchen_0"],
        [False, ""],
    ]
    assert call("place_viewer", position=[1, 1, 2], orientation=NORTH) is True
    assert loaded.call_for_picture("look", camera="viewer", picture=True)[0]["seen"] is None
    call("teleport", name=MUG, position=[2.0, 2.0, 1.0], orientation=None)
    call("step", count=2)
    assert state(loaded, "OnTop", MUG, "floor.n.01_1") is True, "it fell"


def test_that_water_is_boiled_and_the_activitys_own_goal_is_told(loaded: WorkerSession) -> None:
    loaded.call("sample", name=MUG, relation="Inside", other=OVEN)
    loaded.call("fill", name=MUG, liquid=WATER)
    assert loaded.call("goal") is False
    loaded.call("set_state", name=OVEN, state="ToggledOn", value=True)
    loaded.call("step", count=1000)
    assert state(loaded, "Filled", MUG, COOKED) is None, "there is no boiled water before 36 s"
    loaded.call("step", count=100)
    assert state(loaded, "Filled", MUG, COOKED) is True
    assert loaded.call("goal") is True


@pytest.mark.parametrize("api", APIS)
def test_that_cutting_leaves_two_halves_and_no_egg(session: SessionMaker, api: str) -> None:
    made = session(api)
    load(made, "halve_an_egg")
    assert made.call("cut", name="hard-boiled_egg.n.01_1") is True
    scope = made.call("scope")
    assert scope["hard-boiled_egg.n.01_1"] is None
    assert scope["half__hard-boiled_egg.n.01_1"] and scope["half__hard-boiled_egg.n.01_2"]
    with pytest.raises(RobotError, match=r"no hard-boiled_egg\.n\.01_1 now"):
        made.call("cut", name="hard-boiled_egg.n.01_1")


def test_that_what_no_joint_holds_is_held_without_one(session: SessionMaker) -> None:
    made = session("a", "heavy")
    load(made)
    assert made.call("attach", name=MUG, may_park=False) == {"held": "", "joint": False}
    assert made.call("attach", name=MUG, may_park=True) == {"held": MUG, "joint": False}
    made.call("teleport_base", position=[5.0, 5.0, 0.01], orientation=NORTH)
    assert made.call("poses", names=[MUG])[MUG]["position"] == made.call("robot_pose")["hand"]
    assert made.call("detach") == ""


@pytest.mark.parametrize(
    ("api", "variable", "folder"),
    [
        ("a", "OMNIGIBSON_DATASET_PATH", "scenes"),
        ("b", "OMNIGIBSON_DATA_PATH", "behavior-1k-assets/scenes"),
        ("c", "OMNIGIBSON_DATA_PATH", "behavior-1k-assets/scenes"),
    ],
)
def test_that_a_scene_is_found_in_the_installed_data(
    session: SessionMaker, tmp_path: Path, api: str, variable: str, folder: str
) -> None:
    for scene in ("Zuerich_1_int", "Benevolence_1_int"):
        layouts = tmp_path / folder / scene / "json"
        layouts.mkdir(parents=True)
        (layouts / f"{scene}_task_{BOIL}_0_0_template.json").touch()
    made = session(api, **{variable: str(tmp_path)})
    assert load(made, scene="")["scene"] == "Benevolence_1_int", "one that the paper's authors used"
    with pytest.raises(RobotError, match="download the data set"):
        load(session(api, **{variable: str(tmp_path)}), "halve_an_egg", scene="")


def test_that_the_worker_never_raises_over_what_it_is_asked(session: SessionMaker) -> None:
    made = session("a")
    load(made)
    for name, args in (("nonsense", {}), ("step", {"times": 3}), ("states", {"asked": [["Melted", MUG]]})):
        with pytest.raises(RobotError, match="OmniGibson failed in"):
            made.call(name, **args)
    assert made.call("held") == ""


@pytest.mark.parametrize(
    ("stopped", "limit", "words"),
    [(False, "CALL_TIMEOUT", "0.3 s and"), (True, "OBEY_TIMEOUT", "0.3 s of a stop and")],
)
def test_that_a_call_that_hangs_ends_with_its_process_and_sooner_under_a_stop(
    session: SessionMaker, stopped: bool, limit: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = session("a", "hang")
    load(made)
    monkeypatch.setattr(worker_session, "STEP_TIMEOUT", 0.0)
    monkeypatch.setattr(worker_session, limit, 0.3)
    made.is_stopped = lambda: stopped
    with pytest.raises(RobotError, match=f"did not finish 'step' within {words} was ended: start the"):
        made.call("step", count=1)
    until(lambda: not made._child.alive)


def test_that_an_end_that_hangs_is_cut_short(session: SessionMaker) -> None:
    made = session("a", "hang at teardown")
    load(made)
    began = monotonic()
    made.close(0.3)
    assert not made._child.alive and monotonic() - began < AT_ONCE


@pytest.mark.parametrize("busy", [False, pytest.param(True, marks=pytest.mark.long)])
def test_that_no_worker_outlives_its_console(session: SessionMaker, busy: bool) -> None:
    """In a call that never returns it is given some seconds more (GRACE in its loop)."""
    made = session("a", "slow" if busy else "")
    if busy:
        args = {"activity": BOIL, "scene": "a scene", "robot": "Fetch", "size": 256, "headless": True}
        send(made._connection, {"id": 1, "call": "load", "args": args})
        until(lambda: any("shaders" in line for line in made.lines))
    made._child.socket.shutdown(socket.SHUT_RDWR)
    until(lambda: not made._child.alive, 60)
