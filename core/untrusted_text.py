"""The one door for words from outside: of a model, a server, a log or a file. Pure.

What comes out is text and nothing else: it commands no terminal, turns no line round, is no markup, and is
no longer than can be shown. Who shows such words takes them through here, and a test finds who does not.
"""

from __future__ import annotations

import re
from html import escape

MAX_CHARS = 4_000  # characters of a text that is read; of a longer one the rest is left out
MAX_LINE_CHARS = 1_000  # and of one that lies over something else
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"  # in the place of what is not shown
_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Controls but tab and line feed, marks and overrides of direction, surrogates, the byte order mark.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def sanitise(words: object, max_chars: int = MAX_CHARS) -> str:
    """Their text, of at most `most` characters: line breaks stay, controls become MARK."""
    text = str(words)
    if len(text) > max_chars:
        text = text[: max_chars - 1] + "…"
    return (
        text if text.isascii() and text.isprintable() else _HARMFUL.sub(REPLACEMENT, _BREAK.sub("\n", text))
    )


def one_line(words: object, max_chars: int = MAX_LINE_CHARS) -> str:
    """The same on one line."""
    return " ".join(sanitise(words, max_chars).split())


def tooltip(words: object) -> str:
    """As a tooltip of Qt, which takes for a page what looks like one: that is escaped, and reads the same."""
    text = sanitise(words, MAX_LINE_CHARS)
    if "<" not in text and "&" not in text:
        return text
    return f'<p style="white-space:pre-wrap">{escape(text)}</p>'
