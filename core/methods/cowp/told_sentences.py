"""Say why nothing may follow from a situation as it was told: a danger, a denial, two things at once."""

from __future__ import annotations

import re
from collections.abc import Sequence

_DANGER = re.compile(
    r"\b(?:fire|flames?|burning|burns|smoke|smoking|gas|explo\w*|blood|bleed\w*|hurt|injured|danger\w*"
    r"|child(?:ren)?|kids?|baby|toddler|person|people|persons|somebody|someone|man|woman|boy|girl|visitor"
    r"|(?:an?|my|your|his|her) (?:hand|arm|finger|cat|dog|pet)|feuer|brennt|rauch|kind|mensch|person)\b"
)
_DENIED = re.compile(
    r"\b(?:(?:is|are|was|were) (?:not|no longer|never)|isn't|aren't|wasn't|weren't)\b"
    r"(?! (?:found|in sight|visible|there|here|at hand|available|working|where)\b)"
)
_TWO = re.compile(r"\b(?:and|but|while|und)\b|[,;]")


def unusable(said: str, objects: Sequence[str], named_in: Sequence[Sequence[str]]) -> str:
    """Return in one sentence why nothing may follow from a situation, "" if something may.

    `objects` are those that it names, `named_in` those that each of its clauses names.
    """
    words = said.lower()
    if _DANGER.search(words):
        return f"“{said}” may put somebody in danger: look for yourself before the robot goes on."
    if _DENIED.search(words):
        return f"“{said}” says what is not so: tell what is unusual instead, such as “the cup is dirty”."
    if sum(bool(named) for named in named_in) > 1 and len(objects) > 1:
        return f"“{said}” tells of several things at once: tell one after the other."
    return ""


def clauses(said: str) -> list[str]:
    """Return the parts of a sentence that are joined by "and" or a comma."""
    return [part for part in _TWO.split(said) if part.strip()]
