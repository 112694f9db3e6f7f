"""What the method expects of an episode before it begins."""

from __future__ import annotations

from core.methods.careful.forecast import forecast
from core.policy import AskQuestions
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated


def test_that_a_sure_world_is_foretold_to_the_step(careful) -> None:
    found = forecast(careful(tiny.folder(), Stated(1, 0)), 5)
    assert found.true_claims == 1 and found.false_claims == found.questions == 0
    assert 2 <= found.steps < 2.5


def test_that_worse_luck_and_worse_answers_are_foretold_to_cost_more(careful) -> None:
    good = forecast(careful(tiny.folder(0.1, 0.1), Stated(0.95, 0.05)), 20)
    poor = forecast(careful(tiny.folder(0.5, 0.3), Stated(0.6, 0.4)), 20)
    assert poor.steps > good.steps and poor.calls + poor.steps > good.calls + good.steps
    assert good.true_claims > 0.9


def test_that_only_somebody_who_is_there_is_foretold_to_be_asked(careful) -> None:
    method = careful(tiny.folder(0.5, 0.1), Stated(0.55, 0.45), operator_cost=0.05)
    assert forecast(method, 10).questions == 0
    assert forecast(method, 10, operator=True).questions > 0


def test_that_the_same_seed_foretells_the_same(careful) -> None:
    method = careful()
    assert forecast(method, 5, seed=3) == forecast(method, 5, seed=3)


def test_that_every_call_of_the_model_is_foretold_once(careful, monkeypatch) -> None:
    method = careful(tiny.folder(0.5, 0.1), Stated(0.95, 0.05), call_cost=0.1)
    act, asked = method.act, []

    def counted(context):
        action = act(context)
        asked.extend([action] if isinstance(action, AskQuestions) else [])
        return action

    monkeypatch.setattr(method, "act", counted)
    assert forecast(method, 4).calls == len(asked) / 4 > 0
