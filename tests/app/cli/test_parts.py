"""`parts`, and the options of parts on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.command_line import command_line
from app.cli.doctor import examine
from app.cli.options import part_options
from core.config import Settings
from core.errors import BadValue
from core.log.export.registry import VIEWS
from core.plugins import PLUGINS_VARIABLE
from core.registry import Entry, MissingRequirement, Registry
from main import program, registries

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "plugins"
Verb = Callable[..., Result]


@pytest.fixture
def verb() -> Verb:
    cli = command_line(program())
    return lambda *words: CliRunner().invoke(cli, list(words))


def test_that_every_part_is_listed_with_its_options(verb: Verb) -> None:
    found = {(f["kind"], f["name"]): f for f in json.loads(verb("parts", "--json").stdout)}
    assert [o["name"] for o in found["robot", "ur5e"]["options"]] == ["arm", "poses"]
    assert found["robot", "kitchen"]["options"] == []
    (table,) = found["exporter", "csv"]["options"]
    assert tuple(table["choices"]) == VIEWS
    assert {"pyperplan", "fast-downward"} <= {name for kind, name in found if kind == "engine"}


def test_that_one_kind_is_read_in_80_columns(verb: Verb) -> None:
    told = verb("parts", "robots").stdout
    assert "robot.arm" in told and "Answerers" not in told
    assert max(map(len, told.splitlines())) <= 80
    assert verb("parts", "robot").stdout == told
    assert verb("parts", "robotz").exit_code == 2


def test_that_options_are_given_by_kind_and_name() -> None:
    given = ["robot.slip=0.5", "answerer.skip = 1"]
    assert part_options(given) == {"robot.slip": "0.5", "answerer.skip": "1"}
    assert part_options(None, "192.0.2.1") == {"robot.arm": "192.0.2.1"}
    assert part_options(["robot.arm=b"], "a") == {"robot.arm": "b"}
    with pytest.raises(BadValue, match="no value"):
        part_options(["robot.arm"])


def test_that_an_arm_is_only_for_a_robot_that_has_one(verb: Verb, tmp_path: Path) -> None:
    log = ("--database", str(tmp_path / "log.db"))
    result = verb("run", "halve_egg", "--robot", "symbolic", "--arm", "192.0.2.1", *log)
    assert result.exit_code == 2 and "Symbolic robot has no option 'arm'" in result.output


def test_that_doctor_tells_what_each_part_lacks() -> None:
    lacking = Entry(
        "far", "Far", "", lambda **_: None, missing=lambda: MissingRequirement("no wings", "buy some")
    )
    there = Entry("near", "Near", "", lambda **_: None)
    found = {f.name: f for f in examine({"robots": Registry("robot", (lacking, there))})}
    assert found["Robots"].found == "near"
    assert (found["Robot far"].level, found["Robot far"].mend) == ("optional", "buy some")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Settings]]:
    """What the window would be opened with."""
    monkeypatch.setenv(PLUGINS_VARIABLE, "")

    def open_(*words: str) -> list[Settings]:
        found: list[Settings] = []

        def window(settings: Settings, database: Path, reset: bool = False, demo: str = "") -> int:
            found.append(settings)
            return 0

        cli = command_line(replace(program(), console=window))
        CliRunner().invoke(cli, ["--database", "nowhere.db", *words])
        return found

    return open_


def test_that_naming_an_arm_opens_the_window_on_the_robot_that_has_one(
    opened: Callable[..., list[Settings]],
) -> None:
    (settings,) = opened("--arm", "192.0.2.1")
    assert (settings.robot, settings.options) == ("ur5e", {"robot.arm": "192.0.2.1"})
    (settings,) = opened()
    assert (settings.robot, settings.options) == ("", {})


def test_that_a_robot_of_ones_own_opens_the_window_on_its_trial(
    opened: Callable[..., list[Settings]],
) -> None:
    (settings,) = opened("--plugins", str(EXAMPLES), "--robot", "grid", "-o", "robot.slip=0.3")
    assert settings.domain.endswith("grid") and settings.options_for("robot") == {"slip": "0.3"}
    assert opened("--robot", "gird") == []


def test_that_the_help_of_run_lists_every_part_that_it_can_be_given(verb: Verb) -> None:
    told = verb("run", "--help").stdout
    for kind, option in (
        ("robots", "--robot"), ("answerers", "--answerer"), ("methods", "--method"), ("engines", "--engine")
    ):  # fmt: skip
        assert f"{kind.capitalize()}, by {option}" in told
        for entry in registries()[kind]:
            assert any(line.split()[:1] == [entry.name] for line in told.splitlines()), entry.name
    assert max(map(len, told.splitlines())) <= 80


def test_that_parts_of_ones_own_are_in_the_help(verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, "")  # what --plugins sets is gone after the test
    assert "It goes from cell to cell" not in verb("run", "--help").stdout
    told = " ".join(verb("run", "--plugins", str(EXAMPLES), "--help").stdout.split())
    assert "grid Grid robot." in told and "ask-twice Ask twice." in told
    exported = verb("episodes", "export", "--plugins", str(EXAMPLES), "--help").stdout
    assert "the steps, one per line" in exported


def test_that_a_broken_part_of_ones_own_is_one_sentence_after_the_help(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, "")
    (tmp_path / "odd.py").write_text("ENTRIES = 3")
    result = verb("run", "--plugins", str(tmp_path), "--help")
    assert result.exit_code == 2 and "odd.py" in result.output and "--robot" in result.output
