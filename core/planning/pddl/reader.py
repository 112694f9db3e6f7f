"""Read PDDL files as our own values. Each text is parsed only once, because experiments repeat it.

`pddl_syntax.py` splits the text, `declarations.py` checks names and types, `formulas.py` reads conditions.
Whatever cannot be planned with is rejected in one sentence with its feature, file and line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from core.belief import Atom
from core.data_file import read_text
from core.planning.axioms import stratify
from core.planning.expansion import check_expansion, check_goal
from core.planning.pddl.declarations import Declarations, Scope
from core.planning.pddl.formulas import (
    alternatives,
    conjunction,
    equality_value,
    ground_condition,
    read_condition,
    split,
)
from core.planning.pddl.syntax import SECTIONS, Node, PddlToken, SExpression, pairs, parse, refuse
from core.planning_model import EQUALS, Action, Amount, Axiom, Condition, Domain, Effect, Problem, Typed
from core.text.plural import plural

COST = "total-cost"
_NUMERIC = "Numeric fluents ('increase' of anything but total-cost)"
_ONCE = {"household": "omnigibson"}  # what a domain was called, and people's problems may call it still


def read_domain(path: Path) -> Domain:
    """Read the domain in a file. Raises BadFile, BadDomain."""
    return parse_domain(read_text(path), path)


def read_problem(path: Path, domain: Domain) -> Problem:
    """Read the problem in a file, which must belong to `domain`. Raises BadFile, BadDomain."""
    return parse_problem(read_text(path), domain, path)


@lru_cache(maxsize=64)
def parse_domain(text: str, path: object = "the domain") -> Domain:
    """Parse a domain; `path` names the text in errors."""
    name, sections = parse(text, "domain", path)
    parts = {key: [form for form in sections if form.head == key] for key in SECTIONS["domain"]}
    names = Declarations(path)
    names.declare_types(_items(parts[":types"]))
    names.declare_objects(_items(parts[":constants"]), "constant")
    for node in _items(parts[":predicates"]):
        names.declare_predicate(node)
    names.declare_functions(_items(parts[":functions"]))
    names.derived = frozenset(_derived_head(form, names).head for form in parts[":derived"])
    actions: dict[str, Action] = {}
    for form in parts[":action"]:
        action = _action(form, names)
        if action.name in actions:
            names.fail(form, f"the action {action.name!r} is defined twice")
        actions[action.name] = action
    axioms = tuple(axiom for form in parts[":derived"] for axiom in _axioms(form, names))
    domain = Domain(
        name,
        names.types,
        tuple(sorted(Typed(name, type) for name, type in names.type_of.items())),
        tuple(names.predicates.values()),
        tuple(actions.values()),
        axioms,
        tuple(names.functions.values()),
    )
    if stratify(domain) is None:
        names.fail(parts[":derived"][0], "a derived predicate depends on its own negation")
    return domain


@lru_cache(maxsize=256)
def parse_problem(text: str, domain: Domain, path: object = "the problem") -> Problem:
    """Parse a problem; `path` names the text in errors."""
    name, sections = parse(text, "problem", path)
    parts = {key: [form for form in sections if form.head == key] for key in SECTIONS["problem"]}
    constants = {c.name: c.type for c in domain.constants}
    predicates, functions = ({p.name: p for p in found} for found in (domain.predicates, domain.functions))
    names = Declarations(path, domain.types, dict(constants), predicates, functions, domain.derived)
    wanted = parts[":domain"][0]
    if (found := " ".join(map(str, wanted.parts[1:]))) not in (domain.name, _ONCE.get(domain.name)):
        names.fail(wanted, f"this problem is for the domain {found!r}, but the domain is {domain.name!r}")
    names.declare_objects(_items(parts[":objects"]), "object")
    state: set[Atom] = set()
    costs: dict[Atom, float] = {}
    for node in _items(parts[":init"]):
        _fact(node, names, state, costs)
    problem = Problem(
        name,
        domain,
        tuple(Typed(name, type) for name, type in names.type_of.items() if name not in constants),
        frozenset(state),
        (),
        costs=tuple(sorted(costs.items())),
        metric=" ".join(str(part) for form in parts[":metric"] for part in form.parts[1:]),
    )
    goal = conjunction([_goal(form, names) for form in parts[":goal"]])
    check_expansion(problem, path)
    check_goal(goal, problem, path)
    literals, formulas = split(_ground_goal(goal, problem))
    return Problem(
        name, domain, problem.objects, problem.state, literals, formulas, problem.costs, problem.metric
    )


def _items(forms: Sequence[SExpression]) -> list[Node]:
    """Return the contents of all sections of one name."""
    return [node for form in forms for node in form.parts[1:]]


# --- actions ----------------------------------------------------------------------------------------


def _action(form: SExpression, names: Declarations) -> Action:
    if len(form.parts) < 2 or not isinstance(form.parts[1], PddlToken):
        names.fail(form, "expected a name after ':action'")
    parts = pairs(form, 2, (":parameters", ":precondition", ":effect"), names.path)
    names.used_variables = set()
    scope = names.variables(parts[":parameters"].parts if ":parameters" in parts else ())
    own = set(names.used_variables)
    wanted: Condition = conjunction(())
    if ":precondition" in parts:
        wanted = read_condition(parts[":precondition"], names, scope, "a precondition")
    literals, formulas = split(wanted)
    names.used_variables = own
    changes = list(_effects(parts[":effect"], names, scope)) if ":effect" in parts else []
    return Action(
        form.parts[1].text,
        tuple(scope.values()),
        literals,
        tuple(change for change in changes if isinstance(change, Effect)),
        formulas,
        tuple(change for change in changes if not isinstance(change, Effect)),
    )


def _effects(
    node: Node,
    names: Declarations,
    scope: Scope,
    variables: tuple[Typed, ...] = (),
    conditions: tuple[Condition, ...] = (),
) -> Iterator[Effect | Amount]:
    """Yield the effects; a disjunctive condition gives one effect per alternative."""
    if isinstance(node, PddlToken):
        names.fail(node, f"expected '(', found '{node.text}'")
    head, parts = node.head, node.parts
    if not parts:
        return
    if head == "and" and head not in names.predicates:
        taken = names.used_variables
        for part in parts[1:]:  # each part may use the same variable names
            names.used_variables = set(taken)
            yield from _effects(part, names, scope, variables, conditions)
    elif head in ("forall", "when") and head not in names.predicates:
        if len(parts) != 3:
            shape = "(forall (?x) (p ?x))" if head == "forall" else "(when (p) (q))"
            names.fail(node, f"'{head}' takes 2 parts, as in {shape}")
        if head == "when":
            condition = read_condition(parts[1], names, scope, "a condition")
            yield from _effects(parts[2], names, scope, variables, (*conditions, condition))
            return
        if isinstance(parts[1], PddlToken):
            names.fail(node, "expected '(' after forall")
        inner = names.variables(parts[1].parts)
        bound = variables + tuple(inner.values())
        yield from _effects(parts[2], names, {**scope, **inner}, bound, conditions)
    elif head == "increase" and head not in names.predicates:
        if variables or conditions:
            refuse(names.path, "Action costs under a condition", node.line)
        yield _cost(node, names, scope)
    else:
        yield from _change(node, names, scope, variables, conditions)


def _change(
    form: SExpression,
    names: Declarations,
    scope: Scope,
    variables: tuple[Typed, ...],
    conditions: tuple[Condition, ...],
) -> Iterator[Effect]:
    positive = form.head != "not" or "not" in names.predicates
    atom = form if positive else form.parts[1] if len(form.parts) == 2 else form
    if isinstance(atom, PddlToken) or atom.head in ("not", "or", "imply", "exists", EQUALS, "<", ">"):
        names.fail(form, f"expected an effect such as (p ?x) or (not (p ?x)), found '{form}'")
    literal = names.literal(atom, scope, positive)
    if literal.predicate in names.derived:
        names.fail(form, f"the predicate {literal.predicate!r} is derived, so no effect can change it")
    for more, (literals, formulas) in alternatives(conjunction(conditions)):
        yield Effect(literal, variables + more, literals, formulas)


def _cost(form: SExpression, names: Declarations, scope: Scope) -> Amount:
    if len(form.parts) != 3 or str(form.parts[1]) not in (f"({COST})", COST):
        refuse(names.path, _NUMERIC, form.line)
    amount = form.parts[2]
    if isinstance(amount, PddlToken):
        return _number(amount, names)
    if amount.head not in names.functions:
        refuse(names.path, f"Costs that are worked out ('{amount}')", amount.line)
    return Atom(
        amount.head, tuple(a.name for a in names.arguments(amount, scope, names.functions, "function"))
    )


def _number(word: PddlToken, names: Declarations) -> float:
    try:
        return float(word.text)
    except ValueError:
        names.fail(word, f"expected a number, found '{word.text}'")


# --- derived predicates -----------------------------------------------------------------------------


def _derived_head(form: SExpression, names: Declarations) -> SExpression:
    if len(form.parts) != 3 or not isinstance(form.parts[1], SExpression):
        names.fail(form, f"expected '(:derived (name ?variable ...) condition)', found '{form}'"[:120])
    return form.parts[1]


def _axioms(form: SExpression, names: Declarations) -> Iterator[Axiom]:
    """Yield the axioms; a disjunctive condition gives one axiom per alternative."""
    head = _derived_head(form, names)
    if head.head not in names.predicates:
        names.fail(head, f"the predicate {head.head!r} is not declared under :predicates")
    declared = names.predicates[head.head].parameters
    names.used_variables = set()
    given = names.variables(head.parts[1:])
    if len(given) != len(declared):
        names.fail(head, f"({head.head} ...) takes {plural(len(declared), 'term')}, found {len(given)}")
    scope: Mapping[str, Typed] = {
        word: Typed(v.name, wanted.type if v.type == "object" else v.type)
        for (word, v), wanted in zip(given.items(), declared, strict=True)
    }
    literal = names.literal(
        SExpression(head.line, [head.parts[0], *(PddlToken(w, head.line) for w in scope)]), scope
    )
    condition = read_condition(form.parts[2], names, scope, "a derived predicate")
    for more, (literals, formulas) in alternatives(condition):
        yield Axiom(literal, tuple(scope.values()) + more, literals, formulas)


# --- facts and goals --------------------------------------------------------------------------------


def _fact(node: Node, names: Declarations, state: set[Atom], costs: dict[Atom, float]) -> None:
    if isinstance(node, PddlToken):
        names.fail(node, f"expected '(', found '{node.text}'")
    head, parts = node.head, node.parts
    if head == "and" and head not in names.predicates:
        for part in parts[1:]:
            _fact(part, names, state, costs)
        return
    if head == "at" and len(parts) == 3 and isinstance(parts[2], SExpression):
        refuse(names.path, "Timed initial literals", node.line)
    if head in ("or", "forall", "exists") and head not in names.predicates:
        refuse(names.path, f"Uncertain or quantified initial facts ('{head}')", node.line)
    if head == EQUALS and len(parts) == 3 and isinstance(parts[1], SExpression):
        function = parts[1]
        args = names.arguments(function, {}, names.functions, "function")
        if isinstance(parts[2], SExpression):
            refuse(names.path, f"Values that are worked out ('{parts[2]}')", node.line)
        costs[Atom(function.head, tuple(a.name for a in args))] = _number(parts[2], names)
        return
    negative = head == "not" and len(parts) == 2 and isinstance(parts[1], SExpression)
    form = parts[1] if negative else node
    assert isinstance(form, SExpression)
    literal = names.literal(form, {}, not negative)
    if literal.predicate == EQUALS:
        if equality_value(literal) is False:
            names.fail(node, f"{literal.args[0]!r} and {literal.args[1]!r} are two objects")
        return
    if literal.predicate in names.derived:
        names.fail(node, f"the predicate {literal.predicate!r} is derived, so it cannot be stated")
    if literal.positive:
        state.add(literal.atom)


def _goal(form: SExpression, names: Declarations) -> Condition:
    if len(form.parts) != 2:
        names.fail(form, f"expected '(:goal condition)', found {len(form.parts) - 1} conditions")
    names.used_variables = set()
    return read_condition(form.parts[1], names, {}, "the goal")


def _ground_goal(goal: Condition, problem: Problem) -> Condition:
    """Return the goal over the existing objects; comparisons in its literals stay as written."""
    literals, formulas = split(goal)
    whole = (ground_condition(formula, {}, problem.of_type, equality_value) for formula in formulas)
    return conjunction((*literals, *whole))
