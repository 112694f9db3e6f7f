"""A model's raw confidence from its log-probabilities: only for calibration, never used directly.

In ViPlan's household logs raw confidence had an AUROC of .61 and an expected calibration error of .27. What a
model SAYS about its confidence is worse, and is ignored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.belief import Verdict
from core.ports import ReplyToken
from core.vqa.replies.answer_lexicon import word_verdict


def raw_confidence(tokens: Sequence[ReplyToken], count: int) -> tuple[float | None, ...]:
    """Return for each of `count` answers the probability of its verdict among yes, no and skip, 0..1.

    All are None unless the reply has exactly `count` answer words.
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
