"""Changes as values: what they make of a problem, what is wrong with them, and their words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Atom
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import (
    A_FALL,
    AddFact,
    AddObject,
    AddPrecondition,
    AddRepair,
    AllowSubstitute,
    Change,
    SideEffect,
)
from core.planning.domain_library import load_domain_spec
from core.planning.pddl.reader import read_domain
from core.planning.pddl.writer import write_domain
from core.planning.planner import make_planner
from core.planning_model import Action, Effect, Literal, PlanStatus, Problem, Step, Typed
from core.stop_token import StopToken
from tests.core.tiny import DOMAIN, OPEN, PROBLEM, TAKE

RUSTY = AddPrecondition("take", "is_rusty", ("thing",))
IS_RUSTY = AddFact(Atom("is_rusty", ("key",)))
WIRE = AllowSubstitute("wire", "thing")
A_WIRE = AddObject("wire_1", "wire", (Atom("inside", ("wire_1", "door")),))
BRUSH = Action(
    "brush", (Typed("?t", "thing"), Typed("?d", "door")), (), (Effect(Literal("closed", ("?d",), False)),)
)
REPAIR = AddRepair("brush", "gate", "is_rusty", "thing")
GATES = replace(DOMAIN, types=(*DOMAIN.types, Typed("gate", "door")), actions=(*DOMAIN.actions, BRUSH))
WITH_GATE = replace(PROBLEM, domain=GATES, objects=(*PROBLEM.objects, Typed("gate", "gate")))


def plan(problem, changes: tuple[Change, ...]):
    return make_planner().plan(apply_changes(problem, changes), StopToken())


def test_that_a_new_precondition_forbids_what_was_planned() -> None:
    assert plan(PROBLEM, (RUSTY, IS_RUSTY)).status is PlanStatus.IMPOSSIBLE
    assert plan(PROBLEM, (RUSTY,)).steps == (OPEN, TAKE)


def test_that_the_order_in_which_changes_are_given_makes_no_difference() -> None:
    given = (IS_RUSTY, A_WIRE, RUSTY, WIRE)
    assert apply_changes(PROBLEM, given) == apply_changes(PROBLEM, reversed(given))
    assert apply_changes(apply_changes(PROBLEM, given), given) == apply_changes(PROBLEM, given)


def test_that_a_substitute_serves_where_the_thing_itself_cannot() -> None:
    either = replace(PROBLEM, goal=(Literal("handempty", (), False),))
    assert plan(either, (RUSTY, IS_RUSTY, WIRE, A_WIRE)).steps == (OPEN, Step("take", ("wire_1", "door")))


def test_that_a_repair_makes_a_skill_that_exists_end_the_situation() -> None:
    steps = plan(WITH_GATE, (RUSTY, IS_RUSTY, REPAIR)).steps
    assert Step("brush", ("key", "gate")) in steps and steps[-1] == TAKE


def test_that_a_changed_domain_can_be_written_and_read_again(tmp_path) -> None:
    changed = apply_changes(WITH_GATE, (RUSTY, WIRE, REPAIR)).domain
    (file := tmp_path / "learnt.pddl").write_text(write_domain(changed))
    assert write_domain(read_domain(file)) == write_domain(changed)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ((AddPrecondition("fly", "is_rusty"),), "no action 'fly'"),
        ((AddPrecondition("take", "is_rusty", ("cup",)),), "no type 'cup'"),
        ((AddPrecondition("open", "is_rusty", ("thing",)),), "takes nothing of the type thing"),
        ((AddPrecondition("take", "Is Rusty!", ("thing",)),), "no PDDL name"),
        ((AddPrecondition("take", "inside", ("thing",)),), "has 2 arguments already"),
        ((AddPrecondition("take", "handempty"),), "could never be done"),
        ((IS_RUSTY,), "a predicate that the domain does not have"),
        ((RUSTY, AddFact(Atom("is_rusty", ("ghost",)))), "names ghost, which is not there"),
        ((AllowSubstitute("wire", "hook"), AllowSubstitute("hook", "wire")), "keep one of the two"),
        ((AllowSubstitute("thing", "thing"),), "keep one of the two"),
        ((AddObject("key", "door"),), "key is a thing already"),
        ((AddObject("wire_1", "wire"),), "no type 'wire'"),
        ((SideEffect("fly", "closed"),), "no action 'fly'"),
        ((SideEffect(A_FALL, "rusty"),), "no predicate 'rusty'"),
        ((AddRepair("open", "robot", "is_rusty", "thing"),), "no type 'robot'"),
        ((AllowSubstitute("tin", "thing"), AddRepair("open", "tin", "is_rusty", "door")), "take a tin and a"),
        ((AddRepair("open", "door", "is_rusty", "thing"),), "does not take a door and a thing"),
        ((AddFact(Atom("holding", ("key",))),), "goal true at once"),
    ],
)
def test_that_bad_changes_are_told_in_one_sentence(changes: tuple[Change, ...], fault: str) -> None:
    faults = change_faults(PROBLEM, changes)
    assert len(faults) == 1 and fault in faults[0] and faults[0].endswith(".")


def test_that_good_changes_have_no_fault() -> None:
    assert not change_faults(PROBLEM, (IS_RUSTY, A_WIRE, RUSTY, WIRE))
    assert not change_faults(WITH_GATE, (RUSTY, REPAIR))


def test_that_changes_are_put_into_words() -> None:
    assert (
        AddPrecondition("fill", "is_dirty", ("cup",)).describe() == "“fill” now needs: the cup is not dirty"
    )
    assert AddFact(Atom("is_dirty", ("cup_1",))).describe() == "now cup 1 is dirty"
    assert AddFact(Atom("is_dirty", ("cup_1",))).describe(lambda _: "cup") == "now the cup is dirty"
    assert AllowSubstitute("dish_bowl", "cup").describe() == "a dish bowl counts as a cup"
    assert [c.lasting for c in (RUSTY, WIRE, REPAIR, A_WIRE, IS_RUSTY)] == [True] * 3 + [False] * 2


def test_that_changes_are_put_into_pddl() -> None:
    changes = (RUSTY, WIRE, REPAIR, A_WIRE, IS_RUSTY)
    assert [change.pddl for change in changes] == [
        "take: (not (is_rusty ?thing))",
        "types: wire - thing",
        "brush: (forall (?gate - gate) (when (= ?device ?gate) (not (is_rusty ?thing))))",
        "objects: wire_1 - wire (inside wire_1 door)",
        "init: (is_rusty key)",
    ]


def test_that_a_precondition_is_about_the_parameter_whose_type_is_the_closest() -> None:
    scrub = load_domain_spec("dining").domain
    torn = AddPrecondition("scrub", "is_torn", ("sponge",))
    changed = apply_changes(Problem("wash", scrub, (), frozenset(), ()), (torn,))
    assert Literal("is_torn", ("?s",), False) in changed.domain.action("scrub").precondition
