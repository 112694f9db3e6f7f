"""What the tests of the terminal share."""

from __future__ import annotations

import pytest

from app.cli.output import printing


@pytest.fixture(autouse=True)
def nobody_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that ended a program in this process has left no terminal for the next one."""
    monkeypatch.setattr(printing, "_leaving", False)
