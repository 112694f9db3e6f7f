"""Each file of this program says its encoding: the desktop's could be another tomorrow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
POSITION = {"read_text": 1, "write_text": 2}  # by which the encoding stands without its name


def silent(code: str) -> Iterator[int]:
    """Yield the lines with a text file whose encoding is left to the system."""
    if "_text(" not in code:
        return
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(ast.Attribute(attr=("read_text" | "write_text") as name), args, keywords):
                if len(args) < POSITION[name] and "encoding" not in {keyword.arg for keyword in keywords}:
                    yield node.lineno


def test_that_it_is_seen() -> None:
    assert [
        *silent("p.read_text()\np.read_text('utf-8')\np.write_text(t)\np.write_text(t, encoding='ascii')")
    ] == [1, 3]


def test_that_no_file_is_read_or_written_as_the_system_pleases() -> None:
    ours = [
        ROOT / "main.py",
        *(p for f in ("app", "core", "robots", "training") for p in (ROOT / f).rglob("*.py")),
    ]
    assert [f"{p.relative_to(ROOT)}:{line}" for p in ours for line in silent(p.read_text("utf-8"))] == []
