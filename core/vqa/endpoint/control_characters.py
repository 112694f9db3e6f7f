"""Remove from a server's or model's text the characters that a terminal or a screen would obey."""

from __future__ import annotations

import re

# Control characters except tab and line feed, and those that change the writing direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def strip_controls(text: str) -> str:
    r"""Return the text without control characters (escape, bell, ...) and with line ends as "\n"."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
