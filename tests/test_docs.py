"""The pages hang together, and name only targets and verbs that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from app.cli.command_line import command_line
from main import calibrator, emulate_arm, make_components, open_console

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.fixture(params=PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def page(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_that_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_that_every_make_target_named_is_one(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)", page.read_text(), re.MULTILINE)
    assert {a or b for a, b in named} <= targets


def test_that_every_verb_named_is_one(page: Path) -> None:
    verbs = set(
        typer.main.get_command(command_line(make_components, open_console, emulate_arm, calibrator)).commands
    )  # type: ignore[attr-defined]
    assert set(re.findall(r"python main\.py ([a-z]+)", page.read_text())) <= verbs


def test_that_every_test_named_in_a_page_is_there(page: Path) -> None:
    """`path` is a file of tests, `path::name` its function `test_that_name`."""

    def is_there(path: str, name: str) -> bool:
        file = ROOT / path
        return file.is_file() and (not name or f"def test_that_{name}(" in file.read_text())

    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page.read_text())
    assert [one for one in named if not is_there(*one)] == []
