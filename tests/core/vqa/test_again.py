from dataclasses import replace

import pytest

from core.belief import Verdict
from core.events import AnswersReceived, Event, QuestionsAsked
from core.ports import Frame
from core.stop_token import StopToken
from core.vqa.answerers.scripted import ScriptedAnswerer
from core.vqa.reask import Exchange, compare_answers, logged_exchanges, reask
from tests.core.vqa.kit import BOTH, FRAME, INSIDE


def exchange(said: str, seconds: float = 0.0, cost: float | None = None) -> Exchange:
    call = ScriptedAnswerer([said]).answer(FRAME, BOTH, 1, StopToken())
    return Exchange(1, FRAME, BOTH, replace(call, seconds=seconds, cost=cost))


def test_that_a_logged_episode_gives_its_questions_answers_and_pictures() -> None:
    first, second = exchange("yes;no").call, ScriptedAnswerer(["no"]).answer(FRAME, [INSIDE], 2, StopToken())
    events: list[Event] = [
        QuestionsAsked(1, "f1", BOTH),
        AnswersReceived(1, "f1", first),
        QuestionsAsked(2, "f2", (INSIDE,)),
        AnswersReceived(2, "f2", second),
    ]
    found = list(logged_exchanges(events, lambda frame: frame.encode()))
    assert [(e.turn, e.frame.id, e.frame.png, e.queries, e.call) for e in found] == [
        (1, "f1", b"f1", BOTH, first),
        (2, "f2", b"f2", (INSIDE,), second),
    ]


def test_that_another_answerer_gets_the_same_picture_and_questions() -> None:
    heard: list[Frame] = []

    class Listens(ScriptedAnswerer):
        def answer(self, frame, queries, turn, cancel):  # type: ignore[no-untyped-def]
            heard.append(frame)
            return super().answer(frame, queries, turn, cancel)

    old = exchange("yes;yes")
    new = reask(old, Listens(["no;no"]), StopToken())
    assert heard == [FRAME]
    assert [answer.verdict for answer in new.call.answers] == [Verdict.NO, Verdict.YES]
    assert [answer.verdict for answer in old.call.answers] == [Verdict.YES, Verdict.NO]


def test_that_agreement_counts_only_what_both_answered() -> None:
    before = [exchange("yes;yes", 2, 0.2), exchange("yes;no", 2, 0.2), exchange("skip;no", 2, 0.2)]
    after = [exchange("yes;no", 1, None), exchange("no;no", 1, 0.1), exchange("yes;no", 1, 0.1)]
    closed, inside = compare_answers(before, after)
    assert (closed.predicate, closed.asked, closed.both_decided, closed.agreed) == ("closed", 3, 3, 2)
    assert (inside.predicate, inside.asked, inside.both_decided, inside.agreed) == ("inside", 3, 2, 1)
    assert (inside.seconds_before, inside.seconds_after) == (3, 1.5)
    assert inside.cost_before == pytest.approx(0.3)
    assert inside.cost_after is None


def test_that_series_of_different_length_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="shorter"):
        compare_answers([exchange("yes;no")], [])
