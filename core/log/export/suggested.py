"""Situations that were told, and the changes suggested because of them, in the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from core.events import SituationNoticed
from core.knowledge.changes import LearntChange, describe_change
from core.knowledge.pddl import change_pddl
from core.knowledge.suggestion import Suggestion
from core.text.untrusted_text import sanitise


def situation_html(at: str, event: SituationNoticed) -> Iterator[str]:
    """Yield the HTML of a situation; `at` is its time, as HTML."""
    told = event.situation
    by = f" ({escape(sanitise(told.by))})" if told.by else ""
    yield f"<p>{at}Told{by}: “{escape(sanitise(told.sentence))}”</p>"
    if told.fault:
        yield f'<p class="fault">{escape(sanitise(told.fault))}</p>'


def suggestion_html(at: str, suggestion: Suggestion) -> Iterator[str]:
    """Yield a suggestion: each change in words and PDDL, with every prompt and reply behind it."""
    told = suggestion.situation.sentence
    because = f" because “{escape(sanitise(told))}”" if told else ""
    yield f'<p class="fault">{at}A change of the domain is suggested{because}:</p>'
    yield from learnt_list(suggestion.changes)


def learnt_list(changes: Iterable[LearntChange]) -> Iterator[str]:
    yield "<ul>"
    for learnt in changes:
        words, pddl = describe_change(learnt.change), change_pddl(learnt.change)
        yield f"<li>{escape(sanitise(words))} <code>{escape(sanitise(pddl))}</code>"
        for evidence in learnt.evidence:
            if evidence.prompt or evidence.raw_reply:
                read = (
                    f", read as: {escape(sanitise(evidence.interpretation))}"
                    if evidence.interpretation
                    else ""
                )
                by = escape(sanitise(evidence.by or "the model"))
                yield f"<details><summary>{by}{read}</summary><pre>{escape(sanitise(evidence.prompt))}</pre>"
                yield f'<p class="said">“{escape(sanitise(evidence.raw_reply))}”</p></details>'
            elif evidence.by:
                said = f"{evidence.interpretation}, {evidence.by}".strip(" ,")
                yield f' <span class="said">({escape(sanitise(said))})</span>'
        yield "</li>"
    yield "</ul>"
