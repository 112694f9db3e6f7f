"""The interface of a search: from a grounded task and a state to one of three distinct answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.planning.compiled import CompiledProblem
from core.planning.fact_bits import State
from core.planning_model import Plan
from core.stop_token import StopToken


@dataclass(frozen=True)
class SearchLimits:
    """When a search gives up. Expansions are the same on every machine; seconds are not."""

    expansions: int = 100_000
    seconds: float = 60.0
    operator_checks: int | None = None  # operators examined for heuristics; also machine-independent
    improving_seconds: float = 5.0  # for a shorter plan than the first; only Fast Downward's searches


class Engine(Protocol):
    @property
    def name(self) -> str: ...

    def search(self, table: CompiledProblem, state: State, limits: SearchLimits, cancel: StopToken) -> Plan:
        """Return a plan from `state` to the goal; IMPOSSIBLE only after an exhaustive search.

        Raises Cancelled, PlanningError, MissingPackage.
        """
        ...
