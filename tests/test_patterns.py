"""What no regular expression here may hold: Python before 3.11.5, as Debian 12 has it, reads it wrongly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = [
    ROOT / "main.py",
    *(
        file
        for folder in ("app", "core", "robots", "training", "scripts")
        for file in (ROOT / folder).rglob("*.py")
    ),
]
# A group taken for good, as in (a|b)*+ or (?>ab): https://github.com/python/cpython/issues/106052
FOR_GOOD = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+?]|\{(?:\d+,?\d*|,\d+)\})\+|\(\?>")


def literals(code: str) -> Iterator[tuple[int, str]]:
    """Yield each string of a program with its line, those beside one another as one."""
    if not FOR_GOOD.search(code):  # nor can a string of it
        return
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


@pytest.mark.parametrize("pattern", ["a*+", "(?:a|b)++", "x?+", "[ab]{2,3}+", "(?>a|b)", r"\\*+"])
def test_that_what_older_pythons_read_wrongly_is_recognised(pattern: str) -> None:
    assert FOR_GOOD.search(pattern)


@pytest.mark.parametrize("pattern", ["a*", r"\++", r"\?+", r"[*]+", r"\}+", "a+b", "{}+{other}"])
def test_that_other_patterns_pass(pattern: str) -> None:
    assert not FOR_GOOD.search(pattern)


def test_that_no_pattern_takes_a_group_for_good() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text[:60]!r}"
        for file in OURS
        for line, text in literals(file.read_text(encoding="utf-8"))
        if FOR_GOOD.search(text)
    ]
    assert found == []
