"""The semantics of any domain as a true world, with the situations and rules that its files define."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from core.belief import Atom
from core.domains import DomainSpec, Situation, Task
from core.planning import semantics
from core.planning.outcomes import OutcomeModel, scaled_situations
from core.planning.same_skill import SameSkill
from core.planning_model import Step
from robots.stochastic import sample, select


@dataclass(frozen=True)
class SymbolicTransition:
    """What truly happened in a step; `failure` is the reason if the step could not even begin."""

    step: Step
    before: frozenset[Atom]
    after: frozenset[Atom]
    situation: str = ""
    failure: str = ""
    replaces_effect: bool = False  # True if the situation occurred instead of the action's effects


class SymbolicWorld:
    """Simulates one episode. A step that is not applicable fails and changes nothing. Not thread-safe.

    A skill gets only the arguments that the folder says it takes; the planner's are as they truly are
    (`SameSkill`). The world is the task's world model if there is one, and knows nothing of what the agent
    assumes. Raises BadValue (openness or rates out of range) and UnknownName (a rate for an unknown
    situation).
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        task: Task,
        *,
        seed: int = 0,
        openness: float = 1.0,
        rates: Mapping[str, float] | None = None,
    ) -> None:
        self.problem = task.simulated_problem
        self.state = self.problem.state
        self._seed = seed
        self._attempts: Counter[Step] = Counter()
        situations = scaled_situations(domain_spec, openness, rates)
        self._skills = SameSkill(domain_spec, self.problem)
        self._model = OutcomeModel(self.problem, domain_spec.world_rules, situations)

    def unmet_preconditions(self, step: Step) -> tuple[str, ...]:
        """Return why the step is not applicable now; empty if it is, or one that is the same to the robot."""
        if self._skills.as_possible(self.state, step) is not None:
            return ()
        return semantics.inapplicable_reasons(self.problem, self.state, step)

    def do(self, step: Step) -> SymbolicTransition:
        before = self.state
        possible = self._skills.as_possible(before, step)
        if possible is None:
            failure = "; ".join(semantics.inapplicable_reasons(self.problem, before, step))
            return SymbolicTransition(step, before, before, failure=failure)
        situation = self._sample_situation(possible)
        self.state = self._model.state_after(before, possible, situation)
        if situation is None:
            return SymbolicTransition(step, before, self.state)
        return SymbolicTransition(
            step, before, self.state, situation.name, replaces_effect=not situation.in_addition
        )

    def _sample_situation(self, step: Step) -> Situation | None:
        uniform = sample(self._seed, str(step), self._attempts[step])
        self._attempts[step] += 1
        situation = select(self._model.situations.get(step.name, ()), uniform)
        return situation if situation and self._model.can_happen(self.state, step, situation) else None


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can.

    Without a world model of its own, the robot runs the task's own problem, which it always supports. Only a
    separate world model may lack something.
    """
    domain, world = task.problem.domain, task.simulated_problem.domain
    predicates = {p.name: len(p.parameters) for p in world.predicates}
    actions = {a.name: len(a.parameters) for a in world.actions}
    missing = [
        f"predicate {p.name}"
        for p in domain.predicates
        if predicates.get(p.name) != len(p.parameters) and p.name not in domain_spec.bookkeeping
    ]
    missing += [f"action {a.name}" for a in domain.actions if actions.get(a.name) != len(a.parameters)]
    return tuple(
        f"Task {task.name}: its world has no {name} of this kind; add it to the world's domain file."
        for name in missing
    )
