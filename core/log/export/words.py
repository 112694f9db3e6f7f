"""Steps and facts of a report in the words of their domain, with the PDDL behind them."""

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
class Words:
    """All that is returned is HTML, and escaped."""

    folder: DomainSpec

    def step(self, step: Step) -> Html:
        return self._shown(self.folder.describe_step, step)

    def fact(self, atom: Atom | Literal) -> Html:
        return self._shown(self.folder.describe_atom, atom)

    def facts(self, atoms: Iterable[Atom | Literal]) -> Html:
        return Html(", ".join(map(self.fact, atoms)))

    def object(self, name: str) -> Html:
        return _behind(self.folder.display_name(name), name)

    def text(self, sentence: str) -> Html:
        """Return a sentence that may quote steps and facts in PDDL."""
        return Html(escape(in_words(self.folder, sentence)))

    @staticmethod
    def _shown(describe: Callable[[T], str], value: T) -> Html:
        try:
            return _behind(describe(value), str(value))
        except (IndexError, KeyError):  # a log may name anything, with any number of arguments
            return Html(escape(str(value)))


def _behind(words: str, pddl: str) -> Html:
    """Return words that show the PDDL under the mouse."""
    return Html(f'<span title="{escape(pddl)}">{escape(words)}</span>')
