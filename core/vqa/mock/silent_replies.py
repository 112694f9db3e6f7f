"""Send what servers send in place of an answer: replies without one, bodies that are no reply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from core.vqa.mock.faults import Fault

_THOUGHT = "Let me look at the picture. The left half"
SILENT: Mapping[Fault, tuple[dict[str, Any], str]] = MappingProxyType(
    {
        Fault.BLANK: ({"content": " \n\n"}, "stop"),
        Fault.THINK_NULL: ({"content": None, "reasoning_content": _THOUGHT}, "length"),
        Fault.THINK_EMPTY: ({"content": "", "reasoning": _THOUGHT}, "length"),
        Fault.THINK_ONLY: ({"content": "", "reasoning_content": f"{_THOUGHT} is red. So: yes"}, "stop"),
        Fault.THINK_OPEN: ({"content": f"<think>\n{_THOUGHT}"}, "stop"),
        Fault.FILTER: ({"content": None}, "content_filter"),
        Fault.REFUSED: ({"content": None, "refusal": "I cannot help with that."}, "stop"),
        Fault.TOOL: ({"content": None, "tool_calls": [{"type": "function"}]}, "tool_calls"),
        Fault.ABORT: ({"content": ""}, "abort"),
        Fault.LENGTH: ({}, "length"),  # whatever it said would look whole
        Fault.FILTER_PART: ({}, "content_filter"),
    }
)


def silence(choices: Iterable[dict[str, Any]], fault: Fault) -> None:
    """Put a reply without an answer into each choice of a completion or of a chunk, if the fault is one."""
    if (found := SILENT.get(fault)) is None:
        return
    message, ending = found
    for choice in choices:
        place = "message" if "message" in choice else "delta"
        if place == "message" or choice["finish_reason"]:
            choice[place] = choice[place] | message
            choice["finish_reason"] = ending
        elif "content" in message:
            choice[place] = {}


def _error(message: str, **more: object) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


_JSON = "application/json"
_CHUNK = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "yes"}}]}
OTHER_BODIES: Mapping[Fault, tuple[int, str, bytes]] = MappingProxyType(  # status, type and body
    {
        Fault.HTML: (200, "text/html", b"<!doctype html><title>Open WebUI</title><p>Please log in</p>"),
        Fault.SSE: (
            200,
            "text/event-stream",
            b"data: " + json.dumps(_CHUNK).encode() + b"\n\ndata: [DONE]\n\n",
        ),
        Fault.ERROR_200: (200, _JSON, json.dumps({"error": "No models loaded."}).encode()),
        Fault.NO_IMAGE: (
            500,
            _JSON,
            _error("image input is not supported - hint: you may need to provide the mmproj"),
        ),
        Fault.NO_MODEL: (404, _JSON, _error("model 'm' not found, try pulling it first")),
        Fault.NO_KEY: (401, _JSON, _error("Incorrect API key provided")),
        Fault.PARAMETER: (400, _JSON, _error("Unsupported value: 0 is not supported.", param="temperature")),
        Fault.DETAIL: (
            422,
            _JSON,
            json.dumps({"detail": [{"loc": ["body", "max_tokens"], "msg": "too large"}]}).encode(),
        ),
    }
)
