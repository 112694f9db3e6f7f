"""A vote of several answerers, which should come from different model families.

In ViPlan's logs 17 models together were worth only 2.5 to 3.6 independent voters, so a vote of related models
is hardly better than one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.belief import Answer, BeliefSource, Query, Verdict
from core.closing import close_part
from core.domains import DomainSpec
from core.errors import AnswererError, BadValue
from core.planning_model import Problem
from core.ports import Answerer, Frame, ModelCall, TellsGaps, all_unknown
from core.stop_token import StopToken
from core.vqa.answerers.model_answerer import merge_calls
from core.vqa.budget import BudgetExceeded


class VoteAnswerer:
    """Yes or no if more than half of ALL voters say so; a skip or a failure supports neither.

    `raw_reply` holds the complete reply of each. Raises AnswererError if no voter could be reached; where
    none of those that could has answered, that is the call's `error`.
    """

    def __init__(self, answerers: Sequence[Answerer]) -> None:
        if not answerers:
            raise BadValue("A vote has no voters: name at least one answerer, joined by '+'.")
        self._answerers = tuple(answerers)

    @property
    def name(self) -> str:
        return "+".join(answerer.name for answerer in self._answerers)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        calls: list[ModelCall] = []
        absent: list[AnswererError] = []
        for answerer in self._answerers:
            try:
                call = answerer.answer(frame, queries, turn, cancel)
            except BudgetExceeded:  # the budget is shared, and half a vote is none
                raise
            except AnswererError as error:
                absent.append(error)
                silent, said = all_unknown(queries, turn, frame.id, str(error)), str(error)
                call = ModelCall(silent, said, answerer.name, error=said)
            calls.append(replace(call, raw_reply=f"[{answerer.name}] {call.raw_reply}"))
        if len(absent) == len(calls):
            raise absent[0]
        answers = tuple(
            self._majority(query, [call.answers[place] for call in calls], turn, frame.id)
            for place, query in enumerate(queries)
        )
        all_calls = merge_calls(calls, self.name, calls[0].prompt, "\n")
        return replace(all_calls, answers=answers, by=self.name, confidences=())

    def gaps(self, domain_spec: DomainSpec, problem: Problem, robot: str, method: str, pictures: bool) -> str:
        """Return what no voter can answer (`core.ports.TellsGaps`)."""
        told = [
            voter.gaps(domain_spec, problem, robot, method, pictures) if isinstance(voter, TellsGaps) else ""
            for voter in self._answerers
        ]
        return told[0] if all(told) else ""

    def close(self) -> None:
        for answerer in self._answerers:
            close_part(answerer)

    def _majority(self, query: Query, votes: Sequence[Answer], turn: int, frame: str) -> Answer:
        verdicts = [vote.verdict for vote in votes]
        majority = [v for v in (Verdict.YES, Verdict.NO) if verdicts.count(v) * 2 > len(votes)]
        said = "; ".join(f"{vote.by}: {query.text_verdict(vote.verdict).value}" for vote in votes)
        verdict = majority[0] if majority else Verdict.UNKNOWN
        return Answer(query.atom, verdict, BeliefSource.MODEL, said, turn, frame, self.name)
