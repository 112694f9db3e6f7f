"""Small random problems with every feature that conditions and effects have, as PDDL text."""

from __future__ import annotations

import random
from collections.abc import Mapping

TYPES = "(:types cup box - thing place)"
PREDICATES = {  # name -> types of its parameters
    "clean": ("thing",),
    "on": ("thing", "place"),
    "lit": (),
    "next": ("place", "place"),
    "near": ("(either cup place)", "place"),
}
DERIVED = {"reach": ("place", "place"), "good": ("thing",), "bad": ("place",)}
BELOW = {"thing": ("thing", "cup", "box"), "place": ("place",), "cup": ("cup",), "box": ("box",)}
BELOW["(either cup place)"] = ("cup", "place")
OBJECTS = {"c1": "cup", "c2": "cup", "b1": "box", "here": "place", "there": "place"}
Scope = Mapping[str, str]  # a term -> its type


class Writer:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.costs = self.draw.random() < 0.3
        facts = [self.atom(dict(OBJECTS), PREDICATES) for _ in range(self.draw.randint(2, 8))]
        self.facts = " ".join(dict.fromkeys(facts))

    def domain(self) -> str:
        names = ["move", "wash", "swap"][: self.draw.randint(1, 3)]
        declared = " ".join(
            f"({name} {' '.join(f'?x{n} - {type}' for n, type in enumerate(types))})"
            for name, types in {**PREDICATES, **DERIVED}.items()
        )
        functions = "(:functions (total-cost) - number (dear ?p - place) - number)" if self.costs else ""
        parts = (
            "(define (domain made) (:requirements :adl :derived-predicates)",
            TYPES,
            "(:constants here - place)",
            f"(:predicates {declared})",
            functions,
            *self.axioms(),
            *map(self.action, names),
        )
        return "\n".join(parts) + ")"

    def problem(self, goal: str) -> str:
        values = "(= (total-cost) 0) (= (dear here) 3) (= (dear there) 1)" if self.costs else ""
        objects = " ".join(f"{name} - {type}" for name, type in OBJECTS.items() if name != "here")
        parts = (
            "(define (problem made) (:domain made)",
            f"(:objects {objects})",
            f"(:init {self.facts} {values})",
            f"(:goal {goal})",
            "(:metric minimize (total-cost))" if self.costs else "",
        )
        return "\n".join(parts) + ")"

    def axioms(self) -> list[str]:
        """A transitive closure, one that says what it likes of it, and one that negates."""
        edge = self.draw.choice(("(next ?a ?b)", "(near ?a ?b)", "(or (next ?a ?b) (next ?b ?a))"))
        basic = {**PREDICATES, "reach": DERIVED["reach"]}
        good = self.condition({"?t": "thing"}, 2, basic)
        bad = self.condition({"?p": "place"}, 2, {**basic, "good": DERIVED["good"]})
        way = "(exists (?c - place) (and (next ?a ?c) (reach ?c ?b)))"
        return [
            f"(:derived (reach ?a - place ?b - place) (or {edge} {way}))",
            f"(:derived (good ?t - thing) {good})",
            f"(:derived (bad ?p - place) {bad})",
        ]

    def action(self, name: str) -> str:
        types = [self.draw.choice(("thing", "place", "cup")) for _ in range(self.draw.randint(0, 2))]
        scope = {f"?v{n}": type for n, type in enumerate(types)}
        effects = [self.effect(scope) for _ in range(self.draw.randint(1, 3))]
        places = [term for term, type in scope.items() if type == "place"] or ["here"]
        if self.costs:
            effects.append(f"(increase (total-cost) {self.draw.choice((2, f'(dear {places[0]})'))})")
        parameters = " ".join(f"{term} - {type}" for term, type in scope.items())
        wanted = self.draw.choice(("()", self.condition(scope, 2), self.condition(scope, 3)))
        return (
            f"(:action {name} :parameters ({parameters})\n"
            f"  :precondition {wanted}\n  :effect (and {' '.join(effects)}))"
        )

    def effect(self, scope: Scope) -> str:
        if self.draw.random() < 0.3:
            variable = f"?e{len(scope)}"
            type = self.draw.choice(("thing", "place"))
            return f"(forall ({variable} - {type}) {self.effect({**scope, variable: type})})"
        change = self.atom(scope, PREDICATES)
        if self.draw.random() < 0.4:
            change = f"(not {change})"
        if self.draw.random() < 0.4:
            change = f"(when {self.condition(scope, 2)} {change})"
        return change

    def condition(
        self, scope: Scope, depth: int, predicates: Mapping[str, tuple[str, ...]] | None = None
    ) -> str:
        predicates = {**PREDICATES, **DERIVED} if predicates is None else predicates
        kind = self.draw.choice(("atom", "atom", "and", "or", "not", "imply", "forall", "exists", "same"))
        if depth == 0 or kind == "atom":
            return self.atom({**scope, "here": "place"}, predicates)
        if kind == "same":
            terms = [*scope, "here", "here"]
            return f"(= {self.draw.choice(terms)} {self.draw.choice(terms)})"
        if kind in ("forall", "exists"):
            variable = self.draw.choice((f"?q{depth}", "?q"))  # the second may hide one, or be used twice
            type = self.draw.choice(("thing", "place", "cup"))
            inner = self.condition({**scope, variable: type}, depth - 1, predicates)
            return f"({kind} ({variable} - {type}) {inner})"
        count = {"not": 1, "imply": 2}.get(kind) or self.draw.randint(1, 3)
        return f"({kind} {' '.join(self.condition(scope, depth - 1, predicates) for _ in range(count))})"

    def atom(self, scope: Scope, predicates: Mapping[str, tuple[str, ...]]) -> str:
        """One that its terms fit; there is always "(lit)"."""
        for name in self.draw.sample(sorted(predicates), len(predicates)):
            args = [self._fitting(scope, type) for type in predicates[name]]
            if all(args):
                return f"({' '.join((name, *map(self.draw.choice, args)))})"
        return "(lit)"

    def _fitting(self, scope: Scope, type: str) -> list[str]:
        return [t for t, own in scope.items() if set(BELOW[own]) <= set(BELOW[type])]
