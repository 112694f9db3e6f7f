"""Parts of every kind can be closed."""

from __future__ import annotations

from contextlib import ExitStack

from core.closing import close_part


def test_that_a_part_is_closed_if_it_can_be() -> None:
    closed: list[str] = []
    part = ExitStack()
    part.callback(closed.append, "closed")
    close_part(part)
    close_part(object())
    assert closed == ["closed"]
