"""Resume conversations where they stopped, so that each reply is read only once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

from core.belief import Verdict
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.conversation import (
    Conclusion,
    Conversation,
    ConversationSetup,
    PersonQuestion,
    Request,
    Response,
    TurnContext,
)
from core.methods.cowp.inquiry import converse
from core.open_world.prompts import LanguagePrompt
from core.policy import DomainChangeDecided


class ConversationCache:
    """Keeps the latest conversation; any other one is repeated from the start. Any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._key: object = None
        self._conversation: Conversation | None = None
        self._pending: Request | Conclusion = Conclusion()

    def resume(
        self,
        setup: ConversationSetup,
        turn: TurnContext,
        situations: Sequence[SituationReport],
        replies: Mapping[str, str],
        refusals: Sequence[DomainChangeDecided],
        verdicts: Mapping[str, Verdict] | None,
    ) -> Request | Conclusion:
        """Return the next request after these replies (by prompt) and refusals, or the conclusion.

        `verdicts` are a person's, by question; None if there is no person to ask.
        """
        key = turn.problem.digest, turn.problem.state, turn.steps, tuple(situations)
        refused = {d.suggestion.changes: d for d in refusals if d.suggestion is not None}
        with self._lock:
            if key != self._key or self._conversation is None:
                self._key, self._conversation = key, converse(setup, turn, situations)
                self._pending = _next(self._conversation, None)
            while not isinstance(self._pending, Conclusion):
                response: Response | None
                match self._pending:
                    case LanguagePrompt(_, text):
                        response = replies.get(text)
                    case PersonQuestion(text):
                        response = Verdict.UNKNOWN if verdicts is None else verdicts.get(text)
                    case Suggestion(_, changes):
                        response = refused.get(changes)
                if response is None:
                    break
                self._pending = _next(self._conversation, response)
            return self._pending


def _next(conversation: Conversation, response: Response | None) -> Request | Conclusion:
    try:
        return next(conversation) if response is None else conversation.send(response)
    except StopIteration as ended:
        conclusion: Conclusion = ended.value
        return conclusion
