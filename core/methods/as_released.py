"""DKPROMPT as in its authors' released code, where that differs from the paper's text.

- `inside` and `filled` are read from the simulator's ground truth; `hot` and `cooked` are neither asked nor
  told, so their predictions stand. Only inview, closed, halved, onfloor and ontop are asked of the model.
- Effects of the last step and preconditions of the next one go into one call. If an effect does not match,
  the answers about the preconditions are ignored.
- A thing that is not in the hand after all is at once assumed on the floor and empty, before the answers
  count.
- Missing answers count as agreement: UNKNOWN keeps what was predicted.

It stops after 50 actions, the default of `max_steps`. Not carried over are the domain of that code (a third
way to grasp, which needs no place), its wording, and its own rates of situations; domain and rates are
settings of an episode. On a robot without ground truth, such as a real arm, the predictions of the predicates
that it would be told stand.
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
        description="Predicates read from a sensor, or else from the simulator.",
    )
    assume: tuple[str, ...] = Field(
        default=ASSUMED_PREDICATES,
        title="Assume",
        description="Predicates never asked or read: the prediction stands.",
    )


class AsReleased(DKPrompt):
    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: AsReleasedOptions | None = None
    ) -> None:
        values = (options or AsReleasedOptions()).model_dump()
        known = {predicate.name for predicate in domain_spec.domain.predicates}
        for name in ("sense", "assume"):  # a domain may lack the household's predicates
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
