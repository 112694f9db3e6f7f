"""Name objects, atoms and steps as shown to people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.belief import Answer, Atom, Purpose, Query, Verdict
from core.domains import DomainSpec
from core.planning_model import EQUALS, Action, Literal, Problem, Step
from core.text.step_values import values_in_words

_AGENTS = ("agent", "robot")


@dataclass(frozen=True)
class Vocabulary:
    """The wording of a domain folder; without one, the names of the PDDL files."""

    domain_spec: DomainSpec | None = None
    hidden: frozenset[str] = frozenset()  # the only agent: said of every atom, so never said

    @staticmethod
    def of(domain_spec: DomainSpec, problem: Problem) -> Vocabulary:
        is_a = problem.domain.is_a
        agents = [o.name for o in problem.all_objects if any(is_a(o.type, kind) for kind in _AGENTS)]
        return Vocabulary(domain_spec, frozenset(agents) if len(agents) == 1 else frozenset())

    def object_name(self, name: str) -> str:
        return self.domain_spec.display_name(name) if self.domain_spec else name.replace("_", " ")

    def object_names(self, names: Iterable[str]) -> str:
        return ", ".join(self.object_name(n) for n in names)

    def args(self, atom: Atom | Literal) -> str:
        shown = [a for a in atom.args if a not in self.hidden]
        return self.object_names(shown or atom.args)

    def describe_atom(self, atom: Atom | Literal) -> str:
        """Return what a verdict about an atom is about, "mug is inside the cabinet"; without words for it,
        "inside mug, cabinet".
        """
        if self.has_statement(atom.predicate):
            return self.describe_literal(atom).removeprefix("the ")
        return f"{atom.predicate.replace('_', ' ')} {self.args(atom)}".strip()

    def describe_literal(self, atom: Atom | Literal, holds: bool = True) -> str:
        """Return a literal's text, such as "the mug is not inside the cabinet"."""
        if self.domain_spec:
            return self._named(self.domain_spec.describe_atom(atom, holds), atom.args)
        holds = holds == (not isinstance(atom, Literal) or atom.positive)
        return self.describe_atom(atom) if holds else f"not {self.describe_atom(atom)}"

    def has_statement(self, predicate: str) -> bool:
        """Return True if the domain has its own words for facts of this predicate."""
        return self.domain_spec is not None and self.domain_spec.has_statement(predicate)

    def in_words(self, text: str) -> str:
        """Return the text with the words of the atoms and steps that it quotes."""
        return in_words(self.domain_spec, text) if self.domain_spec and "(" in text else text

    def describe_step(self, step: Step) -> str:
        """Return a step's text, such as "open cabinet"."""
        if self.domain_spec:
            return self._named(self.domain_spec.describe_step(step), step.args)
        return f"{step.name} {self.object_names(step.args)}".strip()

    def describe_in_full(self, step: Step) -> str:
        """Return a step's text with its values, such as "pick up the mug, turned 0.30 rad"."""
        if self.domain_spec:
            return self._named(self.domain_spec.describe_in_full(step), step.args)
        return ", ".join((self.describe_step(step), *values_in_words(step.values, {})))

    def _named(self, words: str, args: Iterable[str]) -> str:
        """Return the words with "dish bowl 1" for "the dish bowl 1"."""
        for name in map(self.object_name, args):
            words = words.replace(f"the {name}", name) if name[-1:].isdigit() else words
        return words

    def preconditions(self, step: Step) -> tuple[Literal, ...]:
        """Return the step's preconditions, none if its action is unknown."""
        action, binding = self._action(step)
        literals = action.precondition if action else ()
        return tuple(lit.bind(binding) for lit in literals if lit.predicate != EQUALS)

    def effects(self, step: Step) -> frozenset[Atom]:
        """Return the atoms that the step may change; effects on every object of a type are left out."""
        action, binding = self._action(step)
        return frozenset(e.literal.bind(binding).atom for e in (action.effects if action else ()))

    def _action(self, step: Step) -> tuple[Action | None, dict[str, str]]:
        try:
            action = self.domain_spec.domain.action(step.name) if self.domain_spec else None
        except KeyError:
            action = None
        names = (p.name for p in action.parameters) if action else ()
        return action, dict(zip(names, step.args, strict=False))

    def split_step(self, step: Step) -> tuple[str, str]:
        """Return the verb and the rest of a step's text, with its values."""
        verb, _, rest = self.describe_in_full(step).partition(" ")
        return verb, rest

    def describe_written_step(self, step: str) -> str:
        """Return the text of a step in PDDL, such as "(openit agent cabinet)"."""
        name, *args = step.strip("()").split() or [""]
        return self.describe_step(Step(name, tuple(args)))

    def describe_query(self, atom: Atom) -> Query | None:
        if self.domain_spec is None:
            return None
        return self.domain_spec.query(atom, Purpose.CHECK, Verdict.UNKNOWN)

    def describe_answer(self, answer: Answer) -> str:
        """Return an answer as a statement, such as "the mug is not in the hand"."""
        if answer.verdict is Verdict.UNKNOWN:
            return f"unknown: whether {self.describe_literal(answer.atom)}"
        return self.describe_literal(answer.atom, answer.verdict is Verdict.YES)


_WRITTEN = re.compile(r"(\(not )?\(([\w-]+(?: [\w-]+)*)\)(?(1)\))( does not hold)?")


def in_words(domain_spec: DomainSpec, text: str) -> str:
    """Return the text with "the mug is not on the floor" for "(onfloor mug-n-04_1 floor-n-01_1) does not
    hold". What the domain does not know stays as it is.
    """
    predicates = {p.name: len(p.parameters) for p in domain_spec.domain.predicates}
    actions = {a.name: len(a.parameters) for a in domain_spec.domain.actions}

    def put(found: re.Match[str]) -> str:
        name, *args = found[2].split()
        if predicates.get(name) == len(args):
            return domain_spec.describe_atom(Atom(name, tuple(args)), bool(found[1]) is bool(found[3]))
        if actions.get(name) == len(args) and not found[1]:
            return domain_spec.describe_step(Step(name, tuple(args))) + (found[3] or "")
        return found[0]

    return _WRITTEN.sub(put, text)
