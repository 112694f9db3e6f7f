"""What a conversation with a language model about a situation is made of, and its yes/no questions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace

from core.belief import Verdict
from core.domains import DomainSpec
from core.knowledge.changes import Evidence, Knowledge
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.replies import line_of, yes_or_no
from core.open_world.prompts import Prompt, prompt_list
from core.planning_model import Problem, Step
from core.policy import DomainChangeDecided
from core.ports import StockItem
from core.vqa.replies.reply_parser import parse_verdicts

PlanOf = Callable[[Problem], tuple[Step, ...] | None]  # None: there is none
LINES = 40  # questions in one call


@dataclass(frozen=True)
class Concluded:
    """How a conversation ended: `no_solution` says in a sentence why there is no plan; without, it stands.

    `changed`: a change was admitted, so that there is a new plan to ask about.
    """

    no_solution: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Household:
    """What a conversation is held with: words, things at hand, and a planner."""

    folder: DomainSpec
    stock: tuple[StockItem, ...]
    plan: PlanOf
    purpose: str  # of the task, in words
    skips: frozenset[str]  # actions that the monitor does not ask about
    repair_skill: str = ""
    lists: bool = False  # ask about a list in one call


@dataclass(frozen=True)
class Moment:
    """The problem from now on, the remaining plan, and what was learnt and refused so far."""

    problem: Problem
    steps: tuple[Step, ...]
    knowledge: Knowledge


@dataclass(frozen=True)
class PersonQuestion:
    """A yes/no question to a person, `about` a step: the model's replies to it were no answers."""

    text: str
    about: tuple[str, ...] = ()


Wanted = Prompt | PersonQuestion | Suggestion
Heard = str | Verdict | DomainChangeDecided
Conversation = Generator[Wanted, Heard, Concluded]
Judged = tuple[Verdict, Evidence]


class Answers:
    """The yes/no answers of one conversation about a sentence, by the prompts that they answer."""

    def __init__(self, situation: SituationReport, lists: bool) -> None:
        self._sentence, self._lists = situation.sentence, lists
        self._read: dict[str, Judged] = {}  # by the prompt
        self._final: dict[str, Judged] = {}

    def prepare(self, prompts: Iterable[Prompt]) -> Generator[Wanted, Heard, None]:
        """Ask these questions in few calls; what the replies leave open, `answer` asks alone."""
        fresh = [p for p in dict.fromkeys(prompts) if p.text not in self._read] if self._lists else []
        for first in range(0, len(fresh), LINES):
            some = fresh[first : first + LINES]
            if len(some) == 1:
                continue
            reply = str((yield prompt_list(some)))
            verdicts = parse_verdicts(reply, len(some))
            for number, (asked, verdict) in enumerate(zip(some, verdicts, strict=True), 1):
                said = Evidence(self._sentence, asked.text, line_of(reply, number), verdict.value)
                self._read[asked.text] = verdict, said

    def answer(self, asked: Prompt) -> Generator[Wanted, Heard, Judged]:
        """Return yes or no with the evidence.

        What cannot be read is asked once more, and then of a person. It stays UNKNOWN, which is no yes, if
        nobody is there.
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
            heard = yield PersonQuestion(asked.question, asked.about)
            assert isinstance(heard, Verdict), "a question to a person is answered by a verdict"
            if heard is not Verdict.UNKNOWN:
                verdict, said = heard, replace(said, interpretation=f"{heard.value}, by a person")
        self._final[asked.text] = verdict, said
        return verdict, said

    def _said(self, asked: Prompt, reply: str) -> Judged:
        verdict = yes_or_no(reply)
        return verdict, Evidence(self._sentence, asked.text, reply, verdict.value)
