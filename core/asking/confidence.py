"""How sure a model seems from its log-probabilities: raw, a figure to calibrate and never to believe.

In ViPlan's household logs raw confidence had AUROC .61 and an expected calibration error of .27. What a
model SAYS about its confidence is worse, and is never read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.asking.words import word
from core.facts import Verdict
from core.ports import Token


def raw_confidence(tokens: Sequence[Token], count: int) -> tuple[float | None, ...]:
    """For each of `count` answers the share of its verdict among yes, no and skip at its place, 0..1.

    None for all where the reply's answer words are not just `count` tokens.
    """
    places = [token for token in tokens if _said(token.text) is not None]
    if len(places) != count:
        return (None,) * count
    return tuple(_share(token) for token in places)


def _share(token: Token) -> float:
    said = _said(token.text)
    listed = dict(token.others) | {token.text: token.logprob}
    weights = [(_said(text), math.exp(min(0.0, logprob))) for text, logprob in listed.items()]
    mine = sum(weight for verdict, weight in weights if verdict is said)
    total = sum(weight for verdict, weight in weights if verdict is not None)
    return mine / total if total else 0.0


def _said(text: str) -> Verdict | None:
    return word(text.lower())
