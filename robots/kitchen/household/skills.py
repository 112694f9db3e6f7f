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
from robots.kitchen.household.state import COMPUTED, HAND, HouseholdState, in_view, room_of

Args = tuple[str, ...]
Constraint = Callable[[HouseholdObjects, HouseholdState, Args], str]
Effect = Callable[[HouseholdObjects, HouseholdState, Args], HouseholdState]


@dataclass(frozen=True)
class HouseholdSkill:
    """A skill of the household on `argument_count` things, whose names its functions get in order."""

    argument_count: int
    constraints: tuple[Constraint, ...]
    effect: Effect


# --- constraints ------------------------------------------------------------------------------------


def _require(met: Callable[[HouseholdObjects, HouseholdState, Args], bool], otherwise: str) -> Constraint:
    """Return the constraint that this is so; `otherwise` names the things as {0}, {1} and {held}."""

    def constraint(things: HouseholdObjects, state: HouseholdState, args: Args) -> str:
        return "" if met(things, state, args) else otherwise.format(*args, held=state.held)

    return constraint


def _in_view(which: int) -> Constraint:
    return _require(
        lambda t, s, a: a[which] == s.held or a[which] in in_view(t, s), f"{{{which}}} is not in view"
    )


_hand_empty = _require(lambda t, s, a: not s.held, "{held} is in the hand already")
_in_hand = _require(lambda t, s, a: s.held == a[0], "{0} is not in the hand")
_is_knife = _require(lambda t, s, a: a[0] in t.knives, "{0} is no knife")
_near_second = _require(lambda t, s, a: s.near == a[1] or a[1] in in_view(t, s), "{1} is not near")
_second_open = _require(lambda t, s, a: not s.holds("closed", a[1]), "{1} is closed or ajar")
_first_empty = _require(
    lambda t, s, a: not any(f.predicate == "filled" and f.args[0] == a[0] for f in s.facts),
    "{0} is full already",
)
_is_movable = _require(lambda t, s, a: a[0] in t.movables, "{0} cannot be carried")
_is_container = _require(lambda t, s, a: a[1] in t.openables, "{1} holds nothing")
_is_surface = _require(lambda t, s, a: a[1] in t.surfaces, "{1} is no place to put things on")
_is_sink = _require(lambda t, s, a: a[0] in t.sinks, "{0} is no sink")
_second_is_sink = _require(lambda t, s, a: a[1] in t.sinks, "{1} is no sink")
_has_door = _require(lambda t, s, a: a[0] in t.openables, "{0} has no door")
_has_switch = _require(lambda t, s, a: a[0] in t.see_through, "{0} has no switch")
_not_held = _require(lambda t, s, a: a[1] != s.held, "{1} is in the hand")
_can_be_cut = _require(lambda t, s, a: a[1] in t.movables, "{1} cannot be cut")
# Table 1's "same room" is read as "reachable by a free path", which holds always, except for the held thing.
_is_a_place = _require(lambda t, s, a: a[0] in t.furniture | t.movables, "{0} is nothing to go to")
_is_elsewhere = _require(lambda t, s, a: s.held != a[0], "{0} is in the hand")


# --- what the skills do -----------------------------------------------------------------------------


def _find(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    return replace(state, room=room_of(things, state, args[0]), near=args[0], focus=args[0])


def _grasp(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    return state.with_thing_at(args[0], HAND)


def _place(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    thing, place = args
    placed = state.with_thing_at(thing, place)
    return replace(placed, focus=thing) if place in things.floors.values() else placed


def _fill_sink(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    return state.with_facts(*(Atom("filledsink", (args[0], liquid)) for liquid in things.liquids[args[0]]))


def _fill(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    """Fill the container only with what is in the sink, and empty the sink."""
    thing, sink = args
    there = [f for f in state.facts if f.predicate == "filledsink" and f.args[0] == sink]
    return state.without_facts(*there).with_facts(*(Atom("filled", (thing, f.args[1])) for f in there))


def _open(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    return state.without_facts(Atom("closed", args))


def _close(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    return state.with_facts(Atom("closed", args))


def _turn_on(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
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


def _cut(things: HouseholdObjects, state: HouseholdState, args: Args) -> HouseholdState:
    return state.with_facts(Atom("halved", args[1:]))


def drop_to_floor(things: HouseholdObjects, state: HouseholdState, thing: str) -> tuple[HouseholdState, str]:
    """Drop the thing beside the robot, out of view, and spill its contents. Return state and floor."""
    floor = things.floor(state.room)
    spilt = (f for f in state.facts if f.predicate == "filled" and f.args[0] == thing)
    return state.with_thing_at(thing, floor).without_facts(*spilt), floor


def apply_effect(state: HouseholdState, effect: Literal) -> HouseholdState:
    """Make a situation's effect true; `supports_effect` tells which effects a household supports."""
    if effect.predicate == "inview":
        return replace(state, focus="")
    return state.with_facts(effect.atom) if effect.positive else state.without_facts(effect.atom)


def supports_effect(effect: Literal) -> bool:
    """Return True for what is not computed, and for the effect that something is not in view."""
    return effect.predicate not in COMPUTED or (effect.predicate == "inview" and not effect.positive)


HOUSEHOLD_SKILLS: Mapping[str, HouseholdSkill] = MappingProxyType(
    {
        "find": HouseholdSkill(1, (_is_a_place, _is_elsewhere), _find),
        "grasp": HouseholdSkill(1, (_is_movable, _in_view(0), _hand_empty), _grasp),
        "placein": HouseholdSkill(2, (_in_hand, _is_container, _in_view(1), _second_open), _place),
        "placeon": HouseholdSkill(2, (_in_hand, _is_surface, _in_view(1)), _place),
        "fillsink": HouseholdSkill(1, (_is_sink, _in_view(0)), _fill_sink),
        "fill": HouseholdSkill(2, (_in_hand, _second_is_sink, _near_second, _first_empty), _fill),
        "open": HouseholdSkill(1, (_has_door, _in_view(0)), _open),
        "close": HouseholdSkill(1, (_has_door, _in_view(0)), _close),
        "turnon": HouseholdSkill(1, (_has_switch, _in_view(0)), _turn_on),
        "cut": HouseholdSkill(2, (_is_knife, _in_hand, _not_held, _can_be_cut, _in_view(1)), _cut),
    }
)
