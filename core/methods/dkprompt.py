"""DKPROMPT: the domain's own preconditions and effects become the questions (Zhang et al., section 3.3)."""

from __future__ import annotations

import typing
from collections.abc import Iterator

from pydantic import Field

from core.belief import Belief, Purpose, Query, Verdict
from core.domains import DomainSpec
from core.methods.doubt_unseen import doubt_unseen
from core.methods.expectations import unmet
from core.methods.skeleton import AskInterpretPlan, PerceptionOptions
from core.planning_model import Literal, Problem
from core.policy import Context, GotAnswers
from core.reason import Reason


class DKPromptOptions(PerceptionOptions):
    """Options that the paper leaves open; the defaults follow its text literally."""

    replan_on: typing.Literal["every", "needed"] = Field(
        default="every",
        title="Plan again on",
        description="every effect that stays away (the paper), or only those that the step was done for",
    )
    doubt_unseen: bool = Field(
        default=False,
        title="Doubt what nobody saw",
        description="where a visible effect stays away, doubt what the step needed and was only predicted",
    )


class DKPrompt(AskInterpretPlan):
    """Asks about the effects of the last step and the preconditions of the next one, in one call.

    The robot's report of a step is ignored: a failure must be seen.
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        options: DKPromptOptions | None = None,
        name: str = "dkprompt",
    ) -> None:
        self.name, self.options = name, options or DKPromptOptions()
        super().__init__(domain_spec, problem, self.options)

    def questions(self, context: Context) -> tuple[Query, ...]:
        return self.queries(context, self._wanted(context))

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        belief = super().interpret(context, observation)
        if not self.options.doubt_unseen:
            return belief
        return doubt_unseen(self.domain_spec, self.expectations, context, observation.facts, belief)

    def repair(self, context: Context) -> Reason | None:
        missing = unmet(
            (*self.checked_effects(context), *self.expectations.next_preconditions(context)), context.belief
        )
        return self.discrepancy_reason(context, missing) if missing else None

    def checked_effects(self, context: Context) -> tuple[Literal, ...]:
        """Return the effects of the last step whose absence causes a new plan."""
        every = self.options.replan_on == "every"
        return (
            self.expectations.promised_effects(context)
            if every
            else self.expectations.needed_effects(context)
        )

    def _wanted(self, context: Context) -> Iterator[tuple[Purpose, Literal]]:
        for effect in self.expectations.promised_effects(context):
            yield Purpose.EFFECT, effect
        for condition in self.expectations.next_preconditions(context):
            yield Purpose.PRECONDITION, condition
        for atom in context.belief.uncertain_atoms:
            expected = context.belief.verdict(atom) is Verdict.YES
            yield Purpose.UNCERTAIN, Literal(atom.predicate, atom.args, expected)
