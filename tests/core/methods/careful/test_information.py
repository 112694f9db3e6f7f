"""What an answer is worth."""

from __future__ import annotations

from core.methods.careful.information import Picture, split
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated
from tests.core.tiny import CLOSED, HOLDING

SHUT = tiny.PROBLEM.state


def in_doubt(method, share: float = 0.5):
    number = method.world.number
    return ((number(SHUT), share), (number(SHUT - {CLOSED}), 1 - share))


def worth(method, weights, picture: Picture | None = None) -> float:
    found = method.information.of_model(weights, method.costs.expected(weights), picture or Picture())
    return max((w.value for w in found), default=0.0)


def test_that_an_answer_is_worth_the_steps_that_it_saves(careful) -> None:
    method = careful()
    assert worth(method, in_doubt(method)) > 0.1
    assert worth(method, in_doubt(method, 1.0)) == 0


def test_that_an_answer_of_a_better_model_is_worth_more_and_a_persons_most(careful) -> None:
    poor, good = careful(answerer=Stated(0.6, 0.4)), careful(answerer=Stated(0.9, 0.1))
    weights = in_doubt(good)
    exact = good.information.of_operator(weights, good.costs.expected(weights), ())[0].value
    assert worth(poor, in_doubt(poor)) < worth(good, weights) < exact


def test_that_what_was_answered_from_here_is_worth_less_to_ask_again(careful) -> None:
    method = careful()
    again = Picture("front", {CLOSED: {"front": True}})
    elsewhere = Picture("side", {CLOSED: {"front": True}})
    weights = in_doubt(method)
    assert worth(method, weights, again) < worth(method, weights, elsewhere) == worth(method, weights)


def test_that_nothing_is_asked_twice_about_a_picture(careful) -> None:
    method = careful()
    assert worth(method, in_doubt(method), Picture(asked={CLOSED})) == 0


def test_that_sensors_make_questions_needless(careful) -> None:
    method = careful()
    weights = in_doubt(method)
    asked = {w.atom for w in method.information.of_operator(weights, method.costs.expected(weights), ())}
    assert HOLDING not in asked and CLOSED in asked


def test_that_answers_of_which_worse_is_told_never_mean_their_opposite(careful) -> None:
    for scale in (1.0, 1.75, 3.0):
        rates = careful(answerer=Stated(0.66, 0.34), error_scale=scale).errors.rates("closed")
        assert rates.if_true > rates.if_false + 0.19


def test_that_what_is_certain_has_one_answer(careful) -> None:
    method = careful()
    certain = ((method.world.number(tiny.PROBLEM.state), 1.0),)
    assert split(method.world, certain, CLOSED) == [(1.0, certain)]
