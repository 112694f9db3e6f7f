"""`doctor --robot omnigibson`: what is missing is found before a start, and `--full` tries everything."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.command_line import command_line
from main import program
from robots.omnigibson.activities import ACTIVITIES
from robots.omnigibson.full_check import full_check
from robots.omnigibson.installation import examine
from robots.omnigibson.options import PYTHON_VARIABLE, OmniGibsonOptions
from tests.robots.omnigibson.conftest import environment


def script(folder: Path, text: str) -> OmniGibsonOptions:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return OmniGibsonOptions(python=str(path))


def found(**changes: object) -> str:
    """What the probe prints where everything is there."""
    whole = {
        "python": [3, 10, 12], "omnigibson": "1.1.1", "bddl": "3.5.0", "torch": True, "torch_error": "",
        "isaacsim": True, "isaac_path": "", "exp_path": "", "licence": "", "data": ["/d"],
        "data_wanted": ["/d"], "key": "/k", "cards": ["RTX 4090, 24564 MiB, 550"], "free_gb": 90,
        "scenes": {a: ["Beechwood_0_int"] for a in (
            "boil_water_in_the_microwave", "bringing_water", "cook_a_frozen_pie", "halve_an_egg",
            "store_firewood")},
    }  # fmt: skip
    return f"echo '{json.dumps({**whole, **changes})}'"


def test_that_an_installation_that_has_everything_passes(tmp_path: Path) -> None:
    checks = examine(script(tmp_path, found()))
    assert [check for check in checks if not check.ok] == []
    assert [c.name for c in checks if c.name.startswith("Task")] == [
        f"Task {t}: Beechwood_0_int" for t in ACTIVITIES
    ]


@pytest.mark.parametrize(
    ("changes", "name", "words"),
    [
        ({"python": [3, 11, 4]}, "Python 3.11", "needs Python 3.10"),
        ({"omnigibson": "3.8.0", "licence": ""}, "NVIDIA's licence", "OMNI_KIT_ACCEPT_EULA=YES"),
        ({"omnigibson": ""}, "OmniGibson", "not installed in this environment"),
        ({"torch": False}, "torch", "Isaac Sim brings"),
        ({"torch_error": "OSError: no libcudart"}, "torch", "no libcudart"),
        ({"isaacsim": False}, "Isaac Sim", "ISAAC_PATH and EXP_PATH are not set"),
        ({"data": []}, "Data set", "OMNIGIBSON_DATASET_PATH"),
        ({"key": ""}, "Key of the data set", "OMNIGIBSON_KEY_PATH"),
        ({"cards": []}, "Graphics card", "RTX card"),
        ({"scenes": {}}, "Task halve_egg", "halve_an_egg"),
    ],
)
def test_that_what_is_missing_is_named_with_the_way_out(
    tmp_path: Path, changes: dict[str, object], name: str, words: str
) -> None:
    wrong = [check for check in examine(script(tmp_path, found(**changes))) if not check.ok]
    assert name in [check.name for check in wrong]
    assert any(words in f"{check.reason}; {check.remedy}" for check in wrong)


@pytest.mark.parametrize(
    ("text", "words"),
    [("echo nonsense", "no Python that can run"), ("exit 3", "ended with code 3")],
)
def test_that_a_wrong_interpreter_is_told(tmp_path: Path, text: str, words: str) -> None:
    (check,) = examine(script(tmp_path, text))
    assert not check.ok and words in check.reason


def test_that_no_interpreter_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(PYTHON_VARIABLE, raising=False)
    (check,) = examine(OmniGibsonOptions())
    assert not check.ok and PYTHON_VARIABLE in check.reason
    (check,) = examine(OmniGibsonOptions(python=str(tmp_path / "nothing")))
    assert not check.ok and "there is no" in check.reason


def test_that_this_interpreter_is_probed_and_has_no_omnigibson() -> None:
    checks = {
        check.name.partition(":")[0]: check for check in examine(OmniGibsonOptions(python=sys.executable))
    }
    assert checks["Interpreter"].ok and not checks["OmniGibson"].ok


def test_that_the_full_check_tries_everything_and_goes_on_after_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment("a", "stuck door").items():
        monkeypatch.setenv(name, value)
    told: list[str] = []
    checks = full_check(OmniGibsonOptions(python=sys.executable, scene="a scene"), told.append)
    assert len(checks) == 21 + 1, "and the end"
    assert checks[-1].name.startswith("end: after ")
    assert {check.name for check in checks if not check.ok} == {
        "open the cabinet",
        "close the cabinet",
        "open it again",
    }
    assert "boil water in it" in told


def test_that_the_command_tells_what_is_wrong_tries_it_all_the_same_and_writes_a_report(
    tmp_path: Path,
) -> None:
    cli = command_line(program())
    report = tmp_path / "report.md"
    words = [
        "doctor",
        "--robot",
        "omnigibson",
        "-o",
        f"robot.python={sys.executable}",
        "--report",
        str(report),
    ]
    run = CliRunner().invoke(cli, words)
    assert run.exit_code == 1, run.output
    assert "| OmniGibson | wrong |" in report.read_text()
    run = CliRunner().invoke(cli, [*words, "--full"])
    assert run.exit_code == 1, run.output
    assert re.search(r"^\| Load \| wrong \| .*this Python has no OmniGibson", report.read_text(), re.M)
    assert "What it printed last" in report.read_text()
    run = CliRunner().invoke(cli, ["doctor", "--robot", "kitchen", "--full"])
    assert run.exit_code == 2 and "no full check" in run.output
