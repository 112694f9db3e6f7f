"""Describe a method's own model call in words, for its card and for the terminal. Pure."""

from __future__ import annotations

from app.presentation.formatting import duration, money, plural
from core.events import ModelConsulted

WHOLE = 200_000  # characters that are shown of a prompt or a reply


def title(event: ModelConsulted) -> str:
    """Return a title such as "Asked gpt-4.1: count"."""
    return f"Asked {event.by}: {event.purpose}" if event.by else f"Not asked: {event.purpose}"


def figures(event: ModelConsulted) -> str:
    """Return what the call took, such as "1.2 s · 412 tokens · $0.003 · with picture"."""
    parts = (
        duration(event.seconds) if event.seconds else "",
        plural(event.tokens, "token") if event.tokens else "",
        money(event.cost),
        "with picture" if event.frame else "",
    )
    return " · ".join(filter(None, parts))


def reading(event: ModelConsulted) -> str:
    """Return how the reply was interpreted, "" if it was not."""
    if event.error:
        return ""
    return (
        f"read as: {event.interpretation}"
        if event.interpretation
        else "the method does not say how it read this"
    )
