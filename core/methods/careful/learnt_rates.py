"""Learn over episodes how often what happens: situations, side effects, and why steps fail.

Each hypothesis counts what happened in it (Storvik, IEEE Trans. Signal Processing 2002). A try of which
nothing was seen counts for nothing: it would only confirm what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.domains import Situation
from core.knowledge.changes import Evidence, LearntChange, SideEffect
from core.methods.careful.untold import NEVER, Count, Counts, Kind
from core.text.untrusted_text import one_line

WEIGHT = 20.0  # tries: so much the rate of the folder counts
LEAST_TIMES = 0.05  # fewer are not worth a line
NO_EFFECT, NOT_POSSIBLE = "(nothing happened)", "(not possible)"
WORDS = 60  # characters of a reason


def learnt(rate: float, kept: Count) -> float:
    """Return the rate after what was counted."""
    return (WEIGHT * rate + kept.happened) / (WEIGHT + kept.times)


def learnt_situations(action: str, told: Sequence[Situation], kept: Counts) -> tuple[Situation, ...]:
    """Return the situations of an action with the rates that were learnt."""
    found = [replace(s, rate=learnt(s.rate, kept.get(Kind(action, s.name, None), NEVER))) for s in told]
    together = max(1.0, sum(s.rate for s in found))
    return tuple(replace(s, rate=s.rate / together) for s in found)


def events(action: str, situation: str, named: Iterable[str], words: str) -> Mapping[Kind, bool]:
    """Return which of the situations that an action has here happened; `words` are why the robot says that it
    failed, where they name nothing known.
    """
    found = {Kind(action, situation, None, words): True} if words else {}
    if situation != NOT_POSSIBLE:
        found |= {Kind(action, name, None): name == situation for name in named}
    if situation in ("", NO_EFFECT):
        found[Kind(action, NO_EFFECT, None)] = situation == NO_EFFECT
    return found


def reason_words(said: str) -> str:
    """Return the reason of a FAILED without figures, which differ each time."""
    return one_line(re.sub(r"\d+", "#", said), WORDS)


def meaning(kept: Counts, action: str, words: str, situation: str) -> float:
    """Return how far a reason fits what happened, by what went with it before."""
    said = {kind: n.happened for kind, n in kept.items() if kind.cause == action and kind.words}
    if not (own := sum(n for kind, n in said.items() if kind.words == words)):
        return 1.0
    here = sum(n for kind, n in said.items() if kind.predicate == situation)
    return (said.get(Kind(action, situation, None, words), 0.0) + own / sum(said.values())) / (here + 1)


def to_keep(
    counts: Counts, expected: Callable[[Kind], tuple[float, float]], robot: str
) -> Iterator[LearntChange]:
    """Yield what the hypotheses counted in an episode, as far as it was seen.

    `expected` returns how often a kind was expected before, and as if after how many tries.
    """
    said = Evidence(interpretation="counted in what is likely after the answers of each episode")
    for kind, count in counts.items():
        happened, times = seen(count, *expected(kind))
        if kind.words:
            same = (n for k, n in counts.items() if (k.cause, k.words) == (kind.cause, kind.words))
            happened, times = count.happened, sum(n.happened for n in same)
        if times >= LEAST_TIMES:
            figures = round(abs(happened), 2), round(times, 2)
            yield LearntChange(SideEffect(*kind[:3], *figures, robot, kind.words), (said,))


def seen(count: Count, rate: float, weight: float) -> tuple[float, float]:
    """Return how often it happened, of how many tries, by what was seen alone.

    The rate is then a mixture of beta distributions, one for each hypothesis; what is returned leads from the
    one before to the one with the mean and the variance of the mixture. Where all went as expected, because
    nothing was seen, these are 0 tries. Where the variance grows, they are the fewest that give the mean.
    """
    tries, yes = weight + count.times, rate * weight + count.happened
    if not 0 < yes < tries:
        return count.happened, count.times
    mean = yes / tries
    # a hypothesis counts with the rate as it is expected, though that is uncertain
    spread = max(0.0, count.squares - count.happened**2) * tries / (weight + 1)
    variance = (yes**2 + yes + spread) / (tries * (tries + 1)) - mean**2
    least = weight * max((mean - rate) / (1 - mean), (rate - mean) / mean)
    times = max(least, mean * (1 - mean) / variance - 1 - weight)
    return mean * (weight + times) - rate * weight, times
