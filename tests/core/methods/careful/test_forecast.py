"""What the method expects of an episode before it begins."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.methods.careful.forecast import forecast
from core.methods.careful.policy import Careful
from core.operator import Addressee
from core.policy import Action, AskQuestions, Context
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated


@pytest.fixture
def acted(monkeypatch) -> Callable[[Careful], list[tuple[Context, Action]]]:
    """Let a method act as ever, and keep what it is shown and wants."""

    def watch(method: Careful) -> list[tuple[Context, Action]]:
        found, act = list[tuple[Context, Action]](), method.act

        def watched(context: Context) -> Action:
            found.append((context, act(context)))
            return found[-1][1]

        monkeypatch.setattr(method, "act", watched)
        return found

    return watch


def test_that_a_sure_world_is_foretold_to_the_step(careful, acted) -> None:
    method, told = careful(tiny.folder(), Stated(1, 0)), list[int]()
    seen = acted(method)
    found = forecast(method, 5, report=told.append)
    assert told == [1, 2, 3, 4, 5] and {context.plan_count for context, _ in seen} == {0, 1}
    assert found.true_claims == 1 and found.false_claims == found.questions == 0
    assert 2 <= found.steps < 2.5
    assert forecast(method, 5, max_steps=2).true_claims == 1, "the claim is no step"


def test_that_worse_luck_and_worse_answers_are_foretold_to_cost_more(careful) -> None:
    good = forecast(careful(tiny.folder(0.1, 0.1), Stated(0.95, 0.05)), 20)
    poor = forecast(careful(tiny.folder(0.5, 0.3), Stated(0.6, 0.4)), 20)
    assert poor.steps > good.steps and poor.calls + poor.steps > good.calls + good.steps
    assert good.true_claims > 0.9


def test_that_only_somebody_who_is_there_is_foretold_to_be_asked(careful, acted) -> None:
    method = careful(tiny.folder(0.5, 0.1), Stated(0.55, 0.45), operator_cost=0.05, operator_seconds=30)
    assert forecast(method, 10).questions == 0
    seen = acted(method)
    assert forecast(method, 10, operator=True).questions > 0
    asked = (action for _, action in seen if isinstance(action, AskQuestions))
    assert {a.wait_seconds for a in asked if a.addressee is Addressee.OPERATOR} == {30}


def test_that_the_same_seed_foretells_the_same(careful) -> None:
    method = careful()
    assert forecast(method, 5, seed=3) == forecast(method, 5, seed=3)


def test_that_every_call_of_the_model_is_foretold_once(careful, acted) -> None:
    method = careful(tiny.folder(0.5, 0.1), Stated(0.95, 0.05), call_cost=0.1)
    seen = acted(method)
    assert forecast(method, 4).calls == sum(isinstance(a, AskQuestions) for _, a in seen) / 4 > 0
    assert any(query.worth for _, a in seen if isinstance(a, AskQuestions) for query in a.queries)
