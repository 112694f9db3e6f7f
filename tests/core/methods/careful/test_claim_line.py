"""The line from which the goal is always claimed."""

from __future__ import annotations

from core.methods.careful.choice import ChoiceContext, Claim
from core.methods.careful.claim_line import claim_line, claim_note
from tests.core.tiny import EMPTY, HOLDING, PROBLEM


def test_that_the_goal_is_claimed_above_the_line_and_not_while_making_sure_is_cheaper(careful) -> None:
    method = careful(false_claim_cost=100)
    reached, start = (method.world.number(s) for s in (frozenset({EMPTY, HOLDING}), PROBLEM.state))
    line = claim_line(method.options)

    def choice(sure: float) -> object:
        return method.chooser.choose(((reached, sure), (start, 1 - sure)), ChoiceContext())

    assert isinstance(choice(line + 0.001), Claim) and not isinstance(choice(0.8), Claim)


def test_that_a_claim_below_the_line_says_why_it_is_made(careful) -> None:
    options = careful(false_claim_cost=100).options
    assert claim_note(0.9961, options, 20) == "The goal is reached with 99.6 % probability"
    assert claim_note(0.9, options, None).endswith("; making sure would cost more than the doubt")
    assert claim_note(0.9, options, 0).endswith("; no steps are left")
