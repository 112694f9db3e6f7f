"""An answerer that asks a model: builds the messages, reads the reply, asks once more if it must."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from core.asking.calibration import Calibration
from core.asking.confidence import raw_confidence
from core.asking.prompt import Prompt, messages
from core.asking.replies import aligned, read_answers
from core.asking.sizes import sized
from core.cancel import Cancel
from core.facts import Answer, Query, Verdict
from core.ports import Call, Frame, Model

NONE: Mapping[str, Calibration] = MappingProxyType({})
AGAIN = "\n--- asked again, in a stricter form ---\n"
NEXT = "\n--- next question ---\n"


class ModelAnswerer:
    """Stands on any `Model`. A prompt of style "single" makes one call of the model for each question."""

    def __init__(
        self,
        model: Model,
        prompt: Prompt,
        calibrated: Mapping[str, Calibration] = NONE,
        side: int | None = None,
    ) -> None:
        """`calibrated` by the name that a reply gives its model; without one, confidence stays raw. `side`
        in pixels, None: pictures as they are."""
        self._model, self._prompt, self._calibrated, self._side = model, prompt, calibrated, side
        self._label = prompt.label if side is None else f"{prompt.label}, {side} px"

    @property
    def model(self) -> Model:
        return self._model

    @property
    def prompt(self) -> Prompt:
        return self._prompt

    @property
    def name(self) -> str:
        return self._model.name

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        """Raises AnswererError when the model stays away, Cancelled."""
        if not queries:
            return Call((), by=self.name, prompt=self._label)
        if self._prompt.style != "single":
            return self._call(frame, queries, turn, cancel)
        calls = [self._call(frame, [query], turn, cancel) for query in queries]
        return together(calls, self.name, self._label, NEXT)

    def close(self) -> None:
        """Let go of the model's thread and connections, where it has any. Idempotent."""
        if close := getattr(self._model, "close", None):
            close()

    def _call(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        first = self._ask(frame, queries, turn, cancel, stricter=False)
        if aligned(first.said, len(queries)):
            return first
        second = self._ask(frame, queries, turn, cancel, stricter=True)
        both = together([first, second], self.name, self._label, AGAIN)
        return replace(both, answers=second.answers, confidences=second.confidences)

    def _ask(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel, stricter: bool) -> Call:
        texts = [query.text for query in queries]
        pictures = [sized(frame.png, self._side)] if frame.png else []
        reply = self._model.ask(messages(self._prompt, texts, stricter), pictures, cancel)
        by = reply.model or self.name
        raw = raw_confidence(reply.tokens, len(queries)) if reply.tokens else ()
        answers = read_answers(reply.text, queries, turn, frame.id, by)
        return Call(
            answers=self._sure(answers, raw, by),
            said=reply.text,
            by=by,
            seconds=reply.seconds,
            tokens=reply.tokens_in + reply.tokens_out,
            cost=reply.cost,
            prompt=self._label,
            confidences=raw,
        )

    def _sure(
        self, answers: tuple[Answer, ...], raw: tuple[float | None, ...], by: str
    ) -> tuple[Answer, ...]:
        """With calibrated confidences, where there is a calibration."""
        if not raw or (calibration := self._calibrated.get(by)) is None:
            return answers
        return tuple(
            answer
            if share is None or answer.verdict is Verdict.UNKNOWN
            else replace(answer, confidence=calibration.sure(answer.atom.predicate, share))
            for answer, share in zip(answers, raw, strict=True)
        )


def together(calls: Sequence[Call], by: str, prompt: str, between: str) -> Call:
    """Several calls as one: all that was said, and what it took; the cost is None if any is not known."""
    costs = [call.cost for call in calls]
    return Call(
        answers=tuple(answer for call in calls for answer in call.answers),
        said=between.join(call.said for call in calls),
        by=calls[-1].by if calls else by,
        seconds=sum(call.seconds for call in calls),
        tokens=sum(call.tokens for call in calls),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        prompt=prompt,
        confidences=tuple(share for call in calls for share in call.confidences),
    )
