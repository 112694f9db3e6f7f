"""What a search is: it takes a table and a state, and never mixes up its three answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.cancel import Cancel
from core.planning.ground import State
from core.planning.table import Table
from core.problem import Plan


@dataclass(frozen=True)
class Limits:
    """When one search gives up. Expansions are the same on every machine; seconds are not."""

    expansions: int = 100_000
    seconds: float | None = None
    work: int | None = None  # looks at an operator, for an estimate; the same on every machine, too


class Engine(Protocol):
    @property
    def name(self) -> str: ...

    def search(self, table: Table, state: State, limits: Limits, cancel: Cancel) -> Plan:
        """A plan from `state` to the table's goal; IMPOSSIBLE only when all of it was searched.

        Raises Cancelled, PlanningError, MissingPackage.
        """
        ...
