"""A method's own request to a language model in the report, with prompt and reply."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from core.events import ModelConsulted
from core.text.html_page import macros
from core.text.plural import plural


def consulted(at: str, event: ModelConsulted) -> Iterator[Markup]:
    """Yield one request; `at` is its time."""
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
