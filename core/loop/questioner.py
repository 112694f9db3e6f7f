"""Ask questions in an episode: one call to the answerer or the language model, and a person's review."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from core import events as ev
from core.belief import Answer, Atom, BeliefSource, Contradiction, Query, QueryTopic, Verdict
from core.errors import AnswererError
from core.loop.ground_truth import judged
from core.operator import Addressee, AnswerReview, Operator
from core.policy import (
    AskModel,
    AskQuestions,
    Context,
    GotAnswers,
    GotReply,
    InterpretsReplies,
    LooksForSituations,
    Policy,
)
from core.ports import Answerer, Frame, Model, ModelCall, Reply, Robot, SilentReply, all_unknown
from core.stop_token import StopToken
from core.supervision import SupervisionLevel
from core.text.plural import plural

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
        facts = tuple(ev.GroundTruthFact(q.atom, so, seen) for q, so, seen in judged(self._robot, queries))
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


LIMIT = 3  # calls in a row without an answer, after which a person is asked or the episode ends
CONFIRMS = (BeliefSource.MODEL, BeliefSource.SENSOR, BeliefSource.OPERATOR)


@dataclass
class Unanswered:
    """What became of the calls and the questions of an episode. Loop's thread only."""

    in_a_row: int = 0  # calls that failed since one was answered, or since a person went on
    answered: bool = False  # a call ever was
    cause: str = ""  # of the last call that failed
    asked: int = 0  # questions to a model
    decided: bool = False  # one of them was ever answered with yes or no, by whomever
    left_open: dict[Atom, Query] = field(default_factory=dict)  # by failed calls

    def count_call(self, error: str) -> None:
        """Count a call to a model; `error` says why it gave no answer, "" if it did."""
        self.in_a_row = self.in_a_row + 1 if error else 0
        self.answered |= not error
        self.cause = error or self.cause

    def count_answers(self, queries: Sequence[Query], answers: Sequence[Answer], error: str) -> None:
        """Count the questions of a call with the answers that count after a person's review."""
        self.asked += len(queries)
        for query, answer in zip(queries, answers, strict=True):
            unknown = answer.verdict is Verdict.UNKNOWN
            self.decided |= not unknown
            if error and unknown:
                self.left_open[query.atom] = query
            else:
                self.left_open.pop(query.atom, None)

    @property
    def too_often(self) -> str:
        """Return in one sentence that the model does not answer, "" while it may yet."""
        if self.in_a_row < LIMIT:
            return ""
        how = f"has not answered {self.in_a_row} times in a row" if self.answered else "never answered"
        return f"The model {how}: {self.cause}"

    def open_queries(self, context: Context) -> tuple[Query, ...]:
        """Return the questions about the goal that failed calls left open, and nothing has settled since."""
        goal = {literal.atom for literal in context.problem.goal}
        queries = (self.left_open[atom] for atom in sorted(goal & self.left_open.keys()))
        return tuple(q for q in queries if context.belief.source(q.atom) not in CONFIRMS)

    def claim_fault(self, context: Context) -> str:
        """Return why the goal cannot be claimed: nobody answered anything, and nothing else shows it."""
        confirmed = any(context.belief.source(g.atom) in CONFIRMS for g in context.problem.goal)
        if not self.asked or self.decided or confirmed:
            return ""
        asked = plural(self.asked, "question")
        cause = f" {self.cause}" if self.cause else ""
        return (
            f"The goal is believed on predictions alone: of {asked} none was answered with yes or no.{cause} "
            "Look for yourself and correct the belief, or end the episode."
        )


NO_PICTURE = "The model cannot look for what is unusual: there is no picture. Run with pictures."
NOTHING = "The model says that nothing in the picture is unusual."
NOT_SO = "What the model said about the picture is not used: nobody said that it is so."


def look_for_situation(
    looker: LooksForSituations, policy: Policy, context: Context, frame: Frame, questioner: Questioner
) -> Generator[ev.Event, None, tuple[str, str] | None]:
    """Return the sentence that the model sees and the model's name; None, with a notice, if it is not used.

    At the level WATCH of `believe`, which a real robot never has, it counts without a person. Raises
    Cancelled.
    """
    if not frame.png:
        yield ev.Notice("doubt", NO_PICTURE)
        return None
    reply = yield from questioner.consult(context, frame, looker.look_for_situation(context), policy)
    sentence = "" if reply.error else looker.seen_situation(reply)
    if not sentence:
        yield ev.Notice("fault" if reply.error else "info", reply.error or NOTHING)
        return None
    if context.supervision.believe is not SupervisionLevel.WATCH:
        proposition = Atom(QueryTopic.SITUATION.value, tuple(sentence.split()))
        query = Query(proposition, f"The model sees: {sentence}. Is that so?", topic=QueryTopic.SITUATION)
        action = AskQuestions((query,), Addressee.OPERATOR)
        answers, _, _ = yield from questioner.ask(context, frame, action)
        if answers.answers[0].verdict is not Verdict.YES:
            yield ev.Notice("info", NOT_SO)
            return None
    return sentence, questioner.model_name
