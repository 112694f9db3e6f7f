"""What a reply speaks of: questions, what is so where the answer is yes or no, and a grammar's slots."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from core.belief import Verdict

Pictures = dict[str, Any]
PICTURES: Pictures = tomllib.loads(Path(__file__).with_name("scenes.toml").read_text(encoding="utf-8"))
_KINDS = ("thing", "holder", "surface", "block", "column")
_SLOT = re.compile(r"\{(\w+)\}")
REMARKS: list[str] = PICTURES["remarks"]


class Scene(NamedTuple):
    """A question, and sentences without a full stop that are so where its answer is yes, no, or unknown."""

    question: str
    thing: str
    yes: list[str]
    no: list[str]
    unclear: list[str]
    remarks: list[str]

    def say(self, rng: Random, truth: Verdict) -> str:
        """Return a sentence that is so where the answer is `truth`."""
        return rng.choice(self.yes if truth is Verdict.YES else self.no)


class Batch(NamedTuple):
    """Questions asked in one call, what is meant about each, and the words that say it."""

    scenes: list[Scene]
    truths: tuple[Verdict, ...]
    words: list[str]


Writers = dict[str, Callable[[Random, Batch], str]]


def scene(rng: Random, pictures: Pictures = PICTURES) -> Scene:
    """Draw a question of the household, the tabletop or the blocks."""
    names = {}
    for kind in _KINDS:
        names[kind], names[f"{kind}2"] = rng.sample(pictures[kind], 2)
    drawn = rng.choice(pictures["scene"])
    said = [[text.format_map(names) for text in drawn.get(truth, ())] for truth in ("yes", "no", "unclear")]
    return Scene(drawn["question"].format_map(names), names["thing"], *said, pictures["remarks"])


def batch(rng: Random, pictures: Pictures = PICTURES) -> Batch:
    """Draw two to six questions with their answers, one in five of them skipped."""
    truths = tuple(rng.choices((Verdict.YES, Verdict.NO, Verdict.UNKNOWN), (2, 2, 1), k=rng.randint(2, 6)))
    style = rng.choice((str.lower, str.capitalize, str.upper))
    words = [style("skip" if truth is Verdict.UNKNOWN else truth.value) for truth in truths]
    return Batch([scene(rng, pictures) for _ in truths], truths, words)


def fill(rng: Random, grammar: str, subject: Scene, truth: Verdict) -> str:
    """Fill the slots of a grammar, and leave what is no slot.

    `w` is the answer, `x` its opposite, `s` what is so, `t` what is not (`S`, `T` begin a sentence), `q` the
    question, `p` what it asks and `z` its negation (and `P`, `Z`), `a` its thing, `n` a remark that answers
    nothing, `u` why one cannot tell (and `U`).
    """

    def clause(name: str) -> str:
        if name in "pz":
            return (subject.yes if name == "p" else subject.no)[0]
        if name == "u":
            return rng.choice(subject.unclear)
        return subject.say(rng, truth if name == "s" else truth.opposite)

    def slot(found: re.Match[str]) -> str:
        name = found[1]
        if name in "wx":
            word = (truth if name == "w" else truth.opposite).value
            return rng.choice((word, word, word.capitalize(), word.capitalize(), word.upper()))
        if name.lower() in "stpzu":
            said = clause(name.lower())
            return said if name.islower() else said[0].upper() + said[1:]
        return {"q": subject.question, "a": subject.thing, "n": rng.choice(subject.remarks)}.get(
            name, found[0]
        )

    return _SLOT.sub(slot, grammar)
