"""A domain of one door and one key, small enough to follow by hand: open the door, take the key."""

from __future__ import annotations

from types import MappingProxyType

from core.belief import Atom
from core.domains import DomainSpec, Perception, PredicateSpec, Situation, Skill, Task
from core.planning_model import Action, Domain, Effect, Literal, Predicate, Problem, Step, Typed

CLOSED, INSIDE, HOLDING, EMPTY = (
    Atom("closed", ("door",)),
    Atom("inside", ("key", "door")),
    Atom("holding", ("key",)),
    Atom("handempty"),
)
OPEN, TAKE, SHUT = Step("open", ("door",)), Step("take", ("key", "door")), Step("shut", ("door",))


def _not(predicate: str, *args: str) -> Literal:
    return Literal(predicate, args, False)


DOMAIN = Domain(
    "doors",
    types=(Typed("door"), Typed("thing")),
    predicates=(
        Predicate("closed", (Typed("?d", "door"),)),
        Predicate("handempty"),
        Predicate("holding", (Typed("?t", "thing"),)),
        Predicate("inside", (Typed("?t", "thing"), Typed("?d", "door"))),
    ),
    actions=(
        Action(
            "open",
            (Typed("?d", "door"),),
            (Literal("closed", ("?d",)),),
            (Effect(_not("closed", "?d")),),
        ),
        Action(
            "shut",
            (Typed("?d", "door"),),
            (_not("closed", "?d"),),
            (Effect(Literal("closed", ("?d",))),),
        ),
        Action(
            "take",
            (Typed("?t", "thing"), Typed("?d", "door")),
            (Literal("inside", ("?t", "?d")), _not("closed", "?d"), Literal("handempty")),
            (
                Effect(Literal("holding", ("?t",))),
                Effect(_not("inside", "?t", "?d")),
                Effect(_not("handempty")),
            ),
        ),
    ),
)
PROBLEM = Problem(
    "get-key",
    DOMAIN,
    (Typed("door", "door"), Typed("key", "thing")),
    frozenset({CLOSED, INSIDE, EMPTY}),
    (Literal("holding", ("key",)),),
)
TASK = Task("get_key", "doors", "Get the key from behind the door.", PROBLEM, 2)


def folder(open_fails: float = 0.0, take_fails: float = 0.0) -> DomainSpec:
    """The folder, with how often opening and taking do nothing."""
    return DomainSpec(
        "doors",
        None,
        "One door, one key.",
        DOMAIN,
        "doors",
        ("doors",),
        MappingProxyType({TASK.name: TASK}),
        MappingProxyType(
            {
                "closed": PredicateSpec("Is the {0} open?", True, Perception.VISION),
                "inside": PredicateSpec("Is the {0} behind the {1}?", False, Perception.VISION),
                "holding": PredicateSpec("", False, Perception.SENSE),
                "handempty": PredicateSpec("", False, Perception.SENSE),
            }
        ),
        skills=MappingProxyType(
            {
                "open": Skill("open", "open", (Situation("stays closed", open_fails),)),
                "take": Skill("take", "grasp", (Situation("slips", take_fails),)),
            }
        ),
    )
