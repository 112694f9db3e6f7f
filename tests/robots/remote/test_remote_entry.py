"""What a robot elsewhere counts as, and how it is named."""

from __future__ import annotations

from pathlib import Path
from threading import Timer

import pytest

from core.errors import BadValue, ConsoleError, RobotError, UnknownName
from core.planning import domain_library
from core.ports import Embodiment, GroundTruth, NoticesSituations, Robot, StepTruth
from core.stock import KnowsStock
from robots.omnigibson.options import PYTHON_VARIABLE
from robots.registry import ROBOTS, make_robot
from robots.remote import robot_server
from robots.remote.remote_entry import believed_embodiment
from tests.robots.remote.served import Served, serving

SIM, EMULATED, REAL = Embodiment


def made(server: Served, **changes: str) -> Robot:
    folder, task = domain_library.load_task("halve_egg")
    options = {**server.options, **changes}
    return make_robot("remote", domain_spec=folder, task=task, pictures=False, options=options)


@pytest.mark.parametrize(
    ("claim", "word", "counts_as"),
    [
        ("SIM", True, SIM),
        ("EMULATED", True, EMULATED),
        ("SIM", False, REAL),
        ("EMULATED", False, REAL),
        ("REAL", False, REAL),
        ("something new", False, REAL),
    ],
)
def test_that_only_the_users_word_makes_a_simulator(claim: str, word: bool, counts_as: Embodiment) -> None:
    assert believed_embodiment(claim, word) is counts_as


@pytest.mark.parametrize("claim", ["REAL", "something new", ""])
def test_that_a_word_against_the_robots_own_is_refused(claim: str) -> None:
    with pytest.raises(RobotError, match="it says that it is REAL: look at it"):
        believed_embodiment(claim, True)


def test_that_a_robot_without_the_users_word_is_real_and_is_asked_for_no_truth(server: Served) -> None:
    with_word, without = made(server), None
    with_word.close()
    without = made(server, simulator="false")
    without.close()
    assert (with_word.embodiment, without.embodiment) == (SIM, REAL)
    assert isinstance(with_word, GroundTruth) and isinstance(with_word, StepTruth)
    assert not isinstance(without, GroundTruth) and not isinstance(without, StepTruth)


def test_that_a_robot_elsewhere_tells_what_is_at_hand_and_unusual_too(tmp_path: Path) -> None:
    folder, task = domain_library.load_task("serve_water")
    options = {"domain_spec": folder, "task": task, "pictures": False, "seed": 3}
    here = make_robot("open-world", **options)  # type: ignore[arg-type]
    with serving("open-world", tmp_path) as served:
        there = make_robot("remote", **options, options=served.options)  # type: ignore[arg-type]
        assert isinstance(here, KnowsStock) and isinstance(there, KnowsStock)
        assert isinstance(here, NoticesSituations) and isinstance(there, NoticesSituations)
        assert here.stock() and there.stock() == here.stock()
        assert there.situations() == here.situations()
        there.close()


def test_that_an_address_is_never_certain_to_be_a_simulator(server: Served) -> None:
    """What is not certain is taken neither from a log nor from an older start."""
    assert not ROBOTS.is_simulated("remote", server.options)
    assert not ROBOTS.is_simulated("remote", {})
    assert ROBOTS.is_simulated("remote", {"at": "kitchen"})


def test_that_the_preflight_says_what_it_counts_as(server: Served) -> None:
    entry = ROBOTS["remote"]
    found = entry.preflight(entry.read_options(server.options))
    assert found.embodiment is SIM and all(check.ok for check in found.checks)
    found = entry.preflight(entry.read_options({**server.options, "simulator": "false"}))
    assert found.embodiment is REAL
    assert any("counts as REAL, since you do not say" in check.reason for check in found.checks)
    robot = made(server)
    found = entry.preflight(entry.read_options(server.options))
    assert "it is in use" in found.checks[-1].reason
    robot.close()


def test_that_one_console_at_a_time_uses_a_robot(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = made(server)
    closing = Timer(0.1, robot.close)  # as a window does when it sets up another episode
    closing.start()
    again = made(server)
    monkeypatch.setattr(robot_server, "_BUSY_TIMEOUT", 0.1)
    with pytest.raises(RobotError, match=r"refuses: it is in use, by one console at a time: end"):
        made(server)
    again.close()
    closing.join()


@pytest.mark.parametrize(
    ("at", "error", "words"),
    [
        ("", BadValue, "Say where the remote robot is"),
        ("here:", BadValue, "is no address"),
        (":80", BadValue, "is no address"),
        ("here:99999", BadValue, "is no address"),
        ("kitchem", UnknownName, "did you mean kitchen"),
        ("remote", BadValue, "only simulators are served"),
    ],
)
def test_that_a_wrong_place_is_told_in_one_sentence(
    at: str, error: type[ConsoleError], words: str, server: Served
) -> None:
    with pytest.raises(error, match=words):
        made(server, at=at)
    entry = ROBOTS["remote"]
    with pytest.raises(error, match=words):
        entry.preflight(entry.read_options({"at": at}))


def test_that_options_of_the_robot_itself_are_sent_to_where_it_is_served(server: Served) -> None:
    with pytest.raises(BadValue, match=r"no option 'scene'.*serve NAME -o robot\.OPTION=VALUE; then name"):
        made(server, scene="Beechwood_0_int")


def test_that_what_a_robot_started_here_lacks_is_found_before_it_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(PYTHON_VARIABLE, raising=False)
    entry = ROBOTS["remote"]
    options, lacks = entry.preflight(entry.read_options({"at": "omnigibson"})).checks
    assert options.ok and "others are given to serve" in options.reason
    assert not lacks.ok and PYTHON_VARIABLE in lacks.reason
    assert entry.preflight(entry.read_options({"at": "kitchen"})).checks == ()


def test_that_a_real_robot_is_not_served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DKPROMPT_UR5E", "192.0.2.1")
    with pytest.raises(BadValue, match="only simulators are served"), serving("ur5e", tmp_path):
        pass


def test_that_a_port_in_use_is_told(server: Served, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"\(Address already in use\): give another --port"):
        serving("symbolic", tmp_path, server.server.port).__enter__()
