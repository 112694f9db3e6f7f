"""The true state as atoms of the household domain: all that hold, the observable ones, the sensed ones."""

from __future__ import annotations

from core.belief import Atom
from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HAND, PREDICATES, HouseholdState, in_view, is_enclosed, room_of


def true_atoms(things: HouseholdObjects, state: HouseholdState) -> frozenset[Atom]:
    """Return every atom that holds now.

    `(inroom x r)` means "a free path leads from here to x in r", as the paper's domain reads it. It therefore
    holds of the agent for every room that it may enter, and of nothing behind a closed door. In view is what
    a camera sees, including the held thing (docs/decisions.md).
    """
    agent, held = things.agent, state.held
    atoms = [Atom("inview", (agent, thing)) for thing in in_view(things, state).union({held} - {""})]
    atoms.append(Atom("inhand", (agent, held)) if held else Atom("handempty", (agent,)))
    if state.near and state.near != held:
        atoms.append(Atom("found", (agent, state.near)))
    floors = things.floors.values()
    for thing, place in state.places.items():
        if place in floors:
            atoms.append(Atom("onfloor", (thing, place)))
        if place != HAND:
            atoms.append(Atom("inside" if place in things.openables else "ontop", (thing, place)))
        if not is_enclosed(things, state, thing):
            atoms.append(Atom("inroom", (thing, room_of(things, state, thing))))
    return things.static_facts.union(state.facts, atoms)


def sensed_atoms(things: HouseholdObjects, state: HouseholdState) -> dict[Atom, bool]:
    """Return the truth of what the robot feels (Table 2, second row): hand empty, and for each movable thing
    whether it is in the hand and hot.
    """
    agent, held = things.agent, state.held
    felt = {Atom("handempty", (agent,)): not held}
    for thing in state.places:
        felt[Atom("inhand", (agent, thing))] = thing == held
        felt[Atom("hot", (thing,))] = state.holds("hot", thing)
    return felt


def is_observable(things: HouseholdObjects, state: HouseholdState, atom: Atom) -> bool:
    """Return True if the current picture can show whether this atom holds.

    The hand, with what it holds, is always in the picture. An empty place shows that a thing is not there,
    but a floor is too wide for that, and a closed door without a window shows nothing. That water was boiled
    shows in the steam over it; an empty vessel shows only that none was boiled. For how full a vessel
    is, see `shows_contents`.
    """
    view = in_view(things, state)
    behind_glass = view & things.see_through
    shown = view.union(m for m, place in state.places.items() if place == HAND or place in behind_glass)
    match atom.predicate, atom.args:
        case ("inview" | "inhand" | "handempty", _):
            return True
        case ("inside" | "ontop" | "onfloor", (thing, place)):
            return thing in shown or (place in view and _shows_absence(things, state, place))
        case ("cooked", (thing,)) if thing not in things.movables:
            holders = {f.args[0] for f in state.facts if f.predicate == "filled" and f.args[1] == thing}
            return not shown.isdisjoint(holders or (() if atom in state.facts else things.movables))
        case ("filled", (thing, _)):
            return shows_contents(things, state, thing)
        case ("filledsink", (sink, _)):
            return sink in view
        case (predicate, args) if (
            predicate in ("closed", "halved", "cooked", "frozen") or predicate not in PREDICATES
        ):
            about = (things.furniture | things.movables).intersection(args)
            return bool(about) and about <= shown
        case _:
            return False


def shows_contents(things: HouseholdObjects, state: HouseholdState, thing: str) -> bool:
    """Return True if the picture shows from above how full this is: in the hand, in view on furniture, or in
    an open microwave. On a shelf at the height of the eye the rim hides it; a floor is too far away.
    """
    place = state.places.get(thing, "")
    shelves = things.openables - things.microwaves
    hidden = place in shelves or place in things.floors.values()
    return place == HAND or (not hidden and thing in in_view(things, state))


def _shows_absence(things: HouseholdObjects, state: HouseholdState, place: str) -> bool:
    if place in things.floors.values():
        return False
    return place in things.see_through or not state.holds("closed", place)
