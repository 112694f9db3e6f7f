"""List what a step promised and what the next one needs, as literals. Pure; the tables are caches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from core.belief import Atom, Belief
from core.planning import semantics
from core.planning_model import EQUALS, Literal, Problem, Step
from core.policy import Context

State = frozenset[Atom]


class Expectations:
    """Expectations for the domain and objects of one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self.preconditions = lru_cache(maxsize=None)(self._preconditions)
        self.effects = lru_cache(maxsize=20_000)(self._effects)
        # Predicates that an action achieves unconditionally, so that repeating it can achieve them.
        self.direct_effects = frozenset(
            effect.literal.predicate
            for action in problem.domain.actions
            for effect in action.effects
            if effect.literal.positive and not effect.condition
        )

    def _preconditions(self, step: Step) -> tuple[Literal, ...]:
        """Return the preconditions that can be believed; comparisons of objects are left out."""
        conditions = semantics.preconditions(self._problem, step)
        return tuple(c for c in conditions if c.predicate != EQUALS)

    def _effects(self, state: State, step: Step) -> tuple[Literal, ...]:
        """Return the effects of the step that change this state."""
        after = semantics.apply(self._problem, state, step)
        added = (Literal(a.predicate, a.args) for a in sorted(after - state))
        gone = (Literal(a.predicate, a.args, False) for a in sorted(state - after))
        return (*added, *gone)

    def next_preconditions(self, context: Context) -> tuple[Literal, ...]:
        """Return the preconditions of the next step of the plan."""
        return self.preconditions(context.plan[0]) if context.plan else ()

    def promised_effects(self, context: Context) -> tuple[Literal, ...]:
        """Return the effects of the last step that change the belief before it; none after a new plan."""
        if context.last_step is None or context.belief_before is None or context.replanned:
            return ()
        return self.effects(context.belief_before.state, context.last_step.step)

    def needed_effects(self, context: Context) -> tuple[Literal, ...]:
        """Return the purpose of the last step: its new facts, and removed facts that the plan needs gone."""
        needed = {*self._problem.goal, *(p for step in context.plan for p in self.preconditions(step))}
        return tuple(e for e in self.promised_effects(context) if e.positive or e in needed)


def unmet(literals: Sequence[Literal], belief: Belief) -> tuple[Literal, ...]:
    """Return the literals that are not believed, each once."""
    state = belief.state
    return tuple(dict.fromkeys(e for e in literals if (e.atom in state) != e.positive))
