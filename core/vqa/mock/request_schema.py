"""The requests that the mock server admits, of programs on this machine only, and what it reads in them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

import pydantic
from annotated_types import Ge, Le, MinLen

from core.vqa.endpoint.chat_format import SCHEMA


class _OpenModel(pydantic.BaseModel):
    model_config: ClassVar = pydantic.ConfigDict(extra="allow", strict=True)


class _Url(_OpenModel):
    url: str


class _Part(_OpenModel):
    type: Literal["text", "image_url"]
    text: str = ""
    image_url: _Url | None = None


class _Message(_OpenModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[_Part] | None = None


class _Format(_OpenModel):
    type: Literal["text", "json_object", "json_schema"]


class _Request(_OpenModel):
    model: str
    messages: Annotated[list[_Message], MinLen(1)]
    n: Literal[1] | None = None
    stream: Literal[False] | None = None
    logprobs: bool | None = None
    top_logprobs: Annotated[int, Ge(0), Le(20)] | None = None
    max_tokens: Annotated[int, Ge(1)] | None = None
    max_completion_tokens: Annotated[int, Ge(1)] | None = None
    temperature: Annotated[float, Ge(0), Le(2)] | None = None
    response_format: _Format | None = None


def parse_request(raw: bytes, models: Collection[str]) -> Mapping[str, Any]:
    """Parse and check a request. Raises HttpError if it cannot be answered."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise HttpError(400, f"the body is not JSON ({error})") from None
    try:
        request = _Request.model_validate(body)
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        param = _param_path(first["loc"])
        raise HttpError(400, f"{param or 'the request'}: {first['msg']}", param=param or None) from None
    if request.model not in models:
        known = ", ".join(models)
        raise unknown_model(request.model, known)
    for place, message in enumerate(request.messages):
        if message.role == "user" and message.content is None:
            param = f"messages[{place}].content"
            raise HttpError(400, f"{param}: a user's message needs it", param=param)
    wanted = body.get("response_format") or {"type": "text"}
    if wanted["type"] == "json_schema" and wanted != SCHEMA:
        raise HttpError(400, "response_format: only our own schema is kept to", param="response_format")
    return dict(body)


def unknown_model(name: str, known: str) -> HttpError:
    return HttpError(404, f"there is no model {name[:100]!r} here, only {known}", "model_not_found", "model")


def _param_path(place: Sequence[object]) -> str:
    """Return a path such as "messages[0].role"."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place[:3])
    return path.lstrip(".")


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
    """Return the bytes of a JSON body. Raises HttpError if it is not JSON, too long or inconsistent."""
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
