"""Replies that hold no answer: empty, withheld, all of it thought, or cut off. No part of one counts."""

from __future__ import annotations

import unicodedata

from core.ports import Reply
from core.vqa.endpoint.presets import TOKEN_PARAMETERS, EndpointPreset, Purpose
from core.vqa.endpoint.request_failure import RequestFailure, excerpt
from core.vqa.replies.cleaning import after_thoughts

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
