"""What a search is: it takes a table and a state, and never mixes up its three answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.cancel import Cancel
from core.planning.ground import State
from core.planning.grounded_task import GroundedTask
from core.planning_model import Plan


@dataclass(frozen=True)
class SearchLimits:
    """When one search gives up. Expansions are the same on every machine; seconds are not."""

    expansions: int = 100_000
    seconds: float | None = None
    operator_checks: int | None = (
        None  # looks at an operator, for an estimate; the same on every machine, too
    )


class Engine(Protocol):
    @property
    def name(self) -> str: ...

    def search(self, table: GroundedTask, state: State, limits: SearchLimits, cancel: Cancel) -> Plan:
        """A plan from `state` to the table's goal; IMPOSSIBLE only when all of it was searched.

        Raises Cancelled, PlanningError, MissingPackage.
        """
        ...
