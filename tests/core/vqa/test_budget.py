"""A budget that is used up asks; it cuts nothing off."""

import threading

import pytest

from core.belief import Verdict
from core.errors import Cancelled
from core.ports import Reply
from core.stop_token import StopToken
from core.vqa.budget import BudgetExceeded, Meter, ModelBudget, Usage
from core.vqa.registry import make_answerer
from tests.core.vqa.conftest import Serve
from tests.core.vqa.kit import BOTH, FRAME, World


def test_that_a_person_who_raises_the_budget_lets_the_same_call_go_on(serve: Serve) -> None:
    server, asked = serve(), list[str]()
    meter = Meter(ModelBudget(calls=1))

    def more(spent: BudgetExceeded, cancel: StopToken) -> ModelBudget:
        asked.append(str(spent))
        return meter.with_more(spent.quantity, 2)

    meter.on_exceeded = more
    answerer = make_answerer(server.url, truth=World(), meter=meter)
    for _ in range(4):
        assert Verdict.UNKNOWN not in {
            a.verdict for a in answerer.answer(FRAME, BOTH, 1, StopToken()).answers
        }
    assert len(asked) == 2 and "1 calls is used up" in asked[0]
    assert meter.budget == ModelBudget(calls=5) and meter.usage.calls == 4


def test_that_a_person_who_does_not_raise_it_is_asked_again_next_time(serve: Serve) -> None:
    asked: list[BudgetExceeded] = []
    meter = Meter(ModelBudget(calls=1), on_exceeded=lambda spent, cancel: asked.append(spent))
    answerer = make_answerer(serve().url, truth=World(), meter=meter)
    answerer.answer(FRAME, BOTH, 1, StopToken())
    for _ in range(2):
        with pytest.raises(BudgetExceeded):
            answerer.answer(FRAME, BOTH, 2, StopToken())
    assert len(asked) == 2 and meter.usage.calls == 1


def test_that_a_stop_ends_the_waiting_for_a_person() -> None:
    asked, cancel = threading.Event(), StopToken()

    def wait(spent: BudgetExceeded, cancel: StopToken) -> None:
        asked.set()
        cancel.wait(60)
        cancel.check()

    meter = Meter(ModelBudget(calls=1), on_exceeded=wait)
    meter.record_request(0.0, None)
    threading.Thread(target=lambda: asked.wait(60) and cancel.stop(1, "stopped")).start()
    with pytest.raises(Cancelled):
        meter.wait_for_budget(cancel)


def test_that_a_vote_is_not_held_with_the_voters_that_the_budget_allows(serve: Serve) -> None:
    meter = Meter(ModelBudget(calls=2))
    vote = make_answerer("+".join([serve().url] * 3), truth=World(), meter=meter)
    with pytest.raises(BudgetExceeded):
        vote.answer(FRAME, BOTH, 1, StopToken())
    assert meter.usage.calls == 2


def test_that_what_was_asked_again_counts_with_the_episode() -> None:
    meter, again = Meter(), Meter()
    meter.record_request(1.0, Reply("yes", tokens_in=9, tokens_out=1, cost=0.5))
    again.record_request(2.0, Reply("no", tokens_in=4, tokens_out=1, cost=None))
    meter.add_usage(again.usage)
    assert meter.usage == Usage(calls=2, tokens=15, dollars=0.5, seconds=3.0, unpriced=1)


def test_that_a_budget_says_what_it_allows() -> None:
    assert str(ModelBudget(calls=1200, dollars=2)) == "1,200 calls, $2.00"
    assert str(ModelBudget()) == "no limit"
