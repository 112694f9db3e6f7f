"""Chat completions in OpenAI's format, whole or in chunks, with token counts."""

from __future__ import annotations

import json
import math
import re
import struct
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

CLAIMED_PROBABILITY = 0.9  # the probability given to every answer if logprobs are requested
MAX_SPLIT_CHARS = 50_000
BYTES_PER_TOKEN = 4
MESSAGE_OVERHEAD, REPLY_OVERHEAD = 4, 3  # tokens around each message, and before the reply
PICTURE_TOKENS, TILE_TOKENS = 85, 170  # tokens of a picture, and of each of its tiles of 512 pixels


def completion(
    replies: Sequence[str], model: str, request: Mapping[str, Any], number: int, now: int
) -> dict[str, Any]:
    """Return a completion with a choice per text; `number` counts requests, `now` is Unix time in seconds."""
    texts = [_truncate(text, request) for text in replies]
    return {
        **_head("chat.completion", model, number, now),
        "choices": [
            {
                "index": index,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "finish_reason": ending,
                "logprobs": _logprobs(_split_words(text), request),
            }
            for index, (text, ending) in enumerate(texts)
        ],
        "usage": usage([text for text, _ in texts], request),
    }


def chunks(
    replies: Sequence[str], model: str, request: Mapping[str, Any], number: int, now: int
) -> Iterator[dict[str, Any]]:
    """Yield the completion in chunks: role, words, finish reason, and the usage if requested."""
    head = _head("chat.completion.chunk", model, number, now)

    def chunk(
        index: int, delta: Mapping[str, str], ending: str | None = None, logprobs: object = None
    ) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "finish_reason": ending, "logprobs": logprobs}
        return {**head, "choices": [choice]}

    texts = [_truncate(text, request) for text in replies]
    for index, (text, ending) in enumerate(texts):
        yield chunk(index, {"role": "assistant", "content": ""})
        for word in _split_words(text):
            yield chunk(index, {"content": word}, logprobs=_logprobs([word], request))
        yield chunk(index, {}, ending)
    if (request.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": usage([text for text, _ in texts], request)}


def _head(kind: str, model: str, number: int, now: int) -> dict[str, Any]:
    return {"id": f"chatcmpl-emulated-{number}", "object": kind, "created": now, "model": model}


def _truncate(text: str, request: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text truncated to the requested length, and the finish reason."""
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    if limit is None or count_tokens(text) <= limit:
        return text, "stop"
    return text.encode()[: limit * BYTES_PER_TOKEN].decode(errors="ignore"), "length"


# --- counting ---


def usage(replies: Sequence[str], request: Mapping[str, Any]) -> dict[str, int]:
    """Count tokens by a rule, since no model's tokenizer is available.

    Four bytes of text are a token, plus four tokens around each message and three before the reply; pictures
    count by their size (`picture_tokens`).
    """
    contents = [message.get("content") for message in request["messages"]]
    tokens_in = REPLY_OVERHEAD + sum(MESSAGE_OVERHEAD + _content_tokens(content) for content in contents)
    tokens_out = sum(map(count_tokens, replies))
    return {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }


def count_tokens(text: str) -> int:
    return math.ceil(len(text.encode(errors="replace")) / BYTES_PER_TOKEN)


def _content_tokens(content: object) -> int:
    if isinstance(content, str):
        return count_tokens(content)
    parts = content if isinstance(content, list) else []
    texts = sum(count_tokens(part.get("text") or "") for part in parts)
    return texts + sum(_image_tokens(part["image_url"]) for part in parts if part.get("image_url"))


def _image_tokens(image: Mapping[str, Any]) -> int:
    try:
        start = b64decode(image["url"].partition(",")[2][:64])
        width, height = struct.unpack(">II", start[16:24])
    except (ValueError, struct.error):
        width = height = 512
    return picture_tokens(width, height, str(image.get("detail") or "auto"))


def picture_tokens(width: int, height: int, detail: str = "auto") -> int:
    """Count a picture's tokens as OpenAI documents it for its GPT-4 models.

    That is 85 tokens and, unless detail is "low", 170 for each tile of 512 pixels once the picture is scaled
    to fit 2048 x 2048 and then to 768 on its shorter side.
    """
    if detail == "low" or not width or not height:
        return PICTURE_TOKENS
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    return PICTURE_TOKENS + TILE_TOKENS * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)


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


def sse_event(data: Mapping[str, Any]) -> bytes:
    """Format a server-sent event."""
    return b"data: " + json.dumps(data).encode() + b"\n\n"


SSE_DONE = b"data: [DONE]\n\n"
