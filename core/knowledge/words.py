"""Put the names of a domain into words for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SYNSET = re.compile(r"[-.][nvars][-.]\d\d(?=_|$)")  # of a name from WordNet, such as mug-n-04_1


def spoken(name: str) -> str:
    """Return a name in words: "mug 1" for `mug-n-04_1`, "dining table" for `dining_table`."""
    return re.sub("[_-]", " ", _SYNSET.sub("", name))


def statement(predicate: str, about: Sequence[str], holds: bool = True) -> str:
    """Return "the cup is not dirty", "the cup has no lid"; without a subject, "it is not raining"."""
    subject, *others = about or ["it"]
    verbs = ("has", "has no") if predicate.startswith("has_") else ("is", "is not")
    rest = f" ({' and '.join(others)})" if others else ""
    return f"{subject} {verbs[not holds]} {quality(predicate)}{rest}"


def definite(name: str) -> str:
    """Return "the cup", but "cup 1"."""
    return name if name[-1:].isdigit() else f"the {name}"


def quality(predicate: str) -> str:
    """Return "dirty" for `is_dirty`, "out of order" for `is_out_of_order`."""
    return spoken(predicate).removeprefix("is ").removeprefix("has ")


def with_article(name: str) -> str:
    words = spoken(name)
    return f"{'an' if words[:1] in tuple('aeiou') else 'a'} {words}"
