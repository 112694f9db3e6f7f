"""A method's own call of a language model in words: for its card and for the terminal. Pure."""

from __future__ import annotations

from app.presentation.formatting import duration, money, plural
from core.events import ModelConsulted

WHOLE = 200_000  # characters that are shown of a prompt or a reply


def title(event: ModelConsulted) -> str:
    """ "Asked gpt-4.1: count"."""
    return f"Asked {event.by}: {event.purpose}" if event.by else f"Not asked: {event.purpose}"


def figures(event: ModelConsulted) -> str:
    """What the call took: "1.2 s · 412 tokens · $0.003 · with picture"."""
    parts = (
        duration(event.seconds) if event.seconds else "",
        plural(event.tokens, "token") if event.tokens else "",
        money(event.cost),
        "with picture" if event.frame else "",
    )
    return " · ".join(filter(None, parts))


def reading(event: ModelConsulted) -> str:
    """How the reply was read; "" where there is none."""
    if event.error:
        return ""
    return (
        f"read as: {event.interpretation}"
        if event.interpretation
        else "the method does not say how it read this"
    )
