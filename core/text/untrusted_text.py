"""Sanitise text from outside: from a model, a server, a log or a file.

The result is plain text: it contains no terminal commands, no direction overrides and no markup, and it is
short enough to be shown. All code that shows such text calls these functions, and a test finds code that does
not.
"""

from __future__ import annotations

import re
from html import escape

MAX_CHARS = 4_000  # longer texts are truncated
MAX_LINE_CHARS = 1_000  # for tooltips and other overlays
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"  # replaces what is not shown
_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Controls but tab and line feed, marks and overrides of direction, surrogates, the byte order mark.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def sanitise(words: object, max_chars: int = MAX_CHARS) -> str:
    """Return `words` as text of at most `max_chars` characters; controls except line breaks are replaced."""
    text = str(words)
    if len(text) > max_chars:
        text = text[: max_chars - 1] + "…"
    return (
        text if text.isascii() and text.isprintable() else _HARMFUL.sub(REPLACEMENT, _BREAK.sub("\n", text))
    )


def one_line(words: object, max_chars: int = MAX_LINE_CHARS) -> str:
    """Return the sanitised text on one line."""
    return " ".join(sanitise(words, max_chars).split())


def tooltip(words: object) -> str:
    """Return the text for a Qt tooltip, escaped where Qt would take it for rich text."""
    text = sanitise(words, MAX_LINE_CHARS)
    if "<" not in text and "&" not in text:
        return text
    return f'<p style="white-space:pre-wrap">{escape(text)}</p>'
