"""How sure a model seems from its log-probabilities: raw, a figure to calibrate and never to believe.

In ViPlan's household logs raw confidence had AUROC .61 and an expected calibration error of .27. What a
model SAYS about its confidence is worse, and is never read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.belief import Verdict
from core.ports import ReplyToken
from core.vqa.answer_lexicon import word_verdict


def raw_confidence(tokens: Sequence[ReplyToken], count: int) -> tuple[float | None, ...]:
    """For each of `count` answers the share of its verdict among yes, no and skip at its place, 0..1.

    None for all where the reply's answer words are not just `count` tokens.
    """
    places = [token for token in tokens if _verdict_of(token.text) is not None]
    if len(places) != count:
        return (None,) * count
    return tuple(_share(token) for token in places)


def _share(token: ReplyToken) -> float:
    said = _verdict_of(token.text)
    listed = dict(token.alternatives) | {token.text: token.logprob}
    weights = [(_verdict_of(text), math.exp(min(0.0, logprob))) for text, logprob in listed.items()]
    mine = sum(weight for verdict, weight in weights if verdict is said)
    total = sum(weight for verdict, weight in weights if verdict is not None)
    return mine / total if total else 0.0


def _verdict_of(text: str) -> Verdict | None:
    return word_verdict(text.lower())
