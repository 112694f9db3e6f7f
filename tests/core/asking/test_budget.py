"""A budget that is used up asks; it cuts nothing off."""

import threading

import pytest

from core.asking.budget import Budget, BudgetSpent, Meter, Spent
from core.asking.registry import make_answerer
from core.cancel import Cancel
from core.errors import Cancelled
from core.facts import Verdict
from core.ports import Reply
from tests.core.asking.conftest import Serve
from tests.core.asking.kit import BOTH, FRAME, World


def test_that_a_person_who_raises_the_budget_lets_the_same_call_go_on(serve: Serve) -> None:
    server, asked = serve(), list[str]()
    meter = Meter(Budget(calls=1))

    def more(spent: BudgetSpent, cancel: Cancel) -> Budget:
        asked.append(str(spent))
        return meter.raised(spent.what, 2)

    meter.ask = more
    answerer = make_answerer(server.url, truth=World(), meter=meter)
    for _ in range(4):
        assert Verdict.UNKNOWN not in {a.verdict for a in answerer.answer(FRAME, BOTH, 1, Cancel()).answers}
    assert len(asked) == 2 and "1 calls is used up" in asked[0]
    assert meter.budget == Budget(calls=5) and meter.spent.calls == 4


def test_that_a_person_who_does_not_raise_it_is_asked_again_next_time(serve: Serve) -> None:
    asked: list[BudgetSpent] = []
    meter = Meter(Budget(calls=1), ask=lambda spent, cancel: asked.append(spent))
    answerer = make_answerer(serve().url, truth=World(), meter=meter)
    answerer.answer(FRAME, BOTH, 1, Cancel())
    for _ in range(2):
        with pytest.raises(BudgetSpent):
            answerer.answer(FRAME, BOTH, 2, Cancel())
    assert len(asked) == 2 and meter.spent.calls == 1


def test_that_a_stop_ends_the_waiting_for_a_person() -> None:
    asked, cancel = threading.Event(), Cancel()

    def wait(spent: BudgetSpent, cancel: Cancel) -> None:
        asked.set()
        cancel.wait(60)
        cancel.check()

    meter = Meter(Budget(calls=1), ask=wait)
    meter.count(0.0, None)
    threading.Thread(target=lambda: asked.wait(60) and cancel.stop(1, "stopped")).start()
    with pytest.raises(Cancelled):
        meter.admit(cancel)


def test_that_a_vote_is_not_held_with_the_voters_that_the_budget_allows(serve: Serve) -> None:
    meter = Meter(Budget(calls=2))
    vote = make_answerer("+".join([serve().url] * 3), truth=World(), meter=meter)
    with pytest.raises(BudgetSpent):
        vote.answer(FRAME, BOTH, 1, Cancel())
    assert meter.spent.calls == 2


def test_that_what_was_asked_again_counts_with_the_episode() -> None:
    meter, again = Meter(), Meter()
    meter.count(1.0, Reply("yes", tokens_in=9, tokens_out=1, cost=0.5))
    again.count(2.0, Reply("no", tokens_in=4, tokens_out=1, cost=None))
    meter.add(again.spent)
    assert meter.spent == Spent(calls=2, tokens=15, dollars=0.5, seconds=3.0, unpriced=1)


def test_that_a_budget_says_what_it_allows() -> None:
    assert str(Budget(calls=1200, dollars=2)) == "1,200 calls, $2.00"
    assert str(Budget()) == "no limit"
