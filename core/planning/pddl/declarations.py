"""Record what a PDDL file has declared so far, and raise errors about what it has not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from core.errors import BadDomain
from core.planning.pddl.syntax import REFUSED, Node, PddlToken, SExpression, refuse
from core.planning_model import EQUALS, Literal, Predicate, Typed, is_a, type_alternatives, type_ancestors
from core.text.plural import plural

ROOT = "object"
Scope = Mapping[str, Typed]  # a variable as written -> what it is called here, with its type


@dataclass
class Declarations:
    path: object
    types: tuple[Typed, ...] = ()
    type_of: dict[str, str] = field(default_factory=dict)  # constant or object -> its type
    predicates: dict[str, Predicate] = field(default_factory=dict)
    functions: dict[str, Predicate] = field(default_factory=dict)
    derived: frozenset[str] = frozenset()
    used_variables: set[str] = field(
        default_factory=set
    )  # variable names used in the current action or axiom

    def __post_init__(self) -> None:
        self.ancestors = type_ancestors(self.types)

    def fail(self, node: Node, reason: str) -> NoReturn:
        raise BadDomain(self.path, reason, node.line)

    # --- declaring -----------------------------------------------------------------------------------

    def declare_types(self, nodes: Sequence[Node]) -> None:
        """Declare types; undeclared parents become subtypes of the root."""
        parents: dict[str, set[str]] = {}
        listed = list(self.typed(nodes))
        for word, type in listed:
            if word.text != ROOT:
                parents.setdefault(word.text, set()).update(type_alternatives(type))
        for _, type in listed:
            for parent in type_alternatives(type):
                if parent != ROOT:
                    parents.setdefault(parent, {ROOT})
        every = [Typed(name, parent) for name, found in parents.items() for parent in found]
        self.ancestors = type_ancestors(every)
        for word, _ in listed:
            if any(word.text in self.ancestors[p] for p in parents.get(word.text, ()) if p != ROOT):
                self.fail(word, f"the type {word.text!r} is below itself")
        nearest = (t for t in every if not self._is_redundant_parent(t, parents[t.name]))
        self.types = tuple(sorted(nearest))
        self.ancestors = type_ancestors(self.types)

    def _is_redundant_parent(self, entry: Typed, parents: set[str]) -> bool:
        """Return True if another parent is a subtype of this one, which makes it redundant."""
        others = parents - {entry.type, ROOT}
        return (entry.type == ROOT and bool(others)) or any(entry.type in self.ancestors[p] for p in others)

    def declare_objects(self, nodes: Sequence[Node], kind: str) -> None:
        for word, type in self.declared(nodes):
            if word.text.startswith("?"):
                self.fail(word, f"expected a name, found {word.text!r}")
            if len(type_alternatives(type)) > 1:
                self.fail(word, f"the {kind} {word.text!r} needs one type, not {type}")
            if self.type_of.setdefault(word.text, type) != type:
                what = (
                    f"the {kind} {word.text!r} is declared twice, as {self.type_of[word.text]!r} and {type!r}"
                )
                self.fail(word, what)

    def declare_predicate(self, form: Node) -> None:
        name, parameters = self._signature(form)
        if name in self.predicates:
            self.fail(form, f"the predicate {name!r} is declared twice")
        self.predicates[name] = Predicate(name, parameters)

    def declare_functions(self, nodes: Sequence[Node]) -> None:
        rest = iter(nodes)
        for node in rest:
            if isinstance(node, PddlToken) and node.text == "-":
                kind = next(rest, node)
                if str(kind) != "number":
                    refuse(self.path, f"Functions to anything but numbers ('{kind}')", kind.line)
                continue
            name, parameters = self._signature(node)
            self.functions[name] = Predicate(name, parameters)

    def _signature(self, form: Node) -> tuple[str, tuple[Typed, ...]]:
        if isinstance(form, PddlToken) or not form.head:
            self.fail(form, f"expected '(name ?variable ...)', found '{form}'")
        self.used_variables = set()
        return form.head, tuple(self.variables(form.parts[1:]).values())

    def variables(self, nodes: Sequence[Node]) -> dict[str, Typed]:
        """Return the variables declared here, renamed if their name is already taken."""
        inner: dict[str, Typed] = {}
        for word, type in self.declared(nodes):
            if not word.text.startswith("?"):
                self.fail(word, f"expected a variable, found {word.text!r}")
            if word.text in inner:
                self.fail(word, f"the variable {word.text} is declared twice")
            inner[word.text] = Typed(unique_name(word.text, self.used_variables), type)
            self.used_variables.add(inner[word.text].name)
        return inner

    def declared(self, nodes: Sequence[Node]) -> Iterator[tuple[PddlToken, str]]:
        for word, type in self.typed(nodes):
            for kind in type_alternatives(type):
                if kind != ROOT and kind not in self.ancestors:
                    self.fail(word, f"the type {kind!r} of {word.text} is not declared under :types")
            yield word, type

    def typed(self, nodes: Sequence[Node]) -> Iterator[tuple[PddlToken, str]]:
        """Yield names or variables with their types, "(either a b)" for several."""
        waiting: list[PddlToken] = []
        rest = iter(nodes)
        for node in rest:
            if isinstance(node, SExpression):
                self.fail(node, f"expected a name, found '{node}'")
            if node.text != "-":
                waiting.append(node)
                continue
            type = self._type(next(rest, node))
            yield from ((word, type) for word in waiting)
            waiting = []
        yield from ((word, ROOT) for word in waiting)

    def _type(self, node: Node) -> str:
        if isinstance(node, PddlToken):
            if node.text == "-":
                self.fail(node, "expected a type after '-'")
            return node.text
        words = [part.text for part in node.parts if isinstance(part, PddlToken)]
        if node.head != "either" or len(words) != len(node.parts) or len(words) < 2:
            self.fail(node, f"expected a type or '(either ...)', found '{node}'")
        return either_type(words[1:])

    # --- using ---------------------------------------------------------------------------------------

    def literal(self, form: SExpression, scope: Scope, positive: bool = True) -> Literal:
        """Return a literal after checking its predicate, terms and types."""
        name = form.head
        if name in REFUSED and name not in self.predicates:
            refuse(self.path, REFUSED[name], form.line)
        if not name:
            self.fail(form, f"expected a name, found '{form.parts[0] if form.parts else ')'}'")
        if name == EQUALS:
            args = [self.term(part, scope) for part in form.parts[1:]]
            if len(args) != 2:
                self.fail(form, f"(= ...) takes 2 terms, found {len(args)}")
        else:
            args = self.arguments(form, scope, self.predicates, "predicate")
        return Literal(name, tuple(a.name for a in args), positive)

    def arguments(
        self, form: SExpression, scope: Scope, declared: Mapping[str, Predicate], kind: str
    ) -> list[Typed]:
        """Return the terms of a predicate or function, after checking their types.

        A variable of a wider type widens the declared one: other programs accept this, and nothing is lost.
        """
        name = form.head
        if name not in declared:
            self.fail(form, f"the {kind} {name!r} is not declared under :{kind}s")
        args = [self.term(part, scope) for part in form.parts[1:]]
        wanted = declared[name].parameters
        if len(args) != len(wanted):
            self.fail(form, f"({name} ...) takes {plural(len(wanted), 'term')}, found {len(args)}")
        for part, term, parameter in zip(form.parts[1:], args, wanted, strict=True):
            if is_a(self.ancestors, term.type, parameter.type):
                continue
            if str(part).startswith("?") and self._overlap(term.type, parameter.type):
                self._widen(declared, name, parameter, term.type)
            else:
                what = f"{form}: {part} is of type {term.type!r}, expected {parameter.type!r}"
                self.fail(form, what)
        return args

    def _overlap(self, one: str, other: str) -> bool:
        return any(is_a(self.ancestors, t, one) and is_a(self.ancestors, t, other) for t in self.ancestors)

    def _widen(self, declared: Mapping[str, Predicate], name: str, parameter: Typed, type: str) -> None:
        both = either_type((*type_alternatives(parameter.type), *type_alternatives(type)))
        parameters = (Typed(p.name, both) if p == parameter else p for p in declared[name].parameters)
        found = self.predicates if name in self.predicates else self.functions
        found[name] = Predicate(name, tuple(parameters))

    def term(self, node: Node, scope: Scope) -> Typed:
        if isinstance(node, SExpression):
            refuse(self.path, f"Functions as terms ('{node}')", node.line)
        if node.text.startswith("?"):
            if node.text not in scope:
                self.fail(node, f"the variable {node.text} is not among the :parameters")
            return scope[node.text]
        if node.text not in self.type_of:
            self.fail(node, f"there is no object or constant named {node.text!r}")
        return Typed(node.text, self.type_of[node.text])


def either_type(types: Iterable[str]) -> str:
    """Return the type that covers all of these types."""
    found = sorted(set(types))
    return ROOT if ROOT in found else found[0] if len(found) == 1 else f"(either {' '.join(found)})"


def unique_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    number, found = 2, name
    while found in taken:
        number, found = number + 1, f"{name}_{number}"
    return found
