"""Render the steps and facts of a report as phrases of their domain, with the PDDL as tooltips."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import TypeVar

from core.belief import Atom
from core.domains import DomainSpec
from core.planning_model import Literal, Step
from core.text.html_page import Html
from core.text.written_pddl import in_words

T = TypeVar("T")


@dataclass(frozen=True)
class DomainHtml:
    """Describes steps and facts as escaped HTML, in the phrases of their domain."""

    folder: DomainSpec

    def step(self, step: Step) -> Html:
        return self._shown(self.folder.describe_step, step)

    def fact(self, atom: Atom | Literal) -> Html:
        return self._shown(self.folder.describe_atom, atom)

    def facts(self, atoms: Iterable[Atom | Literal]) -> Html:
        return Html(", ".join(map(self.fact, atoms)))

    def object(self, name: str) -> Html:
        return _with_pddl(self.folder.display_name(name), name)

    def text(self, sentence: str) -> Html:
        """Return a sentence that may quote steps and facts in PDDL."""
        return Html(escape(in_words(self.folder, sentence)))

    @staticmethod
    def _shown(describe: Callable[[T], str], value: T) -> Html:
        try:
            return _with_pddl(describe(value), str(value))
        except (IndexError, KeyError):  # a log may name anything, with any number of arguments
            return Html(escape(str(value)))


def _with_pddl(phrase: str, pddl: str) -> Html:
    """Return the phrase with the PDDL as its tooltip."""
    return Html(f'<span title="{escape(pddl)}">{escape(phrase)}</span>')
