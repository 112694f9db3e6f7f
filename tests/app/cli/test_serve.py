"""`serve`, and how a robot elsewhere is named, listened to and run on in a terminal."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.command_line import command_line
from app.cli.options import chosen_robot, component_options
from core.errors import BadValue, UnknownName
from main import program, registries
from tests.robots.remote.served import Served, serving

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving("symbolic", tmp_path_factory.mktemp("token")) as served:
        yield served


def verb(*words: str) -> Result:
    cli = command_line(program())
    return CliRunner().invoke(cli, words)


def options(server: Served, **changes: str) -> list[str]:
    found = {**server.options, **changes}
    return [word for name in found for word in ("-o", f"robot.{name}={found[name]}") if name != "at"]


def test_that_a_robot_is_named_with_its_place() -> None:
    tables = registries()
    assert chosen_robot("remote:[::1]:8790", {}, tables) == ("remote", {"robot.at": "[::1]:8790"})
    assert chosen_robot("kitchen", {}, tables) == ("kitchen", {})
    with pytest.raises(BadValue, match="'kitchen' is at no address: write --robot kitchen"):
        chosen_robot("kitchen:8790", {}, tables)
    with pytest.raises(UnknownName, match="did you mean remote"):
        chosen_robot("remot:here:8790", {}, tables)
    with pytest.raises(BadValue, match="give one of them"):
        chosen_robot("remote:here:1", {"robot.at": "here:2"}, tables)


def test_that_only_options_of_the_robot_are_its() -> None:
    assert component_options(["robot.slip=0.5"], "robot") == {"slip": "0.5"}
    with pytest.raises(BadValue, match="is of no robot: write robot"):
        component_options(["method.slip=0.5"], "robot")


def test_that_an_episode_runs_on_a_robot_elsewhere(server: Served, tmp_path: Path) -> None:
    where = f"remote:{server.options['at']}"
    words = ["run", "halve_egg", "--robot", where, "--no-pictures", "--database", str(tmp_path / "l.db")]
    result = verb(*words, *options(server))
    assert result.exit_code == 0, result.output
    assert "The simulator confirms that the goal is reached" in result.output
    result = verb(*words, *options(server, simulator="false"))  # then it is REAL, and nobody is here
    assert result.exit_code == 2 and "this robot tells none" in result.output
    assert "counts as REAL. If it is a simulator, say so: -o robot.simulator=true" in " ".join(
        result.output.split()
    )


def test_that_doctor_says_who_is_there(server: Served) -> None:
    result = verb("doctor", "--robot", f"remote:{server.options['at']}", *options(server))
    assert result.exit_code == 0
    assert "symbolic says SIM; it counts as SIM" in " ".join(result.output.split())
    result = verb("doctor", "--robot", "remote:127.0.0.1:1", *options(server))
    assert result.exit_code == 1 and "wrong" in result.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("serve", "kitchem"), "did you mean kitchen"),
        (("serve", "remote"), "only simulators are served"),
        (("serve", "ur5e", "-o", "robot.arm=192.0.2.1"), "only simulators are served"),
        (
            ("serve", "symbolic", "--host", "192.0.2.1"),
            "192.0.2.1:8790 (Cannot assign requested address): give a --host",
        ),
        (("serve", "symbolic", "-o", "method.x=1"), "is of no robot"),
    ],
)
def test_that_what_cannot_be_served_is_told(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    result = verb(*words)
    assert result.exit_code == 2 and told in " ".join(result.output.split())


def test_that_what_a_robot_lacks_is_said_before_a_console_needs_it(tmp_path: Path) -> None:
    words = ("main.py", "serve", "omnigibson", "-o", "robot.python=/bin/true", "--port", "0")
    with subprocess.Popen(
        [sys.executable, *words, "--token-file", str(tmp_path / "token")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("OmniGibson may not start: /bin/true is no")
        assert process.stdout.readline().startswith("omnigibson waits for a console at")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


@pytest.mark.long
@pytest.mark.parametrize(("number", "name"), [(signal.SIGINT, "Ctrl+C"), (signal.SIGTERM, "SIGTERM")])
def test_that_it_says_how_to_connect_and_what_has_ended_it(number: int, name: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    words = ("main.py", "serve", "symbolic", "--port", "0", "--token-file", str(token))
    process = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    port = lines[0].split("127.0.0.1:")[1].split(".")[0]
    assert lines[0].startswith("symbolic waits for a console at") and lines[0].endswith("Ctrl+C ends it.\n")
    assert f"--robot remote:127.0.0.1:{port} -o robot.simulator=true" in lines[1]
    assert f"ssh -L {port}:127.0.0.1:{port}" in "".join(lines[2:])
    assert token.stat().st_mode & 0o777 == 0o600
    process.send_signal(number)
    assert process.wait(20) == 0
    assert process.stdout.read().endswith(f"Ended with {name}.\n")
    process.stdout.close()
