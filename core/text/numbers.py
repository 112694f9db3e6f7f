"""Numbers as people type them, read in one way by the window, the command line and the terminal's questions.

A point or a comma stands before the decimals, whatever the language of the desktop, and nothing between the
other digits. They are shown as the logs and the documentation write them, with a point.
"""

from __future__ import annotations

import re

from core.errors import BadValue

_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,15}", re.ASCII)
_AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_TWO_OR_ONE = re.compile(r"\d+,\d+", re.ASCII)
_EXAMPLE = "write digits and at most one point, such as 1234.5"


def read_number(text: str) -> float:
    """Return the finite number that was typed. Raises BadValue in a sentence for none, or what may be two."""
    said = text.strip()
    if _AMBIGUOUS.fullmatch(said):
        one, other = said.replace(",", "."), said.replace(",", "")
        raise BadValue(f"{said!r} could mean {one} or {other}: write one of these.")
    if not _NUMBER.fullmatch(said) or abs(value := float(said.replace(",", "."))) == float("inf"):
        raise BadValue(f"{said[:40]!r} is no number: {_EXAMPLE}.")
    return value


def read_whole(text: str) -> int:
    """Return the whole number that was typed. Raises BadValue in one sentence."""
    said = text.strip()
    if not _WHOLE.fullmatch(said):
        raise BadValue(f"{said[:40]!r} is no whole number: write digits only, such as 1234.")
    return int(said)


def read_numbers(text: str) -> tuple[float, ...]:
    """Return the numbers of a list: separated by semicolons or blanks, or by commas where that is clear.

    Raises BadValue in one sentence.
    """
    if _TWO_OR_ONE.fullmatch(text.strip()):
        one, both = text.strip().replace(",", "."), text.strip().replace(",", "; ")
        raise BadValue(f"{text.strip()!r} could mean {one} or the two numbers {both}: write one of these.")
    words = text.split(";") if ";" in text else re.split(r"[,\s]+", text)
    return tuple(read_number(word) for word in words if word.strip())


def format_number(value: float) -> str:
    """Return a number as it is typed: with a point, at most six decimals, and no zeros that say nothing."""
    digits = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def money(dollars: float | None) -> str:
    """Return an amount in cents, and a small one as it is: "$2.50", "$0.062", "$0.0045"."""
    if dollars is None:
        return ""
    digits = 2 if dollars >= 1 or round(100 * dollars, 6).is_integer() else 3 if dollars >= 0.01 else 5
    return f"${dollars:.{digits}f}" if digits < 5 else f"${dollars:.5f}".rstrip("0")
