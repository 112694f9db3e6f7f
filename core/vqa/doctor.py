"""Ask a model one real question with a picture: does it work, how fast, and at what cost?"""

from __future__ import annotations

import time
from dataclasses import dataclass

from core.belief import Atom, Query, Verdict
from core.errors import ConsoleError
from core.pictures import encode_png
from core.ports import Frame, ModelCall
from core.stop_token import StopToken
from core.text.untrusted_text import one_line
from core.vqa.registry import ModelSettings, model_answerer
from core.vqa.replies.cleaning import final_words

SIDE = 256  # pixels
RED, BLUE, ANYWHERE = ("red",), ("blue",), ("picture",)
QUESTIONS = (
    Query(Atom("left", RED), "Is the left half of the picture red?", expected=Verdict.YES),
    Query(Atom("left", BLUE), "Is the left half of the picture blue?", expected=Verdict.NO),
    Query(Atom("right", BLUE), "Is the right half of the picture blue?", expected=Verdict.YES),
)
MORE = (  # asked in the second call: who answers by chance has nine of ten right in one trial of a hundred
    Query(Atom("right", RED), "Is the right half of the picture red?", expected=Verdict.NO),
    Query(Atom("has", RED), "Is there anything red in the picture?", expected=Verdict.YES),
    Query(Atom("has", ("green",)), "Is there anything green in the picture?", expected=Verdict.NO),
    Query(Atom("has", BLUE), "Is there anything blue in the picture?", expected=Verdict.YES),
    Query(Atom("all", RED), "Is the whole picture red?", expected=Verdict.NO),
    Query(Atom("two", ANYWHERE), "Does the picture have exactly two colours?", expected=Verdict.YES),
    Query(Atom("same", ANYWHERE), "Do both halves have the same colour?", expected=Verdict.NO),
)


@dataclass(frozen=True)
class Diagnosis:
    """The outcome of a test; `problem` is one sentence on what is wrong and how to fix it, "" for nothing."""

    model: str
    problem: str = ""
    raw_reply: str = ""
    correct: int = 0  # of `asked`
    asked: int = len(QUESTIONS) + len(MORE)
    seconds: float = 0.0  # of the second call; the first one also loads and connects
    first_seconds: float = 0.0
    tokens: int = 0
    cost: float | None = None  # US dollars a call; None: not known
    confidences: bool = False  # it gave log-probabilities

    @property
    def answered(self) -> bool:
        """Return True if both calls were answered, whatever with."""
        return bool(self.first_seconds)

    @property
    def ok(self) -> bool:
        return not self.problem


def diagnose_model(
    name: str, asking: ModelSettings | None = None, cancel: StopToken | None = None
) -> Diagnosis:
    """Ask a model about a picture that is red on the left and blue on the right.

    `name` is what `make_answerer` takes: a preset, `PRESET:MODEL`, a file or a URL. Raises Cancelled, but
    never ConsoleError.
    """
    cancel = cancel or StopToken()
    try:
        answerer = model_answerer(name, _TwoHalvesTruth(), asking or ModelSettings())
    except ConsoleError as error:
        return Diagnosis(name, str(error))
    try:
        frame = Frame("doctor", png=two_halves())
        started = time.monotonic()
        first_call = answerer.answer(frame, QUESTIONS, 0, cancel)
        first = time.monotonic() - started
        call = first_call if first_call.error else answerer.answer(frame, MORE, 0, cancel)
    except ConsoleError as error:
        return Diagnosis(answerer.name, str(error))
    finally:
        answerer.close()
    if call.error:
        return Diagnosis(call.by or answerer.name, call.error, call.raw_reply, seconds=call.seconds)
    return _diagnosis(first_call, call, first)


def diagnose_models(
    name: str, asking: ModelSettings | None = None, cancel: StopToken | None = None
) -> tuple[Diagnosis, ...]:
    """Diagnose each voter of "a+b", one after the other."""
    return tuple(diagnose_model(part.strip(), asking, cancel) for part in name.split("+"))


def try_model(name: str, asking: ModelSettings, cancel: StopToken) -> str:
    """Ask a model one question about such a picture. Return why its answer is none, or wrong; "" if right.

    Raises Cancelled, and ConsoleError if the model cannot be made.
    """
    answerer = model_answerer(name, _TwoHalvesTruth(), asking)
    try:
        call = answerer.answer(Frame("doctor", png=two_halves()), QUESTIONS[:1], 0, cancel)
    finally:
        answerer.close()
    if call.error or call.answers[0].verdict is Verdict.YES:
        return call.error
    said = one_line(final_words(call.raw_reply, 60))
    return f"“{QUESTIONS[0].text}” The picture's is, and it says “{said}”"


def _diagnosis(first_call: ModelCall, call: ModelCall, first: float) -> Diagnosis:
    queries = (*QUESTIONS, *MORE)
    verdicts = [answer.verdict for answer in (*first_call.answers, *call.answers)]
    right = sum(v is q.expected for v, q in zip(verdicts, queries, strict=True))
    problem = ""
    if all(verdict is Verdict.UNKNOWN for verdict in verdicts):
        problem = (
            "It answers, but none of its answers is yes or no: look at what it said, and try "
            "`--prompt structured` or a larger model."
        )
    elif right < len(queries):
        chance = ", which guessing can reach" if right <= 8 else ""
        problem = (
            f"It answers, but only {right} of {len(queries)} answers about a red and a blue half are right"
            f"{chance}: does this model see pictures?"
        )
    return Diagnosis(
        call.by,
        problem,
        call.raw_reply,
        right,
        seconds=call.seconds,
        first_seconds=first,
        tokens=call.tokens,
        cost=call.cost,
        confidences=any(share is not None for share in call.confidences),
    )


class _TwoHalvesTruth:
    """The ground truth of the picture, for an emulated model, which cannot see it."""

    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset(query.atom for query in (*QUESTIONS, *MORE) if query.expected is Verdict.YES)

    def is_observable(self, atom: Atom) -> bool:
        return True


def two_halves() -> bytes:
    """Return a PNG of SIDE x SIDE pixels: red on the left, blue on the right."""
    import numpy as np

    picture = np.empty((SIDE, SIDE, 3), np.uint8)
    picture[:, : SIDE // 2], picture[:, SIDE // 2 :] = (200, 30, 30), (30, 30, 200)
    return encode_png(picture)
