"""Answers in the report of an episode: a table beside what is true, or a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from core import events as ev
from core.belief import Answer, Atom, Query, Verdict
from core.log.export.domain_html import DomainHtml
from core.text.html_page import dim, joined, macros, markup

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
