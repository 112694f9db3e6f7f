"""A desk as it is opened, and closed before it is opened again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.drafting.desk import Desk
from core.drafting.source import DraftSource
from tests.core.drafting.known import LAKE, TOOLS


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    made: list[Desk] = []

    def opened(source: DraftSource = LAKE) -> Desk:
        for desk in made:
            desk.close()
        made.append(Desk(TOOLS, source, tmp_path / "log.db"))
        return made[-1]

    yield opened
    for desk in made:
        desk.close()
