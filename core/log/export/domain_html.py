"""Render the steps and facts of a report as phrases of their domain, with the PDDL as tooltips."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

from core.belief import Atom
from core.domains import DomainSpec
from core.planning_model import Literal, Step
from core.text.html_page import joined, markup
from core.text.written_pddl import in_words

T = TypeVar("T")


@dataclass(frozen=True)
class DomainHtml:
    """Describes steps and facts as markup, in the phrases of their domain."""

    domain_spec: DomainSpec

    def step(self, step: Step) -> Markup:
        return self._shown(self.domain_spec.describe_in_full, step)

    def fact(self, atom: Atom | Literal) -> Markup:
        return self._shown(self.domain_spec.describe_atom, atom)

    def facts(self, atoms: Iterable[Atom | Literal]) -> Markup:
        return joined(map(self.fact, atoms), ", ")

    def object(self, name: str) -> Markup:
        return _with_pddl(self.domain_spec.display_name(name), name)

    def text(self, sentence: str) -> str:
        """Return a sentence that may quote steps and facts in PDDL, in words."""
        return in_words(self.domain_spec, sentence)

    @staticmethod
    def _shown(describe: Callable[[T], str], value: T) -> Markup:
        try:
            return _with_pddl(describe(value), str(value))
        except (IndexError, KeyError):  # a log may name anything, with any number of arguments
            return markup("{}", value)


def _with_pddl(phrase: str, pddl: str) -> Markup:
    """Return the phrase with the PDDL as its tooltip."""
    return markup('<span title="{}">{}</span>', pddl, phrase)
