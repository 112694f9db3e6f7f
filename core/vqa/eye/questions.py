"""A question as an eye is asked it: a predicate and the words of its objects."""

from __future__ import annotations

import re

from core.belief import Atom

_SENSE = re.compile(r"-n-\d+")  # of a WordNet synset, as in BEHAVIOR's names


def object_word(name: str) -> str:
    """Return the word for an object: "mug-n-04_1" is "mug 1"."""
    return " ".join(_SENSE.sub("", name).replace("_", " ").split())


def question_key(atom: Atom) -> str:
    """Return the question about an atom as text: "inside, mug 1, cabinet 1"."""
    return ", ".join((atom.predicate, *map(object_word, atom.args)))
