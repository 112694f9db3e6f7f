"""Name tasks, methods and domains as people call them: a program's ids are for files and tooltips. Pure."""

from __future__ import annotations

from core.methods.registry import METHODS


def spaced(name: str) -> str:
    """Return an id of a task, a domain or an option in words, such as "boil water"."""
    return name.replace("_", " ")


def method_title(name: str) -> str:
    """Return a method's title, such as "Zero-shot planner" for `lmzsp`."""
    return METHODS[name].title if name in METHODS else spaced(name)


def answerer_name(name: str) -> str:
    """Return an answerer's name; of an eye, without its version, which is for tooltips."""
    return name.partition(" ")[0]
