"""The belief over whole states, and the form in which the screen, the log and a fork have it."""

from __future__ import annotations

import pytest

from core.belief import Belief, BeliefSource, Verdict
from core.methods.careful.hypotheses import Part, as_belief, joint_of, normalized, summed
from core.methods.careful.untold import A_FALL, Count, Kind
from tests.core import tiny
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE

STATE = tiny.PROBLEM.state


def test_that_a_belief_carries_its_hypotheses(careful) -> None:
    world = careful().world
    weights = ((world.number(STATE), 0.6), (world.number(STATE - {CLOSED}), 0.4))
    belief = as_belief(
        world, Belief.from_init(STATE), {s: Part((p,)) for s, p in weights}, 3, BeliefSource.PREDICTED
    )
    assert summed(joint_of(world, belief, (), (1.0,))) == weights
    assert belief.verdict(CLOSED) is Verdict.YES and belief.probability(CLOSED) == 0.6


def test_that_another_program_run_reads_the_same_hypotheses(careful) -> None:
    world, later = careful().world, careful().world
    joint = {world.number(STATE - {CLOSED}): Part((0.7,)), world.number(STATE): Part((0.3,))}
    belief = as_belief(world, Belief.from_init(STATE), joint, 1, BeliefSource.PREDICTED)
    assert [(later.states[s], p) for s, p in summed(joint_of(later, belief, (), (1.0,)))] == [
        (STATE - {CLOSED}, 0.7),
        (STATE, 0.3),
    ]


def test_that_the_ways_of_answering_are_in_the_notes_and_read_back(careful) -> None:
    world, names, prior = careful().world, ("as told", "worse"), (0.8, 0.2)
    seen = {Kind(A_FALL, "closed"): Count(1, 2), Kind("open", "inside", False): Count(0, 3)}
    joint = {world.number(STATE): Part((0.5, 0.25), seen), world.number(STATE - {CLOSED}): Part((0.2, 0.05))}
    belief = as_belief(world, Belief.from_init(STATE), joint, 1, BeliefSource.PREDICTED, names=names)
    assert dict(belief.hypotheses[1].notes) == {"as told": pytest.approx(0.8), "worse": pytest.approx(0.2)}
    for state, part in joint_of(careful().world, belief, names, prior).items():
        assert part.ways == pytest.approx(joint[state].ways) and part.untold == joint[state].untold
    assert joint_of(world, Belief.from_init(STATE), names, prior) == {world.number(STATE): Part(prior)}


def test_that_an_entry_keeps_its_source_while_its_verdict_stays(careful) -> None:
    world = careful().world
    joint = {world.number(STATE): Part((0.9,)), world.number(STATE - {INSIDE} | {HOLDING}): Part((0.1,))}
    belief = as_belief(world, Belief.from_init(STATE), joint, 4, BeliefSource.MODEL)
    assert belief.source(INSIDE) is BeliefSource.INITIAL and belief.probability(INSIDE) == 0.9


def test_that_the_likeliest_are_kept_and_add_up_to_one() -> None:
    assert normalized({1: 2.0, 2: 1.0, 3: 1.0}, 2) == ((1, pytest.approx(2 / 3)), (2, pytest.approx(1 / 3)))
    assert normalized({1: 0.0}, 2) == ()
    assert normalized({1: 2e-9, 2: 1e-9}, 1) == ((1, 1.0),)  # whatever their sum


def test_that_a_hypothesis_notes_the_steps_from_it_to_the_goal(careful) -> None:
    method = careful()
    reached, start = (method.world.number(s) for s in (frozenset({EMPTY, HOLDING}), STATE))
    belief = method._as_belief(
        Belief.from_init(STATE), {reached: Part((0.7,)), start: Part((0.3,))}, 1, BeliefSource.SENSOR
    )
    first, other = (h.notes["steps"] for h in belief.hypotheses)
    assert first == 0 and other > 2
