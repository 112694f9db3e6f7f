"""The baseline EK: CW with external knowledge, from the start, about what may stand in for what.

It knows about a fixed half of the household's things, and uses that where it has no plan.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from core.domains import DomainSpec
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import AddObject, AllowSubstitute, Change, Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.closed_world import ClosedWorld, OpenWorldMethodOptions
from core.open_world.situations import random_half
from core.planners import Planner
from core.planning_model import Problem
from core.policy import Action, Context, GotPlan
from core.stock import StockItem


class EkOptions(OpenWorldMethodOptions):
    knowledge_seed: int = Field(
        default=0, title="Which half", description="of the household's things is known about, by its number"
    )


class ExternalKnowledge(ClosedWorld):
    """EK: CW, with knowledge about a half of the things."""

    name = "ek"

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        planner: Planner,
        stock: tuple[StockItem, ...],
        roles: Mapping[str, tuple[str, ...]],
        things: tuple[str, ...],
        options: EkOptions,
    ) -> None:
        super().__init__(domain_spec, problem, planner)
        known = frozenset(random_half(things, "external knowledge", options.knowledge_seed))
        self._ways = tuple(
            (AllowSubstitute(item.kind, role), AddObject(item.name, item.kind, item.facts))
            for item in stock
            for role, kinds in roles.items()
            if item.kind in known and item.kind in kinds
        )

    def without_plan(self, context: Context, got: GotPlan) -> Action:
        here = context.problem.with_state(context.belief.state)
        for way in self._ways:
            if context.knowledge.holds(way[0]) or change_faults(here, way):
                continue
            if (steps := self.steps_to(apply_changes(here, way))) is not None:
                said = (Evidence(interpretation="external knowledge", by=self.name),)
                learnt = tuple(LearntChange(change, said) for change in _new(way, here))
                situation = SituationReport("there is no plan", by=self.name)
                return self.suggest(context, Suggestion(situation, learnt, steps), got.reason)
        return super().without_plan(context, got)


def _new(way: tuple[Change, ...], problem: Problem) -> tuple[Change, ...]:
    """Return the changes without a substitute that is one by its type already."""
    return tuple(
        c
        for c in way
        if not (isinstance(c, AllowSubstitute) and problem.domain.is_a(c.substitute, c.stands_for))
    )
