"""What can go wrong with a request: whether it is transient, what to report, and what to do."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from core.vqa.endpoint.control_characters import strip_controls
from core.vqa.endpoint.presets import EndpointPreset

TRANSIENT_STATUSES = {408, 409, 429}  # and everything from 500 on
MAX_CHARS = 300  # maximum length of a server's own text in a message


@dataclass(frozen=True)
class RequestFailure:
    """A failed request. If `transient`, a retry may help, but not before `retry_seconds` if that is set."""

    reason: str
    remedy: str = ""
    transient: bool = True
    retry_seconds: float | None = None


def status_failure(
    preset: EndpointPreset, status: int, body: str, headers: Mapping[str, str]
) -> RequestFailure:
    """Explain an HTTP status; `body` is the server's own explanation, or the beginning of it."""
    said = _excerpt(_error_message(body))
    if status in (401, 403):
        where = f"check {' or '.join(preset.keys)}" if preset.keys else "this endpoint has no key set"
        return RequestFailure(f"refused the key (HTTP {status})", where, transient=False)
    if status == 404:
        return RequestFailure(
            f"does not know the model {preset.model!r} or the address (HTTP 404)",
            f"check the model's name and that {preset.host} is the right place",
            transient=False,
        )
    if status == 402 or (status == 429 and "insufficient_quota" in body):
        return RequestFailure(
            f"has no credit left on this account (HTTP {status})", "add credit", transient=False
        )
    if 300 <= status < 400:
        return RequestFailure(
            f"sends us elsewhere (HTTP {status})", "give the final address", transient=False
        )
    if status in TRANSIENT_STATUSES or status >= 500:
        return RequestFailure(
            f"is busy or broken (HTTP {status}: {said})", retry_seconds=retry_after(headers)
        )
    return RequestFailure(
        f"refused the request (HTTP {status}: {said})", "mend the preset's parameters", transient=False
    )


def _error_message(body: str) -> str:
    """Return the message of an error in the usual JSON format, else the whole text."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return body


def connection_failure(preset: EndpointPreset) -> RequestFailure:
    return RequestFailure("cannot be reached, or hung up", preset.start and f"is it running? {preset.start}")


def timeout_failure(seconds: float) -> RequestFailure:
    return RequestFailure(
        f"did not answer within {seconds:g} s", "give it more time, or take a smaller model"
    )


def malformed(what: str) -> RequestFailure:
    return RequestFailure(f"sent something that is not a reply ({_excerpt(what)})")


def oversized(how_much: str, body: bytes) -> RequestFailure:
    """Report that a reply is too large; `body` is its beginning."""
    began = _excerpt(body[: 4 * MAX_CHARS].decode("utf-8", errors="replace"))
    remedy = "look at its settings, or take another model"
    return RequestFailure(
        f"sent {how_much}, which is no reply (it begins {began!r})", remedy, transient=False
    )


def _excerpt(text: str) -> str:
    return " ".join(strip_controls(text[: 4 * MAX_CHARS]).split())[:MAX_CHARS]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of `retry-after-ms` or `Retry-After` (seconds or a date), None without either."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / scale
        except (KeyError, ValueError):
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        date = email.utils.parsedate_to_datetime(headers["retry-after"])
        return max(0.0, date.timestamp() - time.time())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
