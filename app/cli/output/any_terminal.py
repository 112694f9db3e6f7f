"""Terminals and pipes of any encoding: what one lacks becomes the nearest ASCII, and ends no episode."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

_ASCII = {
    "✓": "+", "✗": "x", "▸": ">", "→": "->", "◆": "*", "↻": "~", "■": "#", "●": "*", "○": "o", "◌": "?",
    "•": "*", "·": "-", "–": "-", "—": "-", "−": "-", "×": "x", "≤": "<=", "≥": ">=", "°": " deg",
    "“": '"', "”": '"', "„": '"', "’": "'", "‘": "'",
}  # fmt: skip


def accept_any_terminal() -> None:
    """Let stdout and stderr replace what they cannot encode, and stdin what it cannot read; call it first."""
    codecs.register_error("nearest", _nearest)
    streams = ((sys.stdin, "replace"), (sys.stdout, "nearest"), (sys.stderr, "nearest"))
    for stream, errors in streams:
        if isinstance(stream, io.TextIOWrapper):  # a program without a console has none
            stream.reconfigure(errors=errors)


def _nearest(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_ASCII.get(one) or _base(one) for one in missing), error.end


def _base(character: str) -> str:
    """Return the letter without its marks, or "?"."""
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
