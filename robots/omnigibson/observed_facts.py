"""Convert the simulator's object states to the household's facts, and find where they disagree. Pure.

A state that the simulator does not have, or cannot determine now, is unknown and leaves the fact as it is.
`Inside` and `OnTop` use rays, which sometimes miss: then the bounding boxes decide. While a vessel is held
its liquid is not asked for, because it is then removed from the simulator (see `skill_player.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from core.belief import Atom
from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HAND, HouseholdState
from robots.omnigibson.activities import Activity

StateQuery = tuple[str, ...]  # state, object and perhaps another object, by the simulator's names
_TOLERANCE = 0.08  # metres between a thing and what it stands on


@dataclass(frozen=True)
class Box:
    """The bounding box of a thing: its lowest and its highest corner, metres."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def centre(self) -> tuple[float, ...]:
        return tuple((a + b) / 2 for a, b in zip(self.low, self.high, strict=True))

    def contains(self, point: Sequence[float]) -> bool:
        return all(a <= p <= b for a, p, b in zip(self.low, point, self.high, strict=True))

    def carries(self, other: Box) -> bool:
        """Return True if the other stands on this one, by its lowest point and its middle."""
        x, y, _ = other.centre
        over = self.low[0] <= x <= self.high[0] and self.low[1] <= y <= self.high[1]
        return over and abs(other.low[2] - self.high[2]) <= _TOLERANCE


@dataclass(frozen=True)
class SimulatorState:
    """The states, boxes and held thing as the simulator reports them, by its own names."""

    values: Mapping[StateQuery, bool | None]
    boxes: Mapping[str, Box]
    held: str
    exists: frozenset[str]


def liquids(things: HouseholdObjects) -> tuple[str, ...]:
    """Return every liquid that something can be filled with."""
    return tuple(sorted({liquid for poured in things.liquids.values() for liquid in poured}))


def relation(things: HouseholdObjects, place: str) -> str:
    """Return the state of what was put there, by the simulator's name."""
    return "Inside" if place in things.openables else "OnTop"


@dataclass(frozen=True)
class Observer:
    """Derives the household's facts of one task from the simulator's states."""

    things: HouseholdObjects
    activity: Activity

    def questions(self, state: HouseholdState) -> tuple[StateQuery, ...]:
        """Return the states to ask the simulator for."""
        return tuple(dict.fromkeys(self._questions(state)))

    def _questions(self, state: HouseholdState) -> Iterator[StateQuery]:
        named = self.activity.theirs
        for name in sorted(self.things.openables):
            yield "Open", named(name)
        for name in sorted(self.things.microwaves | self.things.ovens):
            yield "ToggledOn", named(name)
        for thing in sorted(state.places):
            yield "Frozen", named(thing)
            yield "Heated", named(thing)
            for place in sorted(self.things.furniture - self.activity.absent):
                yield relation(self.things, place), named(thing), named(place)
            for liquid in liquids(self.things):
                for kind in (named(liquid), self.activity.boiled.get(liquid, "")):
                    if kind:
                        yield "Filled", named(thing), kind

    def observed(self, state: HouseholdState, simulated: SimulatorState) -> HouseholdState:
        """Return the state corrected by the simulator, where it reports anything."""
        places = {thing: self._place(state, simulated, thing) for thing in state.places}
        facts = set(state.facts)
        for atom, holds in self._facts(state, simulated):
            if holds is not None:
                (facts.add if holds else facts.discard)(atom)
        return replace(state, places=MappingProxyType(places), facts=frozenset(facts))

    def _place(self, state: HouseholdState, simulated: SimulatorState, thing: str) -> str:
        name, expected = self.activity.theirs(thing), state.places[thing]
        if simulated.held == name:
            return HAND
        if name not in simulated.exists:  # cut in two
            return expected
        box = simulated.boxes.get(name)
        candidates = [place for place in sorted(self.things.furniture) if self.activity.theirs(place)]
        candidates.sort(key=lambda p: (p != expected, p in self.things.floors.values()))
        for place in candidates:
            if simulated.values.get((relation(self.things, place), name, self.activity.theirs(place))):
                return place
        if box is not None:
            for place in candidates:
                other = simulated.boxes.get(self.activity.theirs(place))
                inside = place in self.things.openables
                if other is not None and (other.contains(box.centre) if inside else other.carries(box)):
                    return place
        return expected if expected != HAND else self.things.floor(state.room)

    def _facts(self, state: HouseholdState, simulated: SimulatorState) -> Iterator[tuple[Atom, bool | None]]:
        named, values = self.activity.theirs, simulated.values
        for name in sorted(self.things.openables):
            is_open = values.get(("Open", named(name)))
            yield Atom("closed", (name,)), None if is_open is None else not is_open
        for name in sorted(self.things.microwaves | self.things.ovens):
            yield Atom("turnedon", (name,)), values.get(("ToggledOn", named(name)))
        for thing, place in state.places.items():
            yield Atom("frozen", (thing,)), values.get(("Frozen", named(thing)))
            yield Atom("hot", (thing,)), values.get(("Heated", named(thing)))
            if self.activity.halves and thing not in self.things.knives:
                there = set(self.activity.halves) <= simulated.exists and named(thing) not in simulated.exists
                yield Atom("halved", (thing,)), there
            if HAND not in (place, self._place(state, simulated, thing)):
                for liquid in liquids(self.things):
                    yield from self._filled(thing, liquid, values)

    def _filled(
        self, thing: str, liquid: str, values: Mapping[StateQuery, bool | None]
    ) -> Iterator[tuple[Atom, bool | None]]:
        named = self.activity.theirs
        raw = values.get(("Filled", named(thing), named(liquid)))
        boiled = values.get(("Filled", named(thing), self.activity.boiled.get(liquid, "")))
        if raw is None and boiled is None:
            return
        yield Atom("filled", (thing, liquid)), bool(raw) or bool(boiled)
        if boiled:
            yield Atom("cooked", (liquid,)), True
        elif raw:
            yield Atom("cooked", (liquid,)), False


def disagreements(
    before: HouseholdState, expected: HouseholdState, observed: HouseholdState
) -> tuple[str, ...]:
    """Return what the simulator did not make so, with the task's names, one phrase each.

    What it has in addition, such as a mug that the microwave has warmed, is no disagreement.
    """
    phrases = []
    for thing, place in sorted(expected.places.items()):
        if observed.places[thing] != place:
            phrases.append(f"{thing} is {_where(observed.places[thing])}, not {_where(place)}")
    for atom in sorted(expected.facts - observed.facts):
        phrases.append(f"{_words(atom)} does not hold")
    for atom in sorted((observed.facts - expected.facts) & before.facts):
        phrases.append(f"{_words(atom)} still holds")
    return tuple(phrases)


def _where(place: str) -> str:
    return "in the hand" if place == HAND else f"at {place}"


def _words(atom: Atom) -> str:
    return f"({' '.join((atom.predicate, *atom.args))})"
