"""Resume conversations where they were left: a cache, so that each reply is read once and not each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

from core.belief import Verdict
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.conversation import (
    Concluded,
    Conversation,
    Heard,
    Household,
    Moment,
    PersonQuestion,
    Wanted,
)
from core.methods.cowp.inquiry import converse
from core.open_world.prompts import Prompt
from core.policy import DomainChangeDecided


class Talks:
    """Holds the latest conversation; any other one is held again from the start. Any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._key: object = None
        self._talk: Conversation | None = None
        self._wanted: Wanted | Concluded = Concluded()

    def resume(
        self,
        house: Household,
        now: Moment,
        situations: Sequence[SituationReport],
        replies: Mapping[str, str],
        refusals: Sequence[DomainChangeDecided],
        verdicts: Mapping[str, Verdict] | None,
    ) -> Wanted | Concluded:
        """Return what is wanted after these replies, by prompt, and refusals; or the conclusion.

        `verdicts` are a person's, by question; None: nobody is there to be asked.
        """
        key = now.problem.digest, now.problem.state, now.steps, tuple(situations)
        refused = {d.suggestion.changes: d for d in refusals if d.suggestion is not None}
        with self._lock:
            if key != self._key or self._talk is None:
                self._key, self._talk = key, converse(house, now, situations)
                self._wanted = _next(self._talk, None)
            while not isinstance(self._wanted, Concluded):
                heard: Heard | None
                match self._wanted:
                    case Prompt(_, text):
                        heard = replies.get(text)
                    case PersonQuestion(text):
                        heard = Verdict.UNKNOWN if verdicts is None else verdicts.get(text)
                    case Suggestion(_, changes):
                        heard = refused.get(changes)
                if heard is None:
                    break
                self._wanted = _next(self._talk, heard)
            return self._wanted


def _next(talk: Conversation, heard: Heard | None) -> Wanted | Concluded:
    try:
        return next(talk) if heard is None else talk.send(heard)
    except StopIteration as ended:
        conclusion: Concluded = ended.value
        return conclusion
