"""Classify failures of a request: transient or not, what to report, and what to do."""

from __future__ import annotations

import email.utils
import json
import re
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass

from core.vqa.endpoint.presets import EndpointPreset

TRANSIENT_STATUSES = {408, 409, 429}  # and everything from 500 on
MAX_CHARS = 300  # maximum length of a server's own text in a message
MAX_ERROR_CHARS = 64_000  # of a body that could be an error
_NO_PICTURES = re.compile(
    r"mmproj|not a? ?multimodal|(?:image|vision|multimodal)\b.{0,40}not (?:supported|available|enabled)"
    r"|(?:not|n't) support.{0,20}(?:image|vision|multimodal)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"<title[^>]*>([^<]{1,200})", re.IGNORECASE)


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
    told = _error_told(body)
    said = excerpt(told.message)
    if _NO_PICTURES.search(told.message):
        return RequestFailure(
            f"takes no pictures (HTTP {status}: {said})",
            "take a model with vision; llama.cpp needs --mmproj as well",
            transient=False,
        )
    if status in (401, 403):
        where = f"check {' or '.join(preset.keys)}" if preset.keys else "this endpoint has no key set"
        return RequestFailure(f"refused the key (HTTP {status})", where, transient=False)
    if status == 404:
        return RequestFailure(
            f"does not know the model {preset.model!r} or the address {preset.base_url}/chat/completions "
            f"(HTTP 404: {said})",
            "check both; an address usually ends in /v1",
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
    ours = [name for name in _SENT if name == told.parameter or re.search(rf"\b{name}\b", told.message)]
    what = " and ".join(ours or ["the parameters"])
    return RequestFailure(
        f"refused the request (HTTP {status}: {said})",
        f"mend {what} in {preset.editable}",
        transient=False,
    )


# What our requests say besides the messages, in the words of servers that refuse them.
_SENT = ("max_tokens", "max_completion_tokens", "temperature", "logprobs", "top_logprobs", "response_format")


@dataclass(frozen=True)
class _Told:
    """A server's own words about an error, and the parameter that it names."""

    message: str
    parameter: str = ""


def _error_told(body: str) -> _Told:
    """Read an error in one of the usual formats, else take the whole text."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        title = _TITLE.search(body)
        return _Told(title[1] if title else body)
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return _Told(error if isinstance(error, str) else body)
    words = error.get("message") or error.get("detail") or body
    return _Told(words if isinstance(words, str) else json.dumps(words), str(error.get("param") or ""))


def error_in_success(preset: EndpointPreset, body: bytes, content_type: str) -> RequestFailure | None:
    """Return what is wrong with a body that came with status 200 and is no completion; None if it may be one.

    A page, a stream or an error will not become a reply by being asked for again.
    """
    beginning = body[: 4 * MAX_CHARS].lstrip()
    if beginning[:1] == b"<" or content_type.startswith("text/html"):
        page = excerpt(_error_told(body[:20_000].decode("utf-8", errors="replace")).message)
        return RequestFailure(
            f"sent a web page in place of a reply ({page!r})",
            f"check that {preset.base_url} is the address of its API, and that nobody must log in there",
            transient=False,
        )
    if beginning.startswith((b"data:", b"event:", b":")) or content_type.startswith("text/event-stream"):
        return RequestFailure(
            "sent a stream, which nobody asked for", "switch streaming off in the server", transient=False
        )
    if not beginning.startswith(b"{") or b'"error"' not in body[:MAX_ERROR_CHARS]:
        return None
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return None
    error = data.get("error") if isinstance(data, dict) and not data.get("choices") else None
    if not error:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return status_failure(preset, code, body.decode("utf-8", errors="replace"), {})
    said = excerpt(_error_told(body.decode("utf-8", errors="replace")).message)
    return RequestFailure(f"reports an error ({said})", "mend that at the server", transient=False)


def connection_failure(preset: EndpointPreset, error: BaseException) -> RequestFailure:
    """Explain why there is no connection: an untrusted certificate stays so, a server may come up."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return RequestFailure(
            f"shows a certificate that is not trusted here ({excerpt(cause.verify_message)})",
            "if it is yours, name its file in SSL_CERT_FILE",
            transient=False,
        )
    if cause is not None:
        reason = excerpt(cause.reason or "TLS failed")
        return RequestFailure(
            f"does not speak TLS as it should ({reason})",
            "is it http:// there, not https://?",
            transient=False,
        )
    return RequestFailure("cannot be reached, or hung up", preset.start and f"is it running? {preset.start}")


def timeout_failure(seconds: float) -> RequestFailure:
    return RequestFailure(
        f"did not answer within {seconds:g} s", "give it more time, or take a smaller model"
    )


def malformed(what: str) -> RequestFailure:
    return RequestFailure(f"sent something that is not a reply ({excerpt(what)})")


def oversized(how_much: str, body: bytes) -> RequestFailure:
    """Report that a reply is too large; `body` is its beginning."""
    began = excerpt(body[: 4 * MAX_CHARS].decode("utf-8", errors="replace"))
    remedy = "look at its settings, or take another model"
    return RequestFailure(
        f"sent {how_much}, which is no reply (it begins {began!r})", remedy, transient=False
    )


def excerpt(text: str) -> str:
    """Return the beginning of a server's own text, on one line."""
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


# Control characters except tab and line feed, and those that change the writing direction.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def strip_controls(text: str) -> str:
    r"""Return the text without control characters (escape, bell, ...) and with line ends as "\n"."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
