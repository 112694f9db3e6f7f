from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from tarski.io import PDDLReader

from core.belief import Atom
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import EQUALS, Action, Domain, Effect, Literal, Predicate, Problem, Typed

NAMES = ("ab", "b-1", "max", "on_top", "x__y", "at-end")
TYPES = ("thing", "box", "cup")


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    types = [Typed("box", "thing"), Typed("cup", draw(st.sampled_from(("box", "object")))), Typed("thing")]
    constants = draw(st.lists(st.sampled_from(("lid", "nail")), unique=True))
    types_of = st.sampled_from((*TYPES, "object"))
    predicates = [
        Predicate(name, tuple(Typed(f"?p{n}", draw(types_of)) for n in range(draw(st.integers(0, 2)))))
        for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    ]
    domain = Domain(
        "d",
        tuple(sorted(types)),
        tuple(sorted(Typed(name, draw(types_of)) for name in constants)),
        tuple(predicates),
    )
    names = draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
    actions = tuple(draw(actions_of(domain, name)) for name in names)
    return Domain(domain.name, domain.types, domain.constants, domain.predicates, actions)


@st.composite
def actions_of(draw: st.DrawFn, domain: Domain, name: str) -> Action:
    types = st.sampled_from((*TYPES, "object"))
    parameters = tuple(Typed(f"?v{n}", draw(types)) for n in range(draw(st.integers(0, 3))))
    precondition = draw(literals_of(domain, parameters, equality=True))
    effects = []
    for _ in range(draw(st.integers(0, 3))):
        inner = tuple(Typed(f"?w{n}", draw(types)) for n in range(draw(st.integers(0, 2))))
        condition = draw(literals_of(domain, (*parameters, *inner), equality=True))
        for literal in draw(literals_of(domain, (*parameters, *inner), equality=False))[:1]:
            effects.append(Effect(literal, inner, condition))
    return Action(name, parameters, precondition, tuple(effects))


@st.composite
def literals_of(
    draw: st.DrawFn, domain: Domain, terms: tuple[Typed, ...], *, equality: bool
) -> tuple[Literal, ...]:
    terms = (*terms, *domain.constants)
    found = []
    for _ in range(draw(st.integers(0, 2))):
        if equality and len(terms) > 1 and draw(st.booleans()):
            pair = draw(st.permutations(terms))[:2]
            found.append(Literal(EQUALS, tuple(t.name for t in pair), draw(st.booleans())))
            continue
        predicate = draw(st.sampled_from(domain.predicates))
        fits = [[t.name for t in terms if domain.is_a(t.type, p.type)] for p in predicate.parameters]
        if all(fits):
            args = tuple(draw(st.sampled_from(names)) for names in fits)
            found.append(Literal(predicate.name, args, draw(st.booleans())))
    return tuple(found)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    domain = draw(domains())
    types = st.sampled_from((*TYPES, "object"))
    objects = tuple(Typed(f"o{n}", draw(types)) for n in range(draw(st.integers(0, 4))))
    facts = draw(literals_of(domain, objects, equality=False))
    goal = draw(literals_of(domain, objects, equality=True))
    return Problem("p", domain, objects, frozenset(Atom(f.predicate, f.args) for f in facts), goal)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_that_what_is_written_reads_back_the_same(problem: Problem) -> None:
    domain = parse_domain(write_domain(problem.domain))
    assert domain == problem.domain
    assert parse_problem(write_problem(problem), domain) == problem


def test_that_foreign_problems_survive_read_write_read(problem: Problem) -> None:
    domain = parse_domain(write_domain(problem.domain))
    assert domain == problem.domain
    assert parse_problem(write_problem(problem), domain) == problem


def test_that_another_strict_reader_takes_what_we_write(household: Callable[..., Problem]) -> None:
    problem = household("boil_water")
    reader = PDDLReader(raise_on_error=True)
    reader.parse_domain_string(write_domain(problem.domain))
    reader.parse_instance_string(write_problem(problem))
    theirs = {
        Atom(a.predicate.name, tuple(t.name for t in a.subterms)) for a in reader.problem.init.as_atoms()
    }
    assert theirs == problem.state
    assert sorted(reader.problem.actions) == sorted(a.name for a in problem.domain.actions)
