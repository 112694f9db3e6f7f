"""The parts of the method `careful` for the domain of `tiny`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from core.domains import DomainSpec
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.planning.planner import make_planner
from tests.core import tiny


@dataclass
class Stated:
    """An answerer of which only the error rates count."""

    if_true: float = 0.8
    if_false: float = 0.3
    persistence: float = 0.5
    sees_all: bool = False

    def error_rates(self, predicate: str) -> tuple[float, float]:
        return self.if_true, self.if_false


@pytest.fixture
def careful() -> Callable[..., Careful]:
    def made(folder: DomainSpec | None = None, answerer: object | None = None, **options: object) -> Careful:
        return Careful(
            folder or tiny.folder(0.25, 0.1),
            tiny.PROBLEM,
            make_planner(),
            answerer or Stated(),
            CarefulOptions(**{"rate_doubt": 0, **options}),
        )

    return made


def feeling(folder: DomainSpec) -> DomainSpec:
    """The folder, with a robot that feels when the door stays closed."""
    opening = replace(folder.skills["open"], detects=("stays closed",))
    return replace(folder, skills={**folder.skills, "open": opening})
