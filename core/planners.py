"""What the loop asks of a planner, and what some planners can do besides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from core.planning_model import Plan, Problem
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import Wish, WishOptions


class Planner(Protocol):
    def plan(self, problem: Problem, cancel: StopToken) -> Plan:
        """Solve the problem; the same problem gives the same plan. Raises Cancelled, PlanningError."""


@runtime_checkable
class BoundsSearches(Protocol):
    """A planner that can be told how far to search."""

    def plan_within(self, problem: Problem, expansions: int, cancel: StopToken) -> Plan:
        """Solve the problem within so many expanded states, else return TIMEOUT. Raises like `plan`."""


@runtime_checkable
class ImprovesPlans(Protocol):
    """A planner that tells of its plans as they get better."""

    def plans(self, problem: Problem, cancel: StopToken) -> Iterator[tuple[Plan, bool]]:
        """Yield ever better plans, and whether a better one is looked for; the last is what `plan` returns.

        Closing the iterator ends the search. Raises Cancelled, PlanningError.
        """


@runtime_checkable
class PlansMotion(Protocol):
    """A planner that finds the motions of a wish as well."""

    def plan_motion(
        self, problem: Problem, wish: Wish, scene: Scene, options: WishOptions, cancel: StopToken
    ) -> Plan:
        """Return a plan whose steps have moves, or say why not. Raises Cancelled, PlanningError."""
