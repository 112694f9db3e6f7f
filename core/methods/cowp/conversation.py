"""The parts of a conversation with a language model about a situation, and its yes/no questions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace

from core.belief import Verdict
from core.domains import DomainSpec
from core.knowledge.changes import Evidence, Knowledge
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.replies import line_of, read_verdicts, yes_or_no
from core.open_world.prompts import LanguagePrompt, prompt_list
from core.planning_model import Problem, Step
from core.policy import DomainChangeDecided
from core.stock import StockItem

PlanOf = Callable[[Problem], tuple[Step, ...] | None]  # None: there is none
LINES = 40  # questions in one call


@dataclass(frozen=True)
class Conclusion:
    """How a conversation ended. `no_solution` says in a sentence why there is no plan, "" if it stands.

    `changed`: a change was admitted, so the next questions are about a new plan.
    """

    no_solution: str = ""
    changed: bool = False


@dataclass(frozen=True)
class ConversationSetup:
    """The domain, the things at hand and the planner of a conversation."""

    domain_spec: DomainSpec
    stock: tuple[StockItem, ...]
    plan: PlanOf
    purpose: str  # the task as a phrase, such as "serve water"
    skips: frozenset[str]  # actions that the monitor does not ask about
    repair_skill: str = ""
    lists: bool = False  # ask about a list in one call


@dataclass(frozen=True)
class TurnContext:
    """The problem in its present state, the remaining plan, and what was learnt and refused so far."""

    problem: Problem
    steps: tuple[Step, ...]
    knowledge: Knowledge


@dataclass(frozen=True)
class PersonQuestion:
    """A yes/no question to a person, `about` a step, because the model's replies could not be read."""

    text: str
    about: tuple[str, ...] = ()


Request = LanguagePrompt | PersonQuestion | Suggestion
Response = str | Verdict | DomainChangeDecided
Conversation = Generator[Request, Response, Conclusion]
EvidencedVerdict = tuple[Verdict, Evidence]


class YesNoAnswers:
    """The yes/no answers of one conversation about a situation, by prompt."""

    def __init__(self, situation: SituationReport, lists: bool) -> None:
        self._sentence, self._lists = situation.sentence, lists
        self._read: dict[str, EvidencedVerdict] = {}  # by the prompt
        self._final: dict[str, EvidencedVerdict] = {}

    def prepare(self, prompts: Iterable[LanguagePrompt]) -> Generator[Request, Response, None]:
        """Ask these questions in few calls. `answer` repeats alone what the replies leave open."""
        fresh = [p for p in dict.fromkeys(prompts) if p.text not in self._read] if self._lists else []
        for first in range(0, len(fresh), LINES):
            some = fresh[first : first + LINES]
            if len(some) == 1:
                continue
            reply = str((yield prompt_list(some)))
            verdicts = read_verdicts(reply, len(some))
            for number, (asked, verdict) in enumerate(zip(some, verdicts, strict=True), 1):
                said = Evidence(self._sentence, asked.text, line_of(reply, number), verdict.value)
                self._read[asked.text] = verdict, said

    def answer(self, asked: LanguagePrompt) -> Generator[Request, Response, EvidencedVerdict]:
        """Return yes or no with the evidence.

        An unreadable reply is asked for once more, then a person is asked. Without a person it stays
        UNKNOWN, which does not count as yes.
        """
        if asked.text in self._final:
            return self._final[asked.text]
        if asked.text not in self._read:
            self._read[asked.text] = self._said(asked, str((yield asked)))
        verdict, said = self._read[asked.text]
        if verdict is Verdict.UNKNOWN:
            again = asked.once_more()
            verdict, said = self._said(again, str((yield again)))
        if verdict is Verdict.UNKNOWN:
            response = yield PersonQuestion(asked.question, asked.about)
            assert isinstance(response, Verdict), "a question to a person is answered by a verdict"
            if response is not Verdict.UNKNOWN:
                verdict, said = response, replace(said, interpretation=f"{response.value}, by a person")
        self._final[asked.text] = verdict, said
        return verdict, said

    def _said(self, asked: LanguagePrompt, reply: str) -> EvidencedVerdict:
        verdict = yes_or_no(reply)
        return verdict, Evidence(self._sentence, asked.text, reply, verdict.value)
