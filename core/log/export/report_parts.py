"""Draw the parts of an episode's report: steps and facts in words, answers, what methods ask and suggest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from markupsafe import Markup

from core import events as ev
from core.belief import Answer, Atom, Query, Verdict
from core.domains import DomainSpec
from core.events import ModelConsulted, SituationNoticed
from core.knowledge.changes import LearntChange
from core.knowledge.suggestion import Suggestion
from core.planning_model import Literal, Step
from core.text.html_page import dim, joined, macros, markup
from core.text.plural import plural
from core.text.vocabulary import in_words

SIGNS = {Verdict.YES: "✓ yes", Verdict.NO: "✗ no", Verdict.UNKNOWN: "? unknown"}


def recorded_truth(later: Sequence[ev.Record]) -> dict[Atom, bool]:
    """Return the known truth of the questions of the call before these records."""
    for record in later:
        if isinstance(record.event, ev.GroundTruthRecorded):
            return {fact.atom: fact.holds for fact in record.event.facts}
        if isinstance(record.event, ev.QuestionsAsked | ev.BeliefChanged | ev.EpisodeEnded):
            break
    return {}


def answer_table(
    html: DomainHtml, queries: tuple[Query, ...], answers: tuple[Answer, ...], truth: Mapping[Atom, bool]
) -> Markup:
    """Return a table of answers; all verdicts are about the question's text, which may negate the atom."""
    asked = {q.atom: q for q in queries}
    rows = []
    for answer in answers:
        query = asked.get(answer.atom) or Query(answer.atom, str(answer.atom))
        expected = query.text_verdict(query.expected)
        cells = [
            query.text,
            "–" if expected is Verdict.UNKNOWN else SIGNS[expected],
            sign(query.text_verdict(answer.verdict)),
            dim(html.fact(answer.atom)),
        ]
        if truth:
            holds = truth.get(answer.atom)
            so = "–" if holds is None else SIGNS[query.text_verdict(Verdict.from_bool(holds))]
            cells.insert(3, so)
        rows.append(cells)
    heads = ("question", "expected", "answered", *(("in truth",) if truth else ()), "fact")
    drawn: Markup = macros("text/html_parts.html").table(heads, rows)
    return drawn


def sign(verdict: Verdict) -> Markup:
    return markup('<span class="{}">{}</span>', verdict.value, SIGNS[verdict])


def answer_list(html: DomainHtml, answers: Iterable[Answer]) -> Markup:
    return joined((markup("{} {}", html.fact(a.atom), sign(a.verdict)) for a in answers), ", ")


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


def situation_html(at: str, event: SituationNoticed) -> Iterator[Markup]:
    """Yield a situation; `at` is its time."""
    told, line = event.situation, macros("log/export/events.html").line
    by = f" ({told.by})" if told.by else ""
    yield line(at, f"Told{by}: “{told.sentence}”")
    if told.fault:
        yield line("", told.fault, "fault")


def suggestion_html(at: str, suggestion: Suggestion) -> Iterator[Markup]:
    """Yield a suggestion: each change in words and PDDL, with every prompt and reply behind it."""
    told = suggestion.situation.sentence
    because = f" because “{told}”" if told else ""
    line = macros("log/export/events.html").line
    yield line(at, f"A change of the domain is suggested{because}:", "fault")
    yield learnt_list(suggestion.changes)


def learnt_list(changes: Iterable[LearntChange]) -> Markup:
    rows = [(c.change.describe(), c.change.pddl, c.evidence) for c in changes]
    drawn: Markup = macros("log/export/events.html").learnt(rows)
    return drawn


def consulted(at: str, event: ModelConsulted) -> Iterator[Markup]:
    """Yield a request to a language model, with prompt and reply; `at` is its time."""
    head = f"Asked {event.by}" if event.by else "Not asked"
    took = (
        f"{event.seconds:.1f} s" if event.seconds else "",
        plural(event.tokens, "token") if event.tokens else "",
        "" if event.cost is None else f"${event.cost:.4f}",
        "with the picture" if event.frame else "",
    )
    reason = f" ({event.reason.sentence})" if event.reason else ""
    events = macros("log/export/events.html")
    yield events.line(at, ", ".join(filter(None, (f"{head}: {event.purpose}", *took))) + reason)
    yield events.call(event)
