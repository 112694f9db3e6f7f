"""Answers from an episode's log, to run it again without its model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.belief import Answer, Atom, Query
from core.cancel import Cancel
from core.events import AnswersReceived
from core.ports import Frame, ModelCall, all_unknown

MISSING = "the recording has no answer to this question about this picture"


class RecordedAnswerer:
    """Returns the logged answer about the same atom in the same picture, if possible from the same turn.

    Everything else is UNKNOWN, and `raw_reply` says why.
    """

    def __init__(self, events: Iterable[AnswersReceived], name: str = "recorded") -> None:
        self.name = name
        self._answers: dict[tuple[str, Atom], dict[int, Answer]] = {}
        for event in events:
            for answer in event.call.answers:
                self._answers.setdefault((event.frame, answer.atom), {})[event.turn] = answer

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> ModelCall:
        cancel.check()
        missing = all_unknown(queries, turn, frame.id, MISSING)
        answers = tuple(
            self._find(frame.id, query.atom, turn) or unknown
            for query, unknown in zip(queries, missing, strict=True)
        )
        return ModelCall(answers, "\n".join(dict.fromkeys(answer.raw_reply for answer in answers)), self.name)

    def _find(self, frame: str, atom: Atom, turn: int) -> Answer | None:
        """Return the answer of this turn, else the latest one before it, else the earliest one after it."""
        turns = self._answers.get((frame, atom))
        if not turns:
            return None
        earlier = [known for known in turns if known <= turn]
        return replace(turns[max(earlier) if earlier else min(turns)], turn=turn)
