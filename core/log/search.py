"""Full-text search over everything said and done, and over people's notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.log.store import Store, fts_query

_PICTURE_ID = re.compile(r"\b[0-9a-f]{64}\b\s*")  # tells a reader nothing


@dataclass(frozen=True)
class Hit:
    """A moment where the words occur. `number` is the record's, 0 for a note on the whole episode."""

    episode: str
    number: int
    kind: str  # the event's class, or "Note"
    text: str  # text around the first word found


def search(store: Store, words: str, limit: int = 50) -> tuple[Hit, ...]:
    """Return the moments of ended episodes that contain all words, the latest first.

    A word matches every word that it begins; words "in quotes" must occur in this order. Raises LogError, and
    BadValue if there is no word.
    """
    query, terms = fts_query(words)
    found = store.read(
        Hit,
        "select e.id, r.number, r.kind, s.text from word "
        "join record r on r.id = word.rowid join sayings s on s.id = r.id "
        "join episode e on e.nr = r.episode and e.deleted is null "
        "where word match ? order by word.rowid desc limit ?",
        (query, limit),
    )
    like = " and ".join(["n.text like ? escape '\\'"] * len(terms))
    noted = store.read(
        Hit,
        "select e.id, ifnull(n.number, 0), 'Note', n.text from note n "
        f"join episode e on e.nr = n.episode and e.deleted is null where {like} order by n.id desc limit ?",
        (*map(_pattern, terms), limit),
    )
    return tuple(replace(hit, text=_around(hit.text, terms)) for hit in (noted + found)[:limit])


def _pattern(term: str) -> str:
    escaped = re.sub(r"([%_\\])", r"\\\1", term)
    return f"%{escaped}%"


def _around(text: str, terms: list[str], room: int = 60) -> str:
    text = _PICTURE_ID.sub("", text)
    places = [at for term in terms if (at := text.lower().find(term.lower())) >= 0]
    start = max(0, min(places, default=0) - room)
    cut = text[start : start + 3 * room].strip()
    return ("…" if start else "") + cut + ("…" if start + 3 * room < len(text) else "")
