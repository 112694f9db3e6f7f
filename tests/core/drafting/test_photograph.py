"""A photograph ends in a domain that plans, though nobody knows what is right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.drafting.photograph import on_photograph, read_objects
from core.drafting.replies import DomainParts
from core.drafting.rounds import METHODS, Workbench
from core.drafting.score import Walks
from core.drafting.source import DraftSource, drafter_of, simulator_of
from core.drafting.steps import DraftSteps
from core.drafting.trials import planner
from core.errors import BadValue
from core.pictures import blank_frame
from core.planning.pddl.reader import parse_domain, parse_problem
from core.ports import BoundingBox
from core.stop_token import StopToken

TABLE = DraftSource(
    "table",
    template="tabletop",
    objects="robot - agent, cup - container, block - toy",
    goal="The block is in the cup, and the cup in the goal area.",
    boxes=(BoundingBox("cup", 0.1, 0.2, 0.3, 0.4),),
)
PROBLEM = """(define (problem table) (:domain tabletop)
  (:objects robot - agent cup - container block - toy)
  (:init (free robot) (lies cup) (lies block))
  (:goal (and (within block cup) (home cup))))"""
CALLS = """add_or_update_predicates(['(free ?a - agent)', '(lies ?o - movable)', '(seen ?o - movable)',
 '(held ?o - movable)', '(within ?t - toy ?c - container)', '(home ?c - movable)'])
modify_action('find', ['(lies ?o)'], ['(seen ?o)'])
modify_action('pick', ['(free ?a)', '(lies ?o)', '(seen ?o)'],
 ['(held ?o)', '(not (free ?a))', '(not (lies ?o))'])
modify_action('place_goal', ['(held ?c)'], ['(home ?c)', '(free ?a)', '(not (held ?c))'])
modify_action('place_in', ['(held ?t)', '(home ?c)'], ['(within ?t ?c)', '(free ?a)', '(not (held ?t))'])
modify_action('put_back', ['(held ?o)'], ['(lies ?o)', '(free ?a)', '(not (held ?o))'])"""


class Scripted:
    """A model that drafts as written above and says of steps what the draft does: it agrees with itself."""

    def __init__(self, domain: str) -> None:
        game, _ = on_photograph(TABLE)
        self.prompts: dict[str, str] = {}
        self._steps = DraftSteps(parse_problem(PROBLEM, parse_domain(domain)), game.word_of)

    def __call__(self, purpose: str, prompt: str) -> str:
        self.prompts[purpose] = prompt
        if purpose != "simulate":
            return {"problem": PROBLEM, "domain": CALLS, "scene": "All lie on the table."}[purpose]
        words = [line.partition(": ")[2] for line in prompt.partition("after the other")[2].splitlines()[1:]]
        words = words[: words.index("")]
        done, states = self._steps.run(words)
        ends = ("Successful" if n < done else "Unsuccessful" for n in range(len(words)))
        said = [f"Step {n} - Action:\nExecution result: {end}." for n, end in enumerate(ends, 1)]
        reached = done == len(words) and self._steps.is_goal(states)
        return "\n".join((*said, f"Goal reaching: {'Successful' if reached else 'Unsuccessful'}."))


def test_that_a_photograph_is_drafted_by_its_objects_and_nothing_of_the_template_is_borrowed() -> None:
    game, photo = on_photograph(TABLE)
    assert "put the block into the cup" in photo.words and not game.template.predicates
    assert all(not action.precondition and not action.effects for action in game.template.actions)
    assert "cup is at 10% to 30% of the photograph's width" in game.rules and TABLE.goal in game.rules
    ask = Scripted(DomainParts().updated(CALLS, game.template).text(game.template))
    simulator = simulator_of(game, photo, TABLE, ask)
    plan = planner(game, {}, StopToken())
    made = Workbench(game, "table", Walks(simulator, 0, 1), ask, plan, METHODS["ours"]).asked()
    assert made.valid and made.score is not None and made.score.exact and not made.faults, made
    assert "photograph" in ask.prompts["problem"] and "grid" not in "".join(ask.prompts.values())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"objects": ""}, "Say what is on the photograph"),
        ({"goal": " "}, "the goal"),
        ({"objects": "cup - spoon"}, "has no type 'spoon' for cup"),
        ({"objects": "(cup - toy"}, "is no object"),
        ({"objects": ", ".join(f"toy-{n} - toy" for n in range(101))}, "100 at most"),
        ({"template": "nowhere"}, "no domain named 'nowhere'"),
    ],
)
def test_that_what_is_missing_of_a_photograph_is_said(changes: dict[str, str], said: str) -> None:
    with pytest.raises(Exception, match=said):
        on_photograph(replace(TABLE, **changes))  # type: ignore[arg-type]
    game, photo = on_photograph(TABLE)
    with pytest.raises(BadValue, match="choose a real one"):
        drafter_of(game, photo, TABLE, blank_frame("", 0.0, ""), StopToken())
    assert [one.name for one in read_objects("a, b - toy")] == ["a", "b"]
