"""The faults that the mock server produces on request, for practice, and what is sent then."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any

from core.errors import BadValue, UnknownName
from core.vqa.answerers.simulated import keyed_uniform


class Fault(Enum):
    NONE = "none"
    DELAY = "delay"  # answers late
    BUSY = "429"  # too many requests, with Retry-After
    BROKEN = "500"
    CUT = "cut"  # closes the connection in the middle of the reply
    MALFORMED = "malformed"  # truncated JSON
    COUNT = "count"  # one answer too many
    REFUSAL = "refusal"
    MEGABYTES = "megabytes"  # of text
    UTF8 = "utf8"  # bytes that are not UTF-8
    EMPTY = "empty"  # an empty reply
    NO_CHOICE = "no-choice"  # valid JSON without a reply
    # replies that hold no answer (`SILENT`)
    BLANK = "blank"  # white space
    THINK_NULL = "think_null"  # all its tokens are thoughts, and content is null
    THINK_EMPTY = "think_empty"  # the same with an empty content
    THINK_ONLY = "think_only"  # thoughts to the end, and no answer after them
    THINK_OPEN = "think_open"  # a thought within the content that has no end
    LENGTH = "length"  # cut off at the limit of tokens
    FILTER = "filter"  # withheld by a content filter
    FILTER_PART = "filter_part"  # the same after a part of the answer
    REFUSED = "refused"  # in the field `refusal`
    TOOL = "tool"  # calls a tool
    ABORT = "abort"  # broke off, and says so
    # what is no completion, and will not become one
    HTML = "html"  # a login page, with status 200
    SSE = "sse"  # a stream
    ERROR_200 = "error200"  # an error with status 200
    NO_IMAGE = "no-image"  # a model without vision
    NO_MODEL = "404"
    NO_KEY = "401"
    PARAMETER = "400"  # a parameter that it does not take
    DETAIL = "422"


LASTING = tuple(Fault)[-8:]  # a client that asks once more gets over the others


FaultSchedule = Callable[[int], Fault]


def no_faults(call: int) -> Fault:
    return Fault.NONE


def sequence(faults: Sequence[Fault]) -> FaultSchedule:
    """Return a schedule with these faults for the first calls (1, 2, ...), and none after them."""
    return lambda call: faults[call - 1] if call <= len(faults) else Fault.NONE


def parse_faults(text: str, seed: int = 0) -> FaultSchedule:
    """Parse "429=0.2,cut=0.05": the probability of each fault of a call. Raises UnknownName, BadValue."""
    shares: list[tuple[Fault, float]] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, share = part.partition("=")
        if name not in (fault.value for fault in Fault):
            raise UnknownName("fault", name, [fault.value for fault in Fault])
        try:
            shares.append((Fault(name), float(share or 1)))
        except ValueError:
            raise BadValue(f"The fault {part!r} has no probability: write it as {name}=0.1.") from None
    if any(not 0 <= share <= 1 for _, share in shares) or sum(share for _, share in shares) > 1 + 1e-9:
        raise BadValue(f"The faults {text!r} have probabilities that are not between 0 and 1 together.")

    def faults(call: int) -> Fault:
        draw = keyed_uniform(seed, "fault", call)
        for fault, share in shares:
            draw -= share
            if draw < 0:
                return fault
        return Fault.NONE

    return faults


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
