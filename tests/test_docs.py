"""The pages hang together, and name only targets and verbs that are there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
import typer

from app.cli.command_line import command_line
from core.belief import BeliefSource
from core.config import Settings
from core.episode_state import EpisodeCounts
from core.reason import Cause
from main import program
from tests.episodes import Outcome

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
    assert set(re.findall(r"python main\.py ([a-z]+)", page.read_text())) <= verbs()


@cache
def verbs() -> set[str]:
    cli = command_line(program())
    return set(typer.main.get_command(cli).commands)  # type: ignore[attr-defined]


def test_that_every_test_named_in_a_page_is_there(page: Path) -> None:
    """`path` is a file of tests, `path::name` its function `test_that_name`."""

    def is_there(path: str, name: str) -> bool:
        file = ROOT / path
        return file.is_file() and (not name or f"def test_that_{name}(" in file.read_text())

    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page.read_text())
    assert [one for one in named if not is_there(*one)] == []


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("parts", (f.name for f in fields(Outcome))),
        ("reference", (f.name for f in fields(Settings))),
        ("write-a-panel", (f.name for f in fields(EpisodeCounts))),
        ("write-a-method", (member.name for kind in (Cause, BeliefSource) for member in kind)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_that_a_table_of_a_page_leaves_nothing_out(page: str, names: Iterable[str]) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text()
    assert [name for name in names if f"`{name}`" not in text] == []
