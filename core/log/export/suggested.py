"""What a method asks of its own accord, is told and suggests, in the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from markupsafe import Markup

from core.events import ModelConsulted, SituationNoticed
from core.knowledge.changes import LearntChange
from core.knowledge.suggestion import Suggestion
from core.text.html_page import macros
from core.text.plural import plural


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
