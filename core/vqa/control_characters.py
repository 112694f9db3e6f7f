"""Words of a server or a model without what a terminal or a screen would obey."""

from __future__ import annotations

import re

# Control characters but tab and line end, and those that turn the direction of writing.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def strip_controls(text: str) -> str:
    """A text without escape sequences' first characters, bells and the like; its words stay as they are."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
