"""The program where nothing optional is installed: it works, and what it lacks it says in one sentence.

`make test WITHOUT=all` runs every test so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.without.sitecustomize import EXTRAS

ROOT = Path(__file__).parents[1]
RUN = ("run", "halve_egg", "--robot", "symbolic", "--no-pictures")
COMMANDS: tuple[tuple[tuple[str, ...], int, str], ...] = (
    (RUN, 0, "goal reached"),
    (("plan", "halve_egg"), 0, "pyperplan"),
    (("doctor",), 0, "The package rtde_control is not installed"),
    (("plan", "halve_egg", "--engine", "fast-downward"), 2, "[fast-downward]"),
    (("run", "collect_toys", "--robot", "ur5e"), 2, "The UR5e needs"),
    ((*RUN[:4], "--video", "film.mp4"), 2, "[video]"),
    (("episodes", "export", "last", "--to", "film.mp4"), 2, "[video]"),
    (("episodes", "export", "last", "--to", "film.mcap"), 2, "[mcap]"),
    (("episodes", "export", "--to", "judged.parquet"), 2, "[datasets]"),
    (("episodes", "live"), 2, "[foxglove]"),
    (
        ("bench", "--tasks", "halve_egg", "--trials", "1", "--cluster", "local", "--robot", "symbolic"),
        2,
        "[cluster]",
    ),
)
CALL = """
import json, sys
from tests.command import call
for words in json.load(sys.stdin):
    done = call(*words)
    print(json.dumps((done.exit_code, done.output)))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], tuple[int, str]]:
    """What each command answers, in one process, for speed."""
    hidden = {"PYTHONPATH": f"{ROOT}:{ROOT}/tests/without", "WITHOUT": "all", "COLUMNS": "300"}
    done = subprocess.run(
        [sys.executable, "-c", CALL], input=json.dumps([words for words, *_ in COMMANDS]), text=True,
        capture_output=True, env={**os.environ, **hidden}, cwd=tmp_path_factory.mktemp("bare"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    return {words: came for (words, *_), came in zip(COMMANDS, lines, strict=True)}


@pytest.mark.parametrize(("words", "code", "told"), COMMANDS, ids=lambda one: str(one)[:60])
def test_that_without_extras_a_command_works_or_says_what_it_lacks(
    said: dict[tuple[str, ...], tuple[int, str]], words: tuple[str, ...], code: int, told: str
) -> None:
    came, output = said[words]
    assert told in " ".join(output.split())
    assert came == code
    assert code == 0 or len(output.strip().splitlines()) == 1, "one sentence"


def test_that_every_extra_can_be_hidden() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"dev"}
