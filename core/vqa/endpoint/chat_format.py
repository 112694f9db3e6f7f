"""Chat completions as JSON: build requests, parse responses, and tell which hold no answer."""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from core.ports import ChatMessage, Reply, ReplyToken
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.presets import TOKEN_PARAMETERS, EndpointPreset, Purpose
from core.vqa.endpoint.request_failure import RequestFailure, excerpt, malformed, oversized, strip_controls
from core.vqa.replies.cleaning import after_thoughts

MAX_REPLY_CHARS = 100_000  # longer replies are truncated
MAX_JSON_PARTS = 200_000  # commas, brackets, escapes of a body: 4,000 tokens with five alternatives each
_PIECE = 1 << 16  # bytes

SCHEMA: dict[str, object] = {
    "type": "json_schema",
    "json_schema": {
        "name": "answers",
        "strict": True,
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["answers"],
            "properties": {
                "answers": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["number", "answer"],
                        "properties": {
                            "number": {"type": "integer"},
                            "answer": {"type": "string", "enum": ["yes", "no", "skip"]},
                        },
                    },
                }
            },
        },
    },
}


def chat_messages(
    messages: Sequence[ChatMessage], pictures: Sequence[bytes], detail: str = ""
) -> list[dict[str, object]]:
    """Return the messages in the endpoint's format; the pictures go before the text of the last one."""
    sent: list[dict[str, object]] = [{"role": m.role, "content": m.text} for m in messages]
    if pictures and messages:
        parts: list[dict[str, object]] = [
            {"type": "image_url", "image_url": _image(p, detail)} for p in pictures
        ]
        sent[-1]["content"] = [*parts, {"type": "text", "text": messages[-1].text}]
    return sent


def _image(png: bytes, detail: str) -> dict[str, str]:
    url = {"url": f"data:image/png;base64,{base64.b64encode(png).decode()}"}
    return url | {"detail": detail} if detail else url


def parse_completion(body: bytes) -> Reply | RequestFailure:
    """Parse a reply, without its cost and seconds, or return what is wrong with the body.

    The JSON parser holds the GIL, so bodies that would take long (by their number of parts) are rejected.
    """
    if _too_many_parts(body):
        return oversized(f"JSON of more than {MAX_JSON_PARTS:,} parts", body)
    text = body.decode("utf-8", errors="replace")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return malformed(f"not JSON: {text[:MAX_REPLY_CHARS]!r}")
    if not isinstance(data, dict):
        return malformed(text)
    choice = _first(data.get("choices"))
    if choice is None:
        return malformed(text)
    message = choice.get("message")
    said = _content_text(message) if isinstance(message, dict) else None
    ending = choice.get("finish_reason")
    if said is None or not isinstance(message, dict):
        return malformed(text)
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    model = data.get("model")
    ending = ending if isinstance(ending, str) else ""
    if not message.get("content") and message.get("refusal"):
        ending = REFUSED
    if len(said) > MAX_REPLY_CHARS:
        ending = TOO_LONG
    return Reply(
        text=_clipped(said),
        finish_reason=" ".join(strip_controls(ending[:40]).split()),
        reasoning=_clipped(_reasoning(message)),
        model=" ".join(strip_controls(model[:200]).split()) if isinstance(model, str) else "",
        tokens=_tokens(choice.get("logprobs")),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
    )


def _too_many_parts(body: bytes) -> bool:
    """Count piece by piece, since a count holds the GIL as well."""
    parts = 0
    for i in range(0, len(body), _PIECE):
        piece = body[i : i + _PIECE]
        parts += sum(map(piece.count, (b",", b"[", b"{", b"\\")))
        if parts > MAX_JSON_PARTS:
            return True
    return False


def redact_key(reply: Reply, key: Secret) -> Reply:
    """Return the reply without the key; if the key occurs in it, its tokens are dropped as well."""
    text, model = key.scrub(reply.text), key.scrub(reply.model)
    finish, reasoning = key.scrub(reply.finish_reason), key.scrub(reply.reasoning)
    tokens = reply.tokens if key.scrub(spelt := "".join(t.text for t in reply.tokens)) == spelt else ()
    tokens = tokens if text == reply.text else ()
    return replace(reply, text=text, model=model, tokens=tokens, finish_reason=finish, reasoning=reasoning)


def _clipped(said: str) -> str:
    kept = strip_controls(said[:MAX_REPLY_CHARS])
    return kept if len(said) <= MAX_REPLY_CHARS else f"{kept}… ({len(said):,} characters)"


def _first(choices: object) -> dict[str, object] | None:
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _content_text(message: dict[str, object]) -> str | None:
    """Return the text, else the refusal, "" if only they are missing; None if this is no message."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(map(_part_text, content))
    if not content and isinstance(message.get("refusal"), str):
        content = message["refusal"]
    if content is None and message.keys() & {"content", "refusal", "tool_calls", *_REASONING}:
        content = ""
    return content if isinstance(content, str) else None


_REASONING = ("reasoning_content", "reasoning", "thinking")  # what servers call a model's thoughts


def _reasoning(message: dict[str, object]) -> str:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    listed = (part.get("thinking") for part in parts if isinstance(part, dict))
    found = (*(message.get(name) for name in _REASONING), *listed)
    return next((text for text in found if isinstance(text, str) and text.strip()), "")


def _part_text(part: object) -> str:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**53 else 0


def _tokens(logprobs: object) -> tuple[ReplyToken, ...]:
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = []
    for entry in content if isinstance(content, list) else []:
        one = _token(entry)
        if one is None:
            return ()
        others = entry.get("top_logprobs")
        alternatives = [_token(other) for other in others] if isinstance(others, list) else []
        tokens.append(ReplyToken(*one, tuple(other for other in alternatives if other is not None)))
    return tuple(tokens)


def _token(entry: object) -> tuple[str, float] | None:
    if not isinstance(entry, dict):
        return None
    text, logprob = entry.get("token"), entry.get("logprob")
    return (text, float(logprob)) if isinstance(text, str) and isinstance(logprob, int | float) else None


REFUSED, TOO_LONG = "refusal", "too long"  # finish reasons of ours, where the server has none
CUT = ("length", "max_tokens", "model_length", TOO_LONG)
WITHHELD = ("content_filter", "safety", "prohibited_content", "recitation", "blocklist")
BROKEN = ("error", "abort", "aborted", "cancelled", "timeout")


def silence(reply: Reply, preset: EndpointPreset, purpose: Purpose) -> RequestFailure | None:
    """Return why a reply holds no answer and what to do about it, None if it is whole."""
    ending = reply.finish_reason.lower()
    text = _visible(after_thoughts(reply.text))
    thought = bool(reply.reasoning.strip() or (not text and _visible(reply.text)))
    if ending == REFUSED:
        return _failure(
            f"refused to answer ({excerpt(reply.text)!r})", "ask otherwise, or take another model"
        )
    if ending in WITHHELD:
        return _failure(
            f"withheld its answer (finish_reason {ending})", "a filter refused: take another model"
        )
    if ending == TOO_LONG:
        return _failure("wrote far more than an answer", "look at its settings, or take another model")
    if ending in CUT:
        return _cut_off(preset, purpose, thought and not text)
    if ending in BROKEN:
        return _failure(f"broke off (finish_reason {ending})", "look at the server's own log")
    if text:
        return None
    if thought:
        return _failure(
            "thought, and gave no answer",
            "switch thinking off, or have the server put the answer into `content`",
        )
    if ending in ("tool_calls", "function_call"):
        return _failure("called a tool instead of answering", "switch its tools off")
    return _failure("sent an empty reply", "see whether it takes pictures, or take another model")


def _visible(text: str) -> bool:
    """Return True if there is anything but spaces and characters without a shape."""
    return any(unicodedata.category(char)[0] not in "CZ" for char in text)


def _cut_off(preset: EndpointPreset, purpose: Purpose, only_thought: bool) -> RequestFailure:
    parameters = preset.parameters_for(purpose)
    name = next(name for name in TOKEN_PARAMETERS if name in parameters)
    own = name in preset.parameters
    what = f"{name} of [parameters]" if own else f"{purpose} of [max_tokens]"
    limit, raised = f"{parameters[name]} tokens", f"raise {what} in {preset.editable}"
    if only_thought:
        return _failure(f"used its {limit} to think and gave no answer", f"{raised}, or switch thinking off")
    return _failure(f"was cut off (its limit is {limit})", f"{raised}, or the server's own limit")


def _failure(reason: str, remedy: str) -> RequestFailure:
    return RequestFailure(reason, remedy, transient=False)
