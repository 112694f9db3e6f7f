"""The pages as `docs` prints them where the program is installed."""

from __future__ import annotations

import re

import pytest

from app.cli.docs import page_text, pages, shipped
from core import install_paths


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_paths, "INSTALLED", True)
    monkeypatch.setattr(install_paths, "COMMAND", "dkprompt")
    monkeypatch.setattr(install_paths, "install_extra", lambda extra: f"pip install {extra}")


@pytest.mark.parametrize("page", list(pages()))
def test_that_every_page_that_a_page_names_is_one_and_is_named_once(page: str) -> None:
    text = page_text(page)
    named = re.findall(r"`(?:dkprompt )?docs ([\w/.#-]+)`", text)
    assert [n for n in named if n not in ("PAGE", *pages()) and not shipped(n)] == []
    assert re.search(r"(?<!`)``(?!`)", text) is None, "no doubled backquote"
    assert re.search(r"(`docs [^`]*`) \(\1\)|\]\([^)]*\.md", text) is None, "no link that is no command"


def test_that_a_page_is_found_with_the_section_that_a_link_names() -> None:
    assert page_text("log#versions") == page_text("docs/log.md")


def test_that_the_code_that_a_page_names_is_printed() -> None:
    path = shipped("core/events.py")
    assert path is not None and path.is_file() and shipped("../pyproject.toml") is None


def test_that_the_changes_begin_with_those_for_who_comes_from_the_version_before() -> None:
    first = re.search(r"^### (.*)$", page_text("changelog"), re.MULTILINE)
    assert first and re.fullmatch(r"Coming from [\d.]+: what changes for you \(.* \d{4}\)", first[1])
