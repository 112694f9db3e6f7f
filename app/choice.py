"""A command by name, as the palette lists it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """A command by name. `reason` says why it cannot be done now, "" if it can."""

    text: str
    tip: str
    key: str
    act: Callable[[], object]
    icon: str = ""
    reason: str = ""
