"""An answerer that asks a model: build the messages, read the reply, ask once more if necessary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from core.belief import Answer, Query, Verdict
from core.closing import close_part
from core.pictures import resize_png
from core.ports import Frame, Model, ModelCall, Reply, ReplyToken, SilentReply, all_unknown
from core.stop_token import StopToken
from core.text.plural import plural
from core.vqa.calibration import ConfidenceCalibration
from core.vqa.prompt import Prompt, build_messages
from core.vqa.replies.answer_lexicon import word_verdict
from core.vqa.replies.reply_parser import count_matches, parse_answers, shorten

NO_CALIBRATIONS: Mapping[str, ConfidenceCalibration] = MappingProxyType({})
RETRY_SEPARATOR = "\n--- asked again, in a stricter form ---\n"
QUESTION_SEPARATOR = "\n--- next question ---\n"
MAX_QUOTED = 120  # characters of a reply in a sentence


class ModelAnswerer:
    """An answerer on top of any `Model`. With a prompt of style "single" it makes one call per question."""

    def __init__(
        self,
        model: Model,
        prompt: Prompt,
        calibrations: Mapping[str, ConfidenceCalibration] = NO_CALIBRATIONS,
        picture_size: int | None = None,
        free_model: Model | None = None,
    ) -> None:
        """`calibrations` are keyed by the model's name in a reply; without one, confidences stay raw.

        `picture_size` is in pixels; None sends pictures as they are. `free_model` is for requests other than
        questions, where `model` replies in the form of answers only.
        """
        self._free_model = free_model or model
        self._model, self._prompt, self._calibrations, self._picture_size = (
            model,
            prompt,
            calibrations,
            picture_size,
        )
        self._called = model.name  # until a reply tells it more exactly
        self._label = prompt.label if picture_size is None else f"{prompt.label}, {picture_size} px"

    @property
    def model(self) -> Model:
        """Return the model for other requests than questions, which replies in any form."""
        return self._free_model

    @property
    def prompt(self) -> Prompt:
        return self._prompt

    @property
    def name(self) -> str:
        return self._model.name

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        """Ask the model. A reply that holds no answer is an `error`, with what came beside it.

        Raises Cancelled, and AnswererError if it cannot be reached.
        """
        if not queries:
            return ModelCall((), by=self.name, prompt=self._label)
        if self._prompt.style != "single":
            return self._call(frame, queries, turn, cancel)
        calls = [self._call(frame, [query], turn, cancel) for query in queries]
        return merge_calls(calls, self.name, self._label, QUESTION_SEPARATOR)

    def close(self) -> None:
        """Close the model's thread and connections, if it has any. Idempotent."""
        for model in (self._model, self._free_model):
            close_part(model)

    def _call(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        first = self._ask(frame, queries, turn, cancel, stricter=False)
        if not first.error:
            return first
        second = self._ask(frame, queries, turn, cancel, stricter=True)
        both = merge_calls([first, second], self.name, self._label, RETRY_SEPARATOR)
        return replace(both, answers=second.answers, confidences=second.confidences, error=second.error)

    def _ask(
        self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken, stricter: bool
    ) -> ModelCall:
        texts = [query.text for query in queries]
        pictures = [resize_png(frame.png, self._picture_size)] if frame.png else []
        try:
            reply, error = (
                self._model.ask(build_messages(self._prompt, texts, stricter), pictures, cancel),
                "",
            )
        except SilentReply as silent:
            reply, error = silent.reply, str(silent)
        by = self._called = reply.model or self._called
        raw: tuple[float | None, ...] = ()
        if not error and not count_matches(reply.text, len(queries)):
            error = _unreadable(by, reply, len(queries))
        if error:
            unknown = all_unknown(queries, turn, frame.id, shorten(reply.text))
            answers = tuple(replace(answer, by=by) for answer in unknown)
        else:
            raw = raw_confidence(reply.tokens, len(queries)) if reply.tokens else ()
            parsed = parse_answers(reply.text, queries, turn, frame.id, by)
            answers = self._with_confidences(parsed, raw, by)
        return ModelCall(
            answers=answers,
            raw_reply=reply.text,
            by=by,
            seconds=reply.seconds,
            tokens=reply.tokens_in + reply.tokens_out,
            cost=reply.cost,
            prompt=self._label,
            confidences=raw,
            error=error,
            finish_reason=reply.finish_reason,
            reasoning=reply.reasoning,
        )

    def _with_confidences(
        self, answers: tuple[Answer, ...], raw: tuple[float | None, ...], by: str
    ) -> tuple[Answer, ...]:
        """Return the answers with calibrated confidences, if there is a calibration."""
        if not raw or (calibration := self._calibrations.get(by)) is None:
            return answers
        return tuple(
            answer
            if share is None or answer.verdict is Verdict.UNKNOWN
            else replace(answer, confidence=calibration.probability(answer.atom.predicate, share))
            for answer, share in zip(answers, raw, strict=True)
        )


def _unreadable(name: str, reply: Reply, count: int) -> str:
    said = " ".join(reply.text.split())
    said = said if len(said) <= MAX_QUOTED else f"{said[:MAX_QUOTED]}…"
    return (
        f"{name} said what cannot be read as {plural(count, 'answer')} ({said!r}): "
        "try the prompt structured, or a larger model."
    )


def merge_calls(calls: Sequence[ModelCall], by: str, prompt: str, separator: str) -> ModelCall:
    """Merge calls into one: cost None if any is unknown, an error only if every call has one."""
    costs = [call.cost for call in calls]
    return ModelCall(
        answers=tuple(answer for call in calls for answer in call.answers),
        raw_reply=separator.join(call.raw_reply for call in calls),
        by=calls[-1].by if calls else by,
        seconds=sum(call.seconds for call in calls),
        tokens=sum(call.tokens for call in calls),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        prompt=prompt,
        confidences=tuple(share for call in calls for share in call.confidences),
        error=calls[-1].error if calls and all(call.error for call in calls) else "",
        finish_reason=calls[-1].finish_reason if calls else "",
        reasoning=calls[-1].reasoning if calls else "",
    )


def raw_confidence(tokens: Sequence[ReplyToken], count: int) -> tuple[float | None, ...]:
    """Return for each of `count` answers the probability of its verdict among yes, no and skip, 0..1.

    All are None unless the reply has exactly `count` answer words.
    """
    places = [token for token in tokens if _verdict_of(token.text) is not None]
    if len(places) != count:
        return (None,) * count
    return tuple(_share(token) for token in places)


def _share(token: ReplyToken) -> float:
    said = _verdict_of(token.text)
    listed = dict(token.alternatives) | {token.text: token.logprob}
    weights = [(_verdict_of(text), math.exp(min(0.0, logprob))) for text, logprob in listed.items()]
    mine = sum(weight for verdict, weight in weights if verdict is said)
    total = sum(weight for verdict, weight in weights if verdict is not None)
    return mine / total if total else 0.0


def _verdict_of(text: str) -> Verdict | None:
    return word_verdict(text.lower())
