"""Count what a model left unanswered, so that an episode neither goes on nor claims its goal on silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.belief import Answer, Atom, BeliefSource, Query, Verdict
from core.planning_model import Literal
from core.policy import Context
from core.text.plural import plural

LIMIT = 3  # calls in a row without an answer, after which a person is asked or the episode ends
CONFIRMS = (BeliefSource.MODEL, BeliefSource.SENSOR, BeliefSource.OPERATOR)


@dataclass
class Unanswered:
    """What became of the calls and the questions of an episode. Loop's thread only."""

    in_a_row: int = 0  # calls that failed since one was answered, or since a person went on
    answered: bool = False  # a call ever was
    cause: str = ""  # of the last call that failed
    asked: int = 0  # questions to a model
    decided: bool = False  # one of them was ever answered with yes or no, by whomever
    left_open: dict[Atom, Query] = field(default_factory=dict)  # by failed calls

    def count_call(self, error: str) -> None:
        """Count a call to a model; `error` says why it gave no answer, "" if it did."""
        self.in_a_row = self.in_a_row + 1 if error else 0
        self.answered |= not error
        self.cause = error or self.cause

    def count_answers(self, queries: Sequence[Query], answers: Sequence[Answer], error: str) -> None:
        """Count the questions of a call with the answers that count after a person's review."""
        self.asked += len(queries)
        for query, answer in zip(queries, answers, strict=True):
            unknown = answer.verdict is Verdict.UNKNOWN
            self.decided |= not unknown
            if error and unknown:
                self.left_open[query.atom] = query
            else:
                self.left_open.pop(query.atom, None)

    @property
    def too_often(self) -> str:
        """Return in one sentence that the model does not answer, "" while it may yet."""
        if self.in_a_row < LIMIT:
            return ""
        how = f"has not answered {self.in_a_row} times in a row" if self.answered else "never answered"
        return f"The model {how}: {self.cause}"

    def open_queries(self, context: Context) -> tuple[Query, ...]:
        """Return the questions about the goal that failed calls left open, and nothing has settled since."""
        goal = {literal.atom for literal in context.problem.goal}
        queries = (self.left_open[atom] for atom in sorted(goal & self.left_open.keys()))
        return tuple(q for q in queries if context.belief.source(q.atom) not in CONFIRMS)

    def claim_fault(self, context: Context) -> str:
        """Return why the goal cannot be claimed: nobody answered anything, and nothing else shows it."""
        if not self.asked or self.decided or _is_confirmed(context, context.problem.goal):
            return ""
        asked = plural(self.asked, "question")
        cause = f" {self.cause}" if self.cause else ""
        return (
            f"The goal is believed on predictions alone: of {asked} none was answered with yes or no.{cause} "
            "Look for yourself and correct the belief, or end the episode."
        )


def _is_confirmed(context: Context, goal: Sequence[Literal]) -> bool:
    return any(context.belief.source(literal.atom) in CONFIRMS for literal in goal)
