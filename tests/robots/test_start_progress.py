"""What is shown of a slow start, and how often."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.errors import Cancelled
from robots import start_progress
from robots.start_progress import StartProgress


@pytest.fixture
def pass_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [100.0]
    monkeypatch.setattr(start_progress, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


def test_that_the_first_line_is_shown_at_once_and_then_the_last_one_of_each_second(
    pass_time: Callable[[float], None],
) -> None:
    shown: list[str] = []
    progress = StartProgress("OmniGibson", shown.append)
    progress.show()
    for line in ("one", "two", "three"):
        progress.report_line(line)
        progress.show()
    assert shown == ["one"]
    for _ in range(2):
        pass_time(1.1)
        progress.show()
    assert shown == ["one", "three", "Starting OmniGibson: 2 s"]


def test_that_who_is_told_can_break_the_start_off(pass_time: Callable[[float], None]) -> None:
    def refuse(text: str) -> None:
        raise Cancelled(text)

    progress = StartProgress("OmniGibson", refuse)
    pass_time(3)
    with pytest.raises(Cancelled, match="Starting OmniGibson: 3 s"):
        progress.show()
