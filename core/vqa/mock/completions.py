"""Chat completions in OpenAI's format, with token counts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

CLAIMED_PROBABILITY = 0.9  # the probability given to every answer if logprobs are requested
MAX_SPLIT_CHARS = 50_000
BYTES_PER_TOKEN = 4
MESSAGE_OVERHEAD, REPLY_OVERHEAD = 4, 3  # tokens around each message, and before the reply
PICTURE_TOKENS = 255  # as OpenAI counts a picture of 256 x 256 pixels for its GPT-4 models


def completion(reply: str, model: str, request: Mapping[str, Any], number: int, now: int) -> dict[str, Any]:
    """Return a completion; `number` counts requests, `now` is Unix time in seconds.

    The reply is cut off at the requested length.
    """
    limit, ending = request.get("max_completion_tokens") or request.get("max_tokens"), "stop"
    if limit is not None and count_tokens(reply) > limit:
        reply, ending = reply.encode()[: limit * BYTES_PER_TOKEN].decode(errors="ignore"), "length"
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": reply, "refusal": None},
        "finish_reason": ending,
        "logprobs": _logprobs(_split_words(reply), request),
    }
    head = {"id": f"chatcmpl-emulated-{number}", "object": "chat.completion", "created": now, "model": model}
    return {**head, "choices": [choice], "usage": usage(reply, request)}


# --- counting ---


def usage(reply: str, request: Mapping[str, Any]) -> dict[str, int]:
    """Count tokens by a rule, since no model's tokenizer is available.

    Four bytes of text are a token, plus four tokens around each message and three before the reply; every
    picture counts the same.
    """
    contents = [message.get("content") for message in request["messages"]]
    tokens_in = REPLY_OVERHEAD + sum(MESSAGE_OVERHEAD + _content_tokens(content) for content in contents)
    tokens_out = count_tokens(reply)
    total = tokens_in + tokens_out
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": total}


def count_tokens(text: str) -> int:
    return math.ceil(len(text.encode(errors="replace")) / BYTES_PER_TOKEN)


def _content_tokens(content: object) -> int:
    if isinstance(content, str):
        return count_tokens(content)
    parts = content if isinstance(content, list) else []
    texts = sum(count_tokens(part.get("text") or "") for part in parts)
    return texts + PICTURE_TOKENS * sum(bool(part.get("image_url")) for part in parts)


# --- log-probabilities ---


def _split_words(text: str) -> list[str]:
    """Split into words and what stands between them; a very long text into larger pieces."""
    if len(text) <= MAX_SPLIT_CHARS:
        return re.findall(r"\w+|\W+", text)
    piece = len(text) // 1000 + 1
    return [text[start : start + piece] for start in range(0, len(text), piece)]


def _logprobs(words: Sequence[str], request: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return log-probabilities: each word gets the claimed probability, its opposite the rest."""
    if not request.get("logprobs"):
        return None
    opposite = {"yes": "no", "no": "yes"}
    listed = request.get("top_logprobs") or 0
    content = []
    for word in words:
        own = _token(word, CLAIMED_PROBABILITY)
        others = [_token(opposite[word], 1 - CLAIMED_PROBABILITY)] if word in opposite else []
        content.append({**own, "top_logprobs": [own, *others][:listed]})
    return {"content": content}


def _token(text: str, share: float) -> dict[str, Any]:
    return {"token": text, "logprob": math.log(share), "bytes": list(text.encode(errors="replace"))}
