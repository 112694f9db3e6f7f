"""Admit programs on this machine to a mock server, but no web page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urlsplit

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
MAX_BODY_BYTES = 20_000_000  # of a request


@dataclass(eq=False)
class HttpError(Exception):
    """An error in OpenAI's format."""

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    type: str = "invalid_request_error"

    def body(self) -> Mapping[str, object]:
        fields = {"message": self.message, "type": self.type, "param": self.param, "code": self.code}
        return {"error": fields}


def check_origin(headers: Message) -> None:
    """Raise HttpError for a foreign Host or Origin, as a web page from elsewhere would send."""
    hosts, origins = headers.get_all("Host", []), headers.get_all("Origin", [])
    if len(hosts) != 1 or not _is_local(f"//{hosts[0]}"):
        raise HttpError(403, "this server answers to localhost and 127.0.0.1 only", "foreign_host")
    if not all(origin.startswith(("http://", "https://")) and _is_local(origin) for origin in origins):
        raise HttpError(403, "this server answers no page from elsewhere", "foreign_origin")


def _is_local(address: str) -> bool:
    try:
        return urlsplit(address).hostname in LOCAL_HOSTS
    except ValueError:
        return False


def body_length(headers: Message) -> int:
    """Return the length of a JSON body in bytes.

    Raises HttpError if it is not JSON, too long or inconsistent.
    """
    kind = headers.get_content_type() if "Content-Type" in headers else ""
    if kind != "application/json":
        raise HttpError(415, f"send application/json, not {kind or 'a body without a type'}", "no_json")
    lengths = headers.get_all("Content-Length", [])
    if not lengths:
        raise HttpError(411, "send the body with its Content-Length", "no_length")
    given = lengths[0]
    if len(lengths) > 1 or "Transfer-Encoding" in headers or not (given.isascii() and given.isdigit()):
        raise HttpError(400, "the Content-Length is no number of bytes", "bad_length")
    if len(given) > 12 or int(given) > MAX_BODY_BYTES:
        raise HttpError(413, f"the request has more than {MAX_BODY_BYTES:,} bytes", "too_large")
    return int(given)
