"""PDDL files to our own values. tarski parses (`syntax.py`); here names and types are checked.

Supported: STRIPS, types, constants, equality, negative preconditions and goals, conditional effects
(`when`, `forall`). Everything else is refused in one sentence. Each text is parsed once: experiments make
the same episode's parts again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from core.errors import BadDomain
from core.planning.syntax import parse, read_text, refuse
from core.problem import EQUALS, Action, Domain, Effect, Literal, Predicate, Problem, Typed

Tree = Any  # a context of tarski's parser
ROOT = "object"


def read_domain(path: Path) -> Domain:
    """The domain in a file. Raises BadFile, BadDomain."""
    return parse_domain(read_text(path), path)


def read_problem(path: Path, domain: Domain) -> Problem:
    """The problem in a file, which must be one of `domain`. Raises BadFile, BadDomain."""
    return parse_problem(read_text(path), domain, path)


@lru_cache(maxsize=64)
def parse_domain(text: str, path: object = "the domain") -> Domain:
    """The domain in a text; `path` names it in errors."""
    tree = parse(text, "domain", path)
    names = _Names(path)
    if types := tree.declaration_of_types():
        names.types(types.possibly_typed_type_list())
    if constants := tree.constant_declaration():
        names.things(constants.possibly_typed_name_list(), "constant")
    if block := tree.predicate_definition_block():
        for definition in block.single_predicate_definition():
            names.predicate(definition)
    actions: dict[str, Action] = {}
    for structure in tree.structureDef():
        action = _action(structure.actionDef(), names)
        if action.name in actions:
            names.fail(structure, f"the action {action.name!r} is defined twice")
        actions[action.name] = action
    return Domain(
        _word(tree.domainName().NAME()),
        tuple(sorted(Typed(name, parent) for name, parent in names.parents.items())),
        tuple(sorted(Typed(name, type) for name, type in names.of.items())),
        tuple(names.predicates.values()),
        tuple(actions.values()),
    )


@lru_cache(maxsize=256)
def parse_problem(text: str, domain: Domain, path: object = "the problem") -> Problem:
    """The problem in a text; `path` names it in errors."""
    tree = parse(text, "problem", path)
    names = _Names(
        path,
        dict(domain.parents),
        {c.name: c.type for c in domain.constants},
        {p.name: p for p in domain.predicates},
    )
    wanted = tree.problemDomain()
    if (name := _word(wanted.NAME())) != domain.name:
        names.fail(wanted, f"this problem is for the domain {name!r}, but the domain is {domain.name!r}")
    if objects := tree.object_declaration():
        names.things(objects.possibly_typed_name_list(), "object")
    constants = {c.name for c in domain.constants}
    state = [_fact(element, names) for element in tree.init().init_element()]
    return Problem(
        _word(tree.problemDecl().NAME()),
        domain,
        tuple(Typed(name, type) for name, type in names.of.items() if name not in constants),
        frozenset(literal.atom for literal in state if literal.positive),
        tuple(_literals(tree.goal().goalDesc(), names, {}, "the goal")),
    )


@dataclass
class _Names:
    """What is declared so far, and the complaints about what is not."""

    path: object
    parents: dict[str, str] = field(default_factory=dict)  # type -> the type above it
    of: dict[str, str] = field(default_factory=dict)  # constant or object -> its type
    predicates: dict[str, Predicate] = field(default_factory=dict)

    def fail(self, tree: Tree, why: str) -> NoReturn:
        raise BadDomain(self.path, why, _line(tree))

    def is_a(self, type: str, ancestor: str) -> bool:
        while type != ancestor and type != ROOT:
            type = self.parents[type]
        return type == ancestor

    def types(self, tree: Tree) -> None:
        for name, parent, place in _typed(tree, self.path):
            if name == ROOT:
                continue
            if self.parents.setdefault(name, parent) != parent:
                self.fail(place, f"the type {name!r} is below both {self.parents[name]!r} and {parent!r}")
        for name, parent, place in _typed(tree, self.path):
            if parent != ROOT and parent not in self.parents:
                self.fail(place, f"the type {parent!r}, above {name!r}, is not declared")
        for name, _, place in _typed(tree, self.path):
            above = name
            for _ in self.parents:
                above = self.parents.get(above, ROOT)
            if above != ROOT:
                self.fail(place, f"the type {name!r} is below itself")

    def things(self, tree: Tree, kind: str) -> None:
        for name, type, place in self.declared(tree):
            if self.of.setdefault(name, type) != type:
                self.fail(place, f"the {kind} {name!r} is declared twice, as {self.of[name]!r} and {type!r}")

    def variables(self, tree: Tree, outer: Mapping[str, str]) -> dict[str, str]:
        """The variables that are declared here, with their types."""
        inner: dict[str, str] = {}
        for name, type, place in self.declared(tree):
            if name in inner or name in outer:
                self.fail(place, f"the variable {name} is declared twice")
            inner[name] = type
        return inner

    def declared(self, tree: Tree) -> Iterator[tuple[str, str, Tree]]:
        for name, type, place in _typed(tree, self.path):
            if type != ROOT and type not in self.parents:
                self.fail(place, f"the type {type!r} of {name} is not declared under :types")
            yield name, type, place

    def predicate(self, tree: Tree) -> None:
        name = _word(tree.predicate())
        if name in self.predicates:
            self.fail(tree, f"the predicate {name!r} is declared twice")
        parameters = self.variables(tree.possibly_typed_variable_list(), {})
        self.predicates[name] = Predicate(name, tuple(Typed(n, t) for n, t in parameters.items()))

    def literal(
        self, tree: Tree, name: str, args: Sequence[str], scope: Mapping[str, str], positive: bool = True
    ) -> Literal:
        """A literal whose predicate, terms and types are known."""
        types = [self.type_of(tree, term, scope) for term in args]
        if name != EQUALS:
            if name not in self.predicates:
                self.fail(tree, f"the predicate {name!r} is not declared under :predicates")
            wanted = self.predicates[name].parameters
            if len(args) != len(wanted):
                self.fail(tree, f"({name} ...) takes {len(wanted)} terms, found {len(args)}")
            for term, type, parameter in zip(args, types, wanted, strict=True):
                if not self.is_a(type, parameter.type):
                    what = f"({name} {' '.join(args)})"
                    self.fail(tree, f"{what}: {term} is of type {type!r}, expected {parameter.type!r}")
        return Literal(name, tuple(args), positive)

    def type_of(self, tree: Tree, term: str, scope: Mapping[str, str]) -> str:
        if term.startswith("?"):
            if term not in scope:
                self.fail(tree, f"the variable {term} is not among the :parameters")
            return scope[term]
        if term not in self.of:
            self.fail(tree, f"there is no object or constant named {term!r}")
        return self.of[term]


# --- actions, goals, facts --------------------------------------------------------------------------


def _action(tree: Tree, names: _Names) -> Action:
    name = _word(tree.actionName())
    scope = names.variables(tree.possibly_typed_variable_list(), {})
    body = tree.actionDefBody()
    goal = body.precondition().goalDesc() if _kind(body.precondition()) == "RegularPrecondition" else None
    precondition = tuple(_literals(goal, names, scope, "a precondition")) if goal else ()
    effects = tuple(e for part in body.effect().single_effect() for e in _effects(part, names, scope))
    return Action(name, tuple(Typed(n, t) for n, t in scope.items()), precondition, effects)


def _literals(
    tree: Tree, names: _Names, scope: Mapping[str, str], where: str, positive: bool = True
) -> Iterator[Literal]:
    """A conjunction as its literals; any other formula is refused."""
    match _kind(tree):
        case "TermGoalDesc":
            atom = tree.atomicTermFormula()
            args = [_term(t, names) for t in atom.term()]
            yield names.literal(tree, _word(atom.predicate()), args, scope, positive)
        case "BuiltinBinaryAtom":
            if (sign := _word(tree.builtin_binary_predicate())) != EQUALS:
                refuse(names.path, f"Numeric comparisons ('{sign}')", _line(tree))
            yield names.literal(tree, EQUALS, [_term(t, names) for t in tree.term()], scope, positive)
        case "NotGoalDesc":
            yield from _literals(tree.goalDesc(), names, scope, where, not positive)
        case "AndGoalDesc" if positive or len(tree.goalDesc()) == 1:
            for part in tree.goalDesc():
                yield from _literals(part, names, scope, where, positive)
        case "ExistentialGoalDesc" | "UniversalGoalDesc":
            word = _word(tree.getChild(1))
            refuse(names.path, f"Quantified preconditions and goals ('{word}' in {where})", _line(tree))
        case _:
            word = _word(tree.getChild(1))
            refuse(names.path, f"Disjunctions ('{word}' in {where})", _line(tree))


def _effects(tree: Tree, names: _Names, scope: Mapping[str, str]) -> Iterator[Effect]:
    match _kind(tree):
        case "UniversallyQuantifiedEffect":
            inner = names.variables(tree.possibly_typed_variable_list(), scope)
            variables = tuple(Typed(n, t) for n, t in inner.items())
            effect = tree.effect()
            parts = effect.single_effect()
            for part in parts if isinstance(parts, list) else [parts]:
                for e in _effects(part, names, {**scope, **inner}):
                    yield Effect(e.literal, variables + e.variables, e.condition)
        case "SingleConditionalEffect" | "MultipleConditionalEffect":
            condition = tuple(_literals(tree.goalDesc(), names, scope, "a condition"))
            atoms = tree.atomic_effect()
            for atom in atoms if isinstance(atoms, list) else [atoms]:
                yield Effect(_change(atom, names, scope), (), condition)
        case _:
            yield Effect(_change(tree.atomic_effect(), names, scope))


def _change(tree: Tree, names: _Names, scope: Mapping[str, str]) -> Literal:
    atom = tree.atomicTermFormula()
    args = [_term(t, names) for t in atom.term()]
    return names.literal(tree, _word(atom.predicate()), args, scope, _kind(tree) == "AddAtomEffect")


def _fact(tree: Tree, names: _Names) -> Literal:
    if _kind(tree) == "InitFunctionAssignment":
        refuse(names.path, "Numeric fluents and action costs", _line(tree))
    atom = tree.flat_atom()
    args = [_word(name) for name in atom.constant_name()]
    positive = _kind(tree) == "InitPositiveLiteral"
    return names.literal(tree, _word(atom.predicate()), args, {}, positive)


# --- leaves -----------------------------------------------------------------------------------------


def _typed(tree: Tree, path: object) -> Iterator[tuple[str, str, Tree]]:
    """Names or variables with their types, and where they stand."""
    lists = [m for m in ("name_list_with_type", "variable_list_with_type") if hasattr(tree, m)]
    for part in getattr(tree, lists[0])() if lists else ():
        if _kind(part.typename()) == "EitherTypename":
            refuse(path, "Types with 'either'", _line(part.typename()))
        for name in part.VARIABLE() if hasattr(part, "VARIABLE") else part.NAME():
            yield _word(name), _word(part.typename()), name
    for name in tree.VARIABLE() if hasattr(tree, "VARIABLE") else tree.NAME():
        yield _word(name), ROOT, name


def _term(tree: Tree, names: _Names) -> str:
    if _kind(tree) not in ("TermObject", "TermVariable"):
        refuse(names.path, "Numbers and functions as terms", _line(tree))
    return _word(tree)


def _word(tree: Tree) -> str:
    return str(tree.getText())


def _kind(tree: Tree) -> str:
    return type(tree).__name__.removesuffix("Context")


def _line(tree: Tree) -> int:
    return int(tree.symbol.line if hasattr(tree, "symbol") else tree.start.line)
