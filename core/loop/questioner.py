"""Ask questions in an episode: one call to the answerer or the language model, and a person's review."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Protocol

from core import events as ev
from core.belief import Answer, Contradiction, Query, QueryTopic
from core.cancel import Cancel
from core.errors import AnswererError
from core.loop.ground_truth import judged
from core.operator import Addressee, AnswerReview, Operator
from core.policy import AskModel, AskQuestions, Context, GotAnswers, GotReply, InterpretsReplies, Policy
from core.ports import Answerer, Frame, Model, ModelCall, Robot, all_unknown

Events = Generator[ev.Event, None, tuple[GotAnswers, tuple[Contradiction, ...], tuple[Answer, ...]]]


class ConsistencyCheck(Protocol):
    """Finds contradictions: answers against expectations, facts that exclude each other. Pure."""

    def contradictions(self, context: Context, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
        """Return the contradictions; `context` is the one before the answers count."""
        ...


class Questioner:
    """Sends a policy's questions to their addressee. Belongs to the loop's thread."""

    def __init__(
        self,
        answerer: Answerer,
        model: Model | None,
        operator: Operator,
        consistency: ConsistencyCheck | None,
        robot: Robot,
        cancel: Cancel,
    ) -> None:
        self._answerer, self._model, self._operator = answerer, model, operator
        self._consistency, self._robot, self._cancel = consistency, robot, cancel

    @property
    def model_name(self) -> str:
        return self._model.name if self._model is not None else ""

    def ask(self, context: Context, frame: Frame, action: AskQuestions) -> Events:
        """Return the answers that count, what they contradict, and the model's answers to the same queries.

        Raises Cancelled, and AnswererError if the model is unavailable and nobody is there to answer instead.
        """
        queries = action.queries
        if not queries:
            return GotAnswers((), (), action.addressee), (), ()
        yield ev.QuestionsAsked(context.turn, frame.id, queries, action.addressee)
        facts = self._ground_truth(queries)
        call = self._ask_answerer(context, frame, action)
        if call.error:
            yield ev.Notice("fault", call.error)
        yield ev.AnswersReceived(context.turn, frame.id, call)
        if facts:
            yield ev.GroundTruthRecorded(context.turn, frame.id, facts)
        found = self._contradictions(context, queries, call.answers)
        review = AnswerReview(
            context.turn,
            frame,
            queries,
            call.answers,
            context.belief,
            found,
            call.error,
            action.addressee,
            action.wait_seconds,
        )
        accepted = self._operator.review(review)
        self._cancel.check()
        reviewed = accepted is not call.answers
        if reviewed:
            yield ev.AnswersReviewed(context.turn, accepted)
            found = self._contradictions(context, queries, accepted)
        return GotAnswers(queries, accepted, action.addressee, reviewed), found, call.answers

    def consult(
        self, context: Context, frame: Frame, action: AskModel, policy: Policy
    ) -> Generator[ev.Event, None, GotReply]:
        """Return the language model's reply, or why there is none. Raises Cancelled."""
        pictures = (frame.png,) if action.with_picture and frame.png else ()
        text, by, error, seconds, tokens, cost = "", "", "", 0.0, 0, None
        if self._model is None:
            error = f"The method {policy.name} asks a language model, and none is chosen: name one."
        else:
            by = self._model.name
            try:
                reply = self._model.ask(action.messages, pictures, self._cancel)
                text, seconds, cost = reply.text, reply.seconds, reply.cost
                tokens = reply.tokens_in + reply.tokens_out
            except AnswererError as fault:
                error = str(fault)
        got = GotReply(action.purpose, text, error, action.messages[-1].text if action.messages else "")
        read = policy.interpret_reply(got) if isinstance(policy, InterpretsReplies) and not error else ""
        shown = frame.id if pictures else ""
        yield ev.ModelConsulted(
            context.turn,
            action.purpose,
            action.messages,
            shown,
            text,
            read,
            by,
            seconds,
            tokens,
            cost,
            error,
            action.reason,
        )
        return got

    def _ask_answerer(self, context: Context, frame: Frame, action: AskQuestions) -> ModelCall:
        """Return the model's answers; if it cannot be reached, all are UNKNOWN, with the reason."""
        turn, queries = context.turn, action.queries
        if action.addressee is Addressee.OPERATOR or not self._operator.asks_model():
            return ModelCall(all_unknown(queries, turn, frame.id, ""), by="nobody")
        try:
            return self._answerer.answer(frame, queries, turn, self._cancel)
        except AnswererError as error:
            by, silent = self._answerer.name, all_unknown(queries, turn, frame.id, "")
            return ModelCall(tuple(replace(a, by=by) for a in silent), by=by, error=str(error))

    def _contradictions(
        self, context: Context, queries: tuple[Query, ...], answers: tuple[Answer, ...]
    ) -> tuple[Contradiction, ...]:
        if self._consistency is None:
            return ()
        facts = [a for q, a in zip(queries, answers, strict=True) if q.topic is QueryTopic.FACT]
        return self._consistency.contradictions(context, facts)

    def _ground_truth(self, queries: tuple[Query, ...]) -> tuple[ev.GroundTruthFact, ...]:
        """Return the simulator's truth about the questions; () in the real world."""
        return tuple(ev.GroundTruthFact(q.atom, so, seen) for q, so, seen in judged(self._robot, queries))
