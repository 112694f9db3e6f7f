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

from core.domains import Folder, Perception
from core.facts import Belief, Purpose
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.methods.expectations import unmet
from core.methods.skeleton import PerceptionOptions
from core.policy import Context, GotAnswers, GotSenses, Observation
from core.problem import Problem

TOLD, SKIPPED = ("inside", "filled"), ("hot", "cooked")


class AsReleasedOptions(PerceptionOptions):
    sense: tuple[str, ...] = Field(
        default=TOLD,
        title="Told",
        description="Predicates read from the robot, or told by the simulator where no sense has them.",
    )
    assume: tuple[str, ...] = Field(
        default=SKIPPED,
        title="Assume",
        description="Predicates never asked or told: what was predicted stands.",
    )


class AsReleased(DKPrompt):
    def __init__(self, folder: Folder, problem: Problem, options: AsReleasedOptions | None = None) -> None:
        values = (options or AsReleasedOptions()).model_dump()
        known = {predicate.name for predicate in folder.domain.predicates}
        for name in ("sense", "assume"):  # a domain need not have the household's predicates
            values[name] = tuple(n for n in values[name] if n in known or n not in (*TOLD, *SKIPPED))
        super().__init__(folder, problem, DKPromptOptions(**values), "as-released")
        own = {n for n in values["sense"] if folder.perception(n) is Perception.SENSE}
        self.from_truth = frozenset(values["sense"]) - own

    def update(self, context: Context, seen: Observation) -> Belief:
        belief = super().update(context, seen)
        return self.assume(belief, context.turn) if isinstance(seen, GotSenses) else belief

    def interpret(self, context: Context, seen: GotAnswers) -> Belief:
        pairs = zip(seen.queries, seen.answers, strict=True)
        effects = tuple(answer for query, answer in pairs if query.purpose is Purpose.EFFECT)
        belief = context.belief.told(effects)
        if unmet(self.effects(context), belief):
            return self.assume(belief, context.turn)
        return super().interpret(context, seen)
