"""Steps that are one and the same to the robot.

To a robot a grasp is the same wherever the thing stands: the arguments that only the planner uses (those that
`arguments` in domain.toml leaves out) are as the state has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.belief import Atom
from core.domains import DomainSpec
from core.planning import semantics
from core.planning.remembered import remembered
from core.planning_model import Problem, Step
from core.work import combinations


class SameSkill:
    """What the skills of a domain folder make of the steps of a problem. Pure; it keeps what it has found."""

    def __init__(self, domain_spec: DomainSpec, problem: Problem) -> None:
        self._spec, self._problem = domain_spec, problem
        self._actions = {action.name: action for action in problem.domain.actions}

    def as_possible(self, state: frozenset[Atom], step: Step) -> Step | None:
        """Return the step as it is possible in this state: itself, or one that is the same; else None."""
        if self._applies(state, step):
            return step
        return next((other for other in self.same_to_robot(step) if self._applies(state, other)), None)

    @remembered
    def same_to_robot(self, step: Step) -> tuple[Step, ...]:
        """Return the other steps that differ from this one in the planner's arguments only."""
        return () if self._problem.step_faults(step) else tuple(self._others(step))

    def _others(self, step: Step) -> Iterator[Step]:
        skill, mine = self._spec.skills.get(step.name), self._spec.relevant_args(step)
        for name, known in self._spec.skills.items():
            if skill is None or known.skill != skill.skill or known.argument_positions is None:
                continue
            for other in self.ground_steps(name, dict(zip(known.argument_positions, mine, strict=False))):
                if other != step and self._spec.relevant_args(other) == mine:
                    yield other

    def ground_steps(self, action: str, given: Mapping[int, str]) -> Iterator[Step]:
        """Yield the steps of an action with these arguments, by position, applicable or not.

        Raises TooMuchWork, Cancelled.
        """
        if action not in self._actions:
            return
        parameters = self._actions[action].parameters
        choices = [
            (given[n],) if n in given else self._problem.of_type(p.type) for n, p in enumerate(parameters)
        ]
        for args in combinations(choices):
            if not self._problem.step_faults(step := Step(action, args)):
                yield step

    def _applies(self, state: frozenset[Atom], step: Step) -> bool:
        return semantics.is_applicable(self._problem, state, step)
