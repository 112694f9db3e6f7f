"""Rules bound to objects: what they conclude depends on the facts, not on which state was met first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Atom
from core.domains import DefaultRule
from core.planning.default_rules import BoundRule
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


def rule(of: DefaultRule = LOST) -> BoundRule:
    domain = Domain("rooms", types=(Typed("thing"),))
    return BoundRule(of, Problem("one", domain, (Typed("cup", "thing"),), frozenset(), ()))


def test_that_a_fact_blocks_a_rule_whatever_state_was_met_first() -> None:
    lost, placed, concluded = (
        frozenset({FLOOR, SEEN}),
        frozenset({FLOOR, SEEN, CUP}),
        {ON_FLOOR: True, SEEN: False},
    )
    known = rule()
    assert [known.conclusions(state) for state in (lost, placed, lost)] == [concluded, {}, concluded]


def test_that_only_so_many_conclusions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.planning.default_rules.MOST_KEPT", 2)
    known, kept = rule(), list[int]()
    for facts in ({FLOOR}, {SEEN}, {CUP}):
        known.conclusions(frozenset(facts))
        kept.append(len(known._known))
    assert kept == [1, 2, 1]


def test_that_a_rule_concludes_nothing_while_a_condition_is_met_by_no_fact() -> None:
    known = rule()
    assert known.conclusions(frozenset({SEEN})) == {}
    assert known.conclusions(frozenset({SEEN, FLOOR})) == {ON_FLOOR: True, SEEN: False}


def test_that_a_constant_in_what_blocks_a_rule_stands_for_itself() -> None:
    known = rule(replace(LOST, unless=(Literal("on", ("?o", "shelf")),)))
    assert known.conclusions(frozenset({FLOOR, CUP})) == {ON_FLOOR: True}
    assert known.conclusions(frozenset({FLOOR, Atom("on", ("cup", "shelf"))})) == {}
