"""Domains of a few lines whose variables and objects multiply: `forall` over 8 variables and 60 objects."""

from __future__ import annotations

import random

from core.planning import semantics
from core.planning.elimination import eliminate_redundant
from core.planning.engines.engine import SearchLimits
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.search import PlanSearch
from core.planning_model import Step
from core.stop_token import StopToken
from core.work import Work

UNITS = 50_000  # so that many are tried; without a budget of ours, each function has a larger one


def text(rng: random.Random) -> tuple[str, str]:
    """Return a domain and a problem."""
    most = rng.randrange(1, 9)
    names = [f"?v{n}" for n in range(most)]

    def atom() -> str:
        arity = rng.randrange(1, 9)
        return f"(q{arity} {' '.join(rng.choice(names) for _ in range(arity))})"

    def condition(depth: int = 0) -> str:
        kind = rng.choice(("atom", "not", "and", "or", "forall", "exists", "=")) if depth < 4 else "atom"
        if kind == "not":
            return f"(not {condition(depth + 1)})"
        if kind in ("and", "or"):
            return f"({kind} {' '.join(condition(depth + 1) for _ in range(rng.randrange(1, 4)))})"
        if kind in ("forall", "exists"):
            inner = rng.sample(names, rng.randrange(1, most + 1))
            return f"({kind} ({' '.join(inner)}) {condition(depth + 1)})"
        return f"(= {rng.choice(names)} {rng.choice(names)})" if kind == "=" else atom()

    def closed(kind: str) -> str:
        return f"({kind} ({' '.join(names)}) {condition()})"

    parameters = " ".join(names)
    effect = rng.choice(
        (
            "(done)",
            f"(and (done) {atom()})",
            f"(and (done) (forall ({parameters}) (when {condition()} {atom()})))",
            f"(and (done) (when {condition()} (not {atom()})))",
        )
    )
    actions = f"(:action a :parameters ({parameters}) :precondition {condition()} :effect {effect})"
    if rng.random() < 0.5:
        actions = f"(:action a :parameters () :precondition {closed('forall')} :effect (done))"
    if rng.random() < 0.3:
        actions += f" (:derived (d {parameters}) {condition()})"
    predicates = " ".join(f"(q{n} {' '.join(f'?a{i}' for i in range(n))})" for n in range(1, 9))
    domain = f"(define (domain x) (:predicates {predicates} (done) (d {parameters})) {actions})"
    objects = [f"o{n}" for n in range(rng.choice((1, 2, 5, 20, 60)))]
    facts = (
        f"(q{arity} {' '.join(rng.choice(objects) for _ in range(arity))})"
        for arity in rng.choices(range(1, 9), k=rng.choice((0, 10, 200)))
    )
    goal = rng.choice(("(done)", closed("exists"), closed("forall")))
    start = f"(:objects {' '.join(objects)}) (:init {' '.join(facts)})"
    return domain, f"(define (problem y) (:domain x) {start} (:goal {goal}))"


def quantifiers(rng: random.Random) -> None:
    """Do all that the program does with a domain in its own process. Raises ConsoleError."""
    domain, about = text(rng)
    with Work(UNITS):
        problem = parse_problem(about, parse_domain(domain))
        semantics.goal_holds(problem, problem.state)
        PlanSearch("pyperplan").quick(problem, SearchLimits(200), StopToken())
        steps = semantics.applicable_steps(problem, problem.state)
        for step in (*steps[:3], Step("a", steps[0].args if steps else ())):
            semantics.inapplicable_reasons(problem, problem.state, step)
        if steps:
            semantics.apply(problem, problem.state, steps[0])
            eliminate_redundant(problem, steps[:5])
