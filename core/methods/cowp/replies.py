"""Read a language model's free replies: a yes or no, a predicate's name, one of several things."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from core.belief import Verdict
from core.knowledge.faults import NAME
from core.open_world.situations import mentions
from core.vqa.replies.cleaning import clean_reply
from core.vqa.replies.reply_parser import parse_verdicts

_LONGEST = 40  # characters of a predicate's name


@lru_cache(maxsize=4096)
def yes_or_no(reply: str) -> Verdict:
    """Return what the reply says; UNKNOWN for what is no answer, such as "a robot can find a glass"."""
    return parse_verdicts(reply, 1)[0]


def predicate_in(reply: str) -> str:
    """Return the first legal predicate's name of the reply's first line, "" if there is none."""
    lines = (clean_reply(reply) or "").strip().splitlines()
    words = re.findall(r"[a-z][a-z0-9_-]*", lines[0].split("->")[-1].lower()) if lines else []
    named = [w for w in words if "_" in w and len(w) <= _LONGEST and NAME.fullmatch(w)]
    return named[0] if named else ""


def named_thing(reply: str, things: Iterable[str]) -> str | None:
    """Return the longest of these names that stands in the reply as whole words, None for none."""
    return max((thing for thing in things if mentions(reply, thing)), key=len, default=None)
