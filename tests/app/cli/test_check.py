"""`check`: its exit code, its JSON, and a table that is read at 80 columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from click.testing import Result

from app.dialogs.setup.domain_probe import probe_in_process
from core.config import Settings
from core.planning.domain_library import domain_path, find_task
from robots.registry import ROBOTS
from robots.ur5e.scene_file import SCENES
from tests.command import call

GRID = Path(__file__).parents[3] / "docs" / "examples" / "grid"
Verb = Callable[..., Result]


@pytest.fixture
def verb() -> Verb:
    return call


def test_that_a_clean_folder_exits_with_0_and_its_notes_fit_80_columns(verb: Verb) -> None:
    result = verb("check", "household")
    assert result.exit_code == 0, result.output
    assert "robot ur5e" in result.stdout and max(map(len, result.stdout.splitlines())) <= 80


def test_that_gaps_exit_with_1_and_scripts_read_them(verb: Verb) -> None:
    result = verb("check", GRID, "--json")
    assert result.exit_code == 1
    (gap,) = (f for f in json.loads(result.stdout) if f["level"] == "gap")
    assert gap["about"] == "words" and set(gap) == {"level", "about", "lack", "costs"}


def test_that_own_things_are_judged_before_an_episode(verb: Verb, tmp_path: Path) -> None:
    own, scene = tmp_path / "own", (SCENES.folder / "tabletop.toml").read_text()
    copytree(domain_path("tabletop"), own)
    (own / "scene.toml").write_text(
        scene.replace("half = [0.016, 0.016, 0.016]", "half = [0.016, 0.016, 0.008]")
    )
    result = verb("check", own, "--json")
    said = [(f["level"], f["lack"]) for f in json.loads(result.stdout) if f["about"] == "robot ur5e"]
    assert result.exit_code == 1 and said[0][0] == "gap" and "toy_block is 16 mm high, perhaps" in said[0][1]
    found = probe_in_process(Settings(task="collect_toys", domain=str(own), robot="ur5e"), ROBOTS.import_path)
    assert found.doubts == {"ur5e": f"{said[0][1]}."}
    (own / "scene.toml").write_text(scene.replace("hue = { low = 172, high = 6, saturation = 130 }", ""))
    (reason,) = ROBOTS["ur5e"].incompatibilities(*find_task("collect_toys", str(own)))
    assert reason.startswith("toy_block has no `hue`")


def test_that_a_folder_that_is_not_there_exits_with_2(verb: Verb) -> None:
    assert verb("check", "nowhere").exit_code == 2
