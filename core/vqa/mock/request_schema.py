"""The part of a chat completion request that the mock server understands."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import pydantic
from annotated_types import Ge, Le, MinLen

from core.vqa.mock.request_guard import HttpError

MAX_CHOICES = 16


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


class _Schema(_OpenModel):
    schema_: Mapping[str, Any] = pydantic.Field(alias="schema")


class _Format(_OpenModel):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: _Schema | None = None


class _Options(_OpenModel):
    include_usage: bool | None = None


class _Request(_OpenModel):
    model: str
    messages: Annotated[list[_Message], MinLen(1)]
    n: Annotated[int, Ge(1), Le(MAX_CHOICES)] | None = None
    stream: bool | None = None
    stream_options: _Options | None = None
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
    wanted = request.response_format
    if wanted and wanted.type == "json_schema" and wanted.json_schema is None:
        raise HttpError(400, "response_format: a json_schema needs its schema", param="response_format")
    return dict(body)


def unknown_model(name: str, known: str) -> HttpError:
    return HttpError(404, f"there is no model {name[:100]!r} here, only {known}", "model_not_found", "model")


def _param_path(place: Sequence[object]) -> str:
    """Return a path such as "messages[0].role"."""
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place[:3])
    return path.lstrip(".")
