"""Draw distinct labelled replies from the grammars of a corpus, and count what a reader makes of them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from core.belief import Verdict
from tests.core.vqa.corpus import (
    lists_eighth,
    lists_fifth,
    lists_first,
    lists_fourth,
    lists_second,
    lists_seventh,
    lists_sixth,
    lists_third,
)
from tests.core.vqa.corpus.scenes import PICTURES, batch, fill, scene

WRITERS = {
    "first": lists_first,
    "second": lists_second,
    "third": lists_third,
    "fourth": lists_fourth,
    "fifth": lists_fifth,
    "sixth": lists_sixth,
    "seventh": lists_seventh,
    "eighth": lists_eighth,
}
Verdicts = tuple[Verdict, ...]


class Reply(NamedTuple):
    """A reply with what its author meant, one verdict a question."""

    family: str
    text: str
    meant: Verdicts


@dataclass
class Tally:
    """How many replies a family has, which are lost (clear, read as UNKNOWN), and which are read wrongly."""

    read: Counter[str] = field(default_factory=Counter)
    lost: list[Reply] = field(default_factory=list)
    wrong: list[tuple[Reply, Verdicts]] = field(default_factory=list)


def replies(corpus: str, seed: int, size: int) -> Iterator[Reply]:
    """Draw `size` replies a family, for yes and for no where it has either. No two are the same."""
    seen = set()
    for one in _all(corpus, Random(seed), size):
        if (key := (one.text, len(one.meant))) not in seen:
            seen.add(key)
            yield one


def _all(corpus: str, rng: Random, size: int) -> Iterator[Reply]:
    grammars = tomllib.loads(Path(__file__).with_name(f"{corpus}.toml").read_text(encoding="utf-8"))
    pictures = grammars.get("pictures", PICTURES)
    for truth in (Verdict.YES, Verdict.NO):
        for kind in ("clear", truth.value, "unclear"):
            meant = Verdict.UNKNOWN if kind == "unclear" else truth
            for family, forms in grammars.get(kind, {}).items():
                for _ in range(size // 2 if kind == "unclear" else size):
                    yield Reply(family, fill(rng, rng.choice(forms), scene(rng, pictures), truth), (meant,))
    writers = WRITERS[corpus]
    for family, write in (writers.MATCHED | writers.UNMATCHED).items():
        for one in (batch(rng, pictures) for _ in range(size)):
            nothing = (Verdict.UNKNOWN,) * len(one.truths)
            meant = one.truths if family in writers.MATCHED else nothing
            yield Reply(f"several: {family}", write(rng, one), meant)


def tally(drawn: Iterable[Reply], read: Callable[[str, int], Verdicts]) -> Tally:
    """Read each reply. It is read wrongly if any verdict is neither the one meant nor UNKNOWN."""
    counts = Tally()
    for one in drawn:
        said = read(one.text, len(one.meant))
        counts.read[one.family] += 1
        pairs = list(zip(said, one.meant, strict=True))
        if any(verdict not in (meant, Verdict.UNKNOWN) for verdict, meant in pairs):
            counts.wrong.append((one, said))
        elif said != one.meant:
            counts.lost.append(one)
    return counts
