"""Rules bound to objects: what they conclude depends on the facts, not on which state was met first."""

from __future__ import annotations

from core.belief import Atom
from core.domains import DefaultRule
from core.planning.rule_tables import BoundRules
from core.planning_model import Domain, Literal, Problem, Typed

THING = Typed("?o", "thing")
LOST = DefaultRule(
    "a thing in no place is on the floor",
    (THING,),
    unless=(Literal("on", ("?o", "?p")),),
    where=(Literal("floor", ("?f",)),),
    then=(Literal("on", ("?o", "?f")), Literal("seen", ("?o",), positive=False)),
)
CUP, FLOOR = Atom("on", ("cup", "table")), Atom("floor", ("ground",))
ON_FLOOR, SEEN = Atom("on", ("cup", "ground")), Atom("seen", ("cup",))


def tables() -> BoundRules:
    domain = Domain("rooms", types=(Typed("thing"),))
    problem = Problem("one", domain, (Typed("cup", "thing"),), frozenset(), ())
    return BoundRules((LOST,), problem)


def test_that_a_fact_met_later_blocks_a_rule() -> None:
    rules = tables()
    lost, placed = frozenset({FLOOR, SEEN}), frozenset({FLOOR, SEEN, CUP})
    assert rules.conclusions(0, rules.facts(lost)) == {ON_FLOOR: True, SEEN: False}
    assert rules.conclusions(0, rules.facts(placed)) == {}
    assert rules.conclusions(0, rules.facts(lost)) == {ON_FLOOR: True, SEEN: False}


def test_that_a_rule_concludes_nothing_while_a_condition_is_met_by_no_fact() -> None:
    rules = tables()
    assert rules.conclusions(0, rules.facts(frozenset({SEEN}))) == {}
    assert rules.conclusions(0, rules.facts(frozenset({SEEN, FLOOR}))) == {ON_FLOOR: True, SEEN: False}


def test_that_what_a_rule_concluded_counts_as_a_fact_met() -> None:
    rules, lost, found = tables(), frozenset({FLOOR, SEEN}), frozenset({FLOOR, ON_FLOOR})
    concluded = {ON_FLOOR: True, SEEN: False}
    assert rules.changed(rules.facts(lost), concluded) == rules.facts(found)
