"""DKPROMPT as its authors' released code runs it, where that differs from the paper's text.

- `inside` and `filled` are told by the simulator's truth; `hot` and `cooked` are neither asked nor told,
  so what was predicted stands. Only inview, closed, halved, onfloor and ontop reach the model.
- Effects of the step just done and preconditions of the next go into one call. Where an effect does not
  match, what was said of the preconditions counts for nothing.
- A thing that is not in the hand after all is assumed on the floor and empty at once, before the answers
  count.
- What is not answered counts as agreement: UNKNOWN keeps what was predicted.

It stops after 50 actions, which is the default of `max_steps`. Not carried over: the domain of that code
(a third way to grasp, which needs no place), its words, and its own rates of situations; domain and rates
are the settings of an episode. Where nobody knows the truth, as on a real arm, what it would be told
stands as predicted.
"""

from __future__ import annotations

from pydantic import Field

from core.belief import Belief, Purpose
from core.domains import DomainSpec, Perception
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.methods.expectations import unmet
from core.methods.skeleton import PerceptionOptions
from core.planning_model import Problem
from core.policy import Context, GotAnswers, GotSenses, Observation

GROUND_TRUTH_PREDICATES, ASSUMED_PREDICATES = ("inside", "filled"), ("hot", "cooked")


class AsReleasedOptions(PerceptionOptions):
    sense: tuple[str, ...] = Field(
        default=GROUND_TRUTH_PREDICATES,
        title="Told",
        description="Predicates read from the robot, or told by the simulator where no sense has them.",
    )
    assume: tuple[str, ...] = Field(
        default=ASSUMED_PREDICATES,
        title="Assume",
        description="Predicates never asked or told: what was predicted stands.",
    )


class AsReleased(DKPrompt):
    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: AsReleasedOptions | None = None
    ) -> None:
        values = (options or AsReleasedOptions()).model_dump()
        known = {predicate.name for predicate in domain_spec.domain.predicates}
        for name in ("sense", "assume"):  # a domain need not have the household's predicates
            values[name] = tuple(
                n
                for n in values[name]
                if n in known or n not in (*GROUND_TRUTH_PREDICATES, *ASSUMED_PREDICATES)
            )
        super().__init__(domain_spec, problem, DKPromptOptions(**values), "as-released")
        own = {n for n in values["sense"] if domain_spec.perception(n) is Perception.SENSE}
        self.ground_truth_predicates = frozenset(values["sense"]) - own

    def update(self, context: Context, observation: Observation) -> Belief:
        belief = super().update(context, observation)
        return self.assume(belief, context.turn) if isinstance(observation, GotSenses) else belief

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        pairs = zip(observation.queries, observation.answers, strict=True)
        effects = tuple(answer for query, answer in pairs if query.purpose is Purpose.EFFECT)
        belief = context.belief.updated_with(effects)
        if unmet(self.checked_effects(context), belief):
            return self.assume(belief, context.turn)
        return super().interpret(context, observation)
