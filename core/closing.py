"""Close planners, answerers and models, of which some have nothing to close."""

from __future__ import annotations


def close_part(part: object) -> None:
    """Call the part's `close`, if it has one."""
    if close := getattr(part, "close", None):
        close()
