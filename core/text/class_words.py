"""The name of a class in words, for a sentence."""

from __future__ import annotations

import re


def class_words(name: str) -> str:
    """Return "answers received" for "AnswersReceived"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
