"""The paper's ten skills: what each requires (Table 1, hidden from the agent), and its effect.

Pure functions over the true state. A constraint returns "" if it is met, else the reason in words for people.
Where Table 1 is silent, a skill may be carried out and still have no effect, such as filling a mug at a sink
that holds no water.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.belief import Atom
from core.planning_model import Literal
from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HAND, STATE_PREDICATES, HouseholdState, in_view, room_of

Constraint = Callable[[HouseholdObjects, HouseholdState, tuple[str, ...]], str]
Effect = Callable[[HouseholdObjects, HouseholdState, tuple[str, ...]], HouseholdState]


@dataclass(frozen=True)
class HouseholdSkill:
    """A skill of the household.

    It acts on `argument_count` things; its functions get their names in order.
    """

    argument_count: int
    constraints: tuple[Constraint, ...]
    effect: Effect


# --- constraints ------------------------------------------------------------------------------------


def _hand_empty(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    return f"{state.held} is in the hand already" if state.held else ""


def _in_hand(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    return "" if state.held == args[0] else f"{args[0]} is not in the hand"


def _knife_in_hand(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    if args[0] not in things.knives:
        return f"{args[0]} is no knife"
    return _in_hand(things, state, args)


def _first_in_view(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    seen = args[0] == state.held or args[0] in in_view(things, state)
    return "" if seen else f"{args[0]} is not in view"


def _second_in_view(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    return _first_in_view(things, state, args[1:])


def _near_second(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    there = state.near == args[1] or args[1] in in_view(things, state)
    return "" if there else f"{args[1]} is not near"


def _second_open(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    return f"{args[1]} is closed" if state.holds("closed", args[1]) else ""


def _first_empty(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    full = any(f.predicate == "filled" and f.args[0] == args[0] for f in state.facts)
    return f"{args[0]} is full already" if full else ""


def _of_kind(kind: Callable[[HouseholdObjects], frozenset[str]], which: int, otherwise: str) -> Constraint:
    """Return the constraint that argument `which` is of this kind; if it is not, `otherwise` is the
    reason.
    """

    def constraint(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
        return "" if args[which] in kind(things) else f"{args[which]} {otherwise}"

    return constraint


def _can_be_found(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    """Interpret Table 1's "same room" as "reachable by a free path", which holds always; only the held thing
    cannot be looked for.
    """
    if args[0] not in things.furniture | things.movables:
        return f"{args[0]} is nothing to go to"
    return f"{args[0]} is in the hand" if state.held == args[0] else ""


_is_movable = _of_kind(lambda t: t.movables, 0, "cannot be carried")
_movable = _of_kind(lambda t: t.movables, 1, "cannot be cut")
_is_container = _of_kind(lambda t: t.openables, 1, "holds nothing")
_is_surface = _of_kind(lambda t: t.surfaces, 1, "is no place to put things on")
_is_sink = _of_kind(lambda t: t.sinks, 0, "is no sink")
_second_is_sink = _of_kind(lambda t: t.sinks, 1, "is no sink")
_has_door = _of_kind(lambda t: t.openables, 0, "has no door")
_has_switch = _of_kind(lambda t: t.see_through, 0, "has no switch")


def _is_cuttable(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> str:
    return f"{args[1]} is in the hand" if args[1] == state.held else _movable(things, state, args)


# --- what the skills do -----------------------------------------------------------------------------


def _find(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    return replace(state, room=room_of(things, state, args[0]), near=args[0], focus=args[0])


def _grasp(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    return state.with_thing_at(args[0], HAND)


def _place(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    thing, place = args
    placed = state.with_thing_at(thing, place)
    return replace(placed, focus=thing) if place in things.floors.values() else placed


def _fill_sink(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    return state.with_facts(*(Atom("filledsink", (args[0], liquid)) for liquid in things.liquids[args[0]]))


def _fill(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    """Fill the container only with what is in the sink, and empty the sink."""
    thing, sink = args
    there = [f for f in state.facts if f.predicate == "filledsink" and f.args[0] == sink]
    return state.without_facts(*there).with_facts(*(Atom("filled", (thing, f.args[1])) for f in there))


def _open(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    return state.without_facts(Atom("closed", args))


def _close(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    return state.with_facts(Atom("closed", args))


def _turn_on(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    """Turn on an appliance. A microwave runs only when closed, and boils the liquid in what stands inside.

    An oven heats with its door open or closed, as in the paper's domain, and thaws what it heats.
    """
    device = args[0]
    inside = [m for m, place in state.places.items() if place == device]
    if device in things.ovens:
        hot = state.with_facts(*(Atom("hot", (m,)) for m in inside))
        return hot.without_facts(*(Atom("frozen", (m,)) for m in inside)).with_facts(Atom("turnedon", args))
    if not state.holds("closed", device):
        return state
    boiled = (f.args[1] for f in state.facts if f.predicate == "filled" and f.args[0] in inside)
    return state.with_facts(Atom("turnedon", args), *(Atom("cooked", (liquid,)) for liquid in boiled))


def _cut(things: HouseholdObjects, state: HouseholdState, args: tuple[str, ...]) -> HouseholdState:
    return state.with_facts(Atom("halved", args[1:]))


def drop_to_floor(things: HouseholdObjects, state: HouseholdState, thing: str) -> tuple[HouseholdState, str]:
    """Drop the thing on the floor beside the robot, out of view, and spill its contents.

    Return state and floor.
    """
    floor = things.floor(state.room)
    spilt = (f for f in state.facts if f.predicate == "filled" and f.args[0] == thing)
    return state.with_thing_at(thing, floor).without_facts(*spilt), floor


def apply_effect(state: HouseholdState, effect: Literal) -> HouseholdState:
    """Make a situation's effect true; `supports_effect` tells which effects a household supports."""
    if effect.predicate == "inview":
        return replace(state, focus="")
    return state.with_facts(effect.atom) if effect.positive else state.without_facts(effect.atom)


def supports_effect(effect: Literal) -> bool:
    """Return True for any state predicate, and for the effect that something is not in view."""
    return effect.predicate in STATE_PREDICATES or (effect.predicate == "inview" and not effect.positive)


HOUSEHOLD_SKILLS: Mapping[str, HouseholdSkill] = MappingProxyType(
    {
        "find": HouseholdSkill(1, (_can_be_found,), _find),
        "grasp": HouseholdSkill(1, (_is_movable, _first_in_view, _hand_empty), _grasp),
        "placein": HouseholdSkill(2, (_in_hand, _is_container, _second_in_view, _second_open), _place),
        "placeon": HouseholdSkill(2, (_in_hand, _is_surface, _second_in_view), _place),
        "fillsink": HouseholdSkill(1, (_is_sink, _first_in_view), _fill_sink),
        "fill": HouseholdSkill(2, (_in_hand, _second_is_sink, _near_second, _first_empty), _fill),
        "open": HouseholdSkill(1, (_has_door, _first_in_view), _open),
        "close": HouseholdSkill(1, (_has_door, _first_in_view), _close),
        "turnon": HouseholdSkill(1, (_has_switch, _first_in_view), _turn_on),
        "cut": HouseholdSkill(2, (_knife_in_hand, _is_cuttable, _second_in_view), _cut),
    }
)
