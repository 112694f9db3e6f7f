"""Counts with their nouns."""

from __future__ import annotations


def plural(n: int, thing: str) -> str:
    """Return a count with its noun, such as "1 question" or "4 questions"."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
