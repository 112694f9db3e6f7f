"""Answers from the very picture, by an eye of our own: no model, no network, no truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from core.belief import Answer, BeliefSource, Query, QueryTopic, Verdict
from core.domains import DomainSpec
from core.errors import AnswererError, BadFile, BadValue
from core.pictures import decode_picture
from core.planning_model import Problem
from core.ports import Frame, ModelCall
from core.stop_token import StopToken
from core.vqa.answerers.simulated import VERDICT_WORDS
from core.vqa.eye.coverage import gap_sentence
from core.vqa.eye.eye import NO, UNSEEN, YES, Eye, ImageFeatures
from core.vqa.eye.questions import question_key

NOT_TRAINED = "not trained on this"
FOREIGN = "not a picture like those it was trained on"
COVERED = "something covers a part of the picture"
NO_PICTURE = "there is no picture"
CANNOT_BE_SEEN = "cannot be seen"
NOT_SURE = "cannot be seen well enough"
UNMEASURED = (0.7, 0.25)  # the error rates of an eye whose card has no figures
UNTRAINED = (0.5, 0.5)  # of predicates that no eye was trained on
_VERDICTS: Mapping[int, Verdict] = {NO: Verdict.NO, YES: Verdict.YES, UNSEEN: Verdict.UNKNOWN}


class EyeAnswerer:
    """Asks each question of the first eye that was trained on it. Loop's thread only."""

    def __init__(self, eyes: Sequence[Eye]) -> None:
        if not eyes:
            raise BadValue("There is no eye yet: train one (docs/eye.md), or choose another answerer.")
        self._eyes = tuple(eyes)

    @property
    def name(self) -> str:
        return ", ".join(eye.name for eye in self._eyes)

    @property
    def persistence(self) -> float:
        """Return how often it repeats an answer from the same viewpoint: nearly the same pixels."""
        return 0.9  # ours

    def error_rates(self, predicate: str) -> tuple[float, float]:
        """Return P(yes) of what holds and of what does not, from its card (`core.ports.StatesErrorRates`).

        Where no eye was trained on the predicate, an answer tells nothing.
        """
        if not any(predicate in eye.card.predicates for eye in self._eyes):
            return UNTRAINED
        found = (eye.card.figures[predicate] for eye in self._eyes if predicate in eye.card.figures)
        if (figures := next(found, None)) is None or not figures.seen:
            return UNMEASURED
        opposite = figures.opposite / max(1e-9, figures.right + figures.opposite)
        return 1 - opposite, opposite

    def gaps(self, domain_spec: DomainSpec, problem: Problem, robot: str, method: str, pictures: bool) -> str:
        """Return which of an episode's questions it cannot answer (`core.ports.TellsGaps`)."""
        return gap_sentence([eye.card for eye in self._eyes], domain_spec, problem, robot, method, pictures)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: StopToken) -> ModelCall:
        cancel.check()
        begun = monotonic()
        answers = [self._unknown(query, NOT_TRAINED, frame, turn) for query in queries]
        for eye in self._eyes:
            mine = [n for n, query in enumerate(queries) if self._eye_for(query) is eye]
            if not mine:
                continue
            asked = [queries[n] for n in mine]
            for n, answer in zip(mine, self._ask(eye, frame, asked, turn), strict=True):
                answers[n] = answer
        said = ";".join(answer.raw_reply for answer in answers)
        return ModelCall(tuple(answers), said, self.name, monotonic() - begun)

    def _eye_for(self, query: Query) -> Eye | None:
        """Return the first eye that was trained on a question; none is trained on questions about steps."""
        key = question_key(query.atom)
        fact = query.topic is QueryTopic.FACT
        return next((eye for eye in self._eyes if fact and eye.knows(key)), None)

    def _ask(self, eye: Eye, frame: Frame, queries: Sequence[Query], turn: int) -> list[Answer]:
        sight = _look(eye, frame)
        if sight is None or sight.foreign:
            reason = NO_PICTURE if sight is None else FOREIGN
            return [self._unknown(query, reason, frame, turn, eye.name) for query in queries]
        questions = [question_key(query.atom) for query in queries]
        predicted, answers = eye.ask(sight, questions), []
        chosen_of = eye.choose(predicted.probabilities, questions)
        each = zip(queries, predicted.probabilities, chosen_of, predicted.hidden, strict=True)
        for query, probabilities, chosen, hidden in each:
            if hidden:
                answers.append(self._unknown(query, COVERED, frame, turn, eye.name))
                continue
            most = int(probabilities.argmax())
            verdict, sure = _VERDICTS[int(chosen)], float(probabilities[most])
            word = VERDICT_WORDS[query.text_verdict(verdict)]
            if chosen == UNSEEN:
                word = (
                    CANNOT_BE_SEEN
                    if most == UNSEEN
                    else f"{NOT_SURE}: {VERDICT_WORDS[query.text_verdict(_VERDICTS[most])]}"
                )
            answers.append(
                Answer(
                    query.atom,
                    verdict,
                    BeliefSource.MODEL,
                    f"{word} ({100 * sure:.0f} %)",
                    turn,
                    frame.id,
                    eye.name,
                    None if chosen == UNSEEN else sure,
                )
            )
        return answers

    def _unknown(self, query: Query, reason: str, frame: Frame, turn: int, by: str = "") -> Answer:
        named = by or self.name
        return Answer(query.atom, Verdict.UNKNOWN, BeliefSource.MODEL, reason, turn, frame.id, named)


def _look(eye: Eye, frame: Frame) -> ImageFeatures | None:
    """Return what the eye makes of the frame's bytes, None if it has none. Raises AnswererError."""
    if not frame.png:
        return None
    try:
        return eye.look(decode_picture(frame.png))
    except (BadFile, BadValue) as error:
        raise AnswererError(str(error)) from None
