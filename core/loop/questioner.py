"""Ask questions in an episode: one call to the answerer or the language model, and a person's review."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Protocol

from core import events as ev
from core.belief import Answer, Contradiction, Query, QueryTopic
from core.errors import AnswererError
from core.loop.ground_truth import judged
from core.loop.unanswered import Unanswered
from core.operator import Addressee, AnswerReview, Operator
from core.policy import AskModel, AskQuestions, Context, GotAnswers, GotReply, InterpretsReplies, Policy
from core.ports import Answerer, Frame, Model, ModelCall, Reply, Robot, SilentReply, all_unknown
from core.stop_token import StopToken

NOBODY = "nobody"  # who was asked where the person answers instead of a model
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
        cancel: StopToken,
    ) -> None:
        self._answerer, self._model, self._operator = answerer, model, operator
        self._consistency, self._robot, self._cancel = consistency, robot, cancel
        self.answers, self.replies = Unanswered(), Unanswered()  # of the answerer and of the language model

    @property
    def silence(self) -> str:
        """Return in one sentence that a model does not answer, "" while it may yet."""
        return self.answers.too_often or self.replies.too_often

    def go_on(self) -> None:
        """Ask again in spite of it, since a person was asked."""
        self.answers.in_a_row = self.replies.in_a_row = 0

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
        call, reached = self._ask_answerer(context, frame, action)
        if call.by != NOBODY:
            self.answers.count_call(call.error)
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
            reached,
        )
        accepted = self._operator.review(review)
        self._cancel.check()
        reviewed = accepted is not call.answers
        if reviewed:
            yield ev.AnswersReviewed(context.turn, accepted)
            found = self._contradictions(context, queries, accepted)
        if action.addressee is Addressee.MODEL:
            self.answers.count_answers(queries, accepted, call.error)
        return GotAnswers(queries, accepted, action.addressee, reviewed), found, call.answers

    def consult(
        self, context: Context, frame: Frame, action: AskModel, policy: Policy
    ) -> Generator[ev.Event, None, GotReply]:
        """Return the language model's reply, or why there is none. Raises Cancelled."""
        pictures = (frame.png,) if action.with_picture and frame.png else ()
        reply, by, error = Reply(""), "", ""
        if self._model is None:
            error = f"The method {policy.name} asks a language model, and none is chosen: name one."
        else:
            by = self._model.name
            try:
                reply = self._model.ask(action.messages, pictures, self._cancel)
            except SilentReply as silent:
                reply, error = silent.reply, str(silent)
            except AnswererError as fault:
                error = str(fault)
            self.replies.count_call(error)
        counts = "" if error else reply.text  # a reply that is not whole is kept in the log alone
        got = GotReply(action.purpose, counts, error, action.messages[-1].text if action.messages else "")
        read = policy.interpret_reply(got) if isinstance(policy, InterpretsReplies) and not error else ""
        shown = frame.id if pictures else ""
        yield ev.ModelConsulted(
            context.turn,
            action.purpose,
            action.messages,
            shown,
            reply.text,
            read,
            by,
            reply.seconds,
            reply.tokens_in + reply.tokens_out,
            reply.cost,
            error,
            action.reason,
            reply.finish_reason,
            reply.reasoning,
        )
        return got

    def _ask_answerer(self, context: Context, frame: Frame, action: AskQuestions) -> tuple[ModelCall, bool]:
        """Return the model's answers and True; if it cannot be reached, all are UNKNOWN, with the reason."""
        turn, queries = context.turn, action.queries
        if action.addressee is Addressee.OPERATOR or not self._operator.asks_model():
            return ModelCall(all_unknown(queries, turn, frame.id, ""), by=NOBODY), True
        try:
            return self._answerer.answer(frame, queries, turn, self._cancel), True
        except AnswererError as error:
            by, silent = self._answerer.name, all_unknown(queries, turn, frame.id, "")
            return ModelCall(tuple(replace(a, by=by) for a in silent), by=by, error=str(error)), False

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
