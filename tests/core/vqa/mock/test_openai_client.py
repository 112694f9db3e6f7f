"""The emulated endpoint as the openai client sees it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest

from core.ports import ChatMessage
from core.vqa.doctor import two_halves
from core.vqa.endpoint.chat_format import chat_messages
from core.vqa.mock.mock_server import MockServer
from tests.core.vqa.mock.conftest import ASK, plain_http, post

if TYPE_CHECKING:  # it takes a second to import, in each of the workers
    import openai

PNG = two_halves()


@pytest.fixture
def client(server: MockServer) -> Iterator[openai.OpenAI]:
    import openai

    with openai.OpenAI(
        base_url=server.url, api_key="none", max_retries=0, timeout=20, http_client=plain_http()
    ) as made:
        yield made


def test_that_models_are_listed_and_retrieved(client: openai.OpenAI) -> None:
    import openai

    assert [model.id for model in client.models.list()] == ["perfect"]
    assert client.models.retrieve("perfect").owned_by == "dkprompt-console emulator"
    with pytest.raises(openai.NotFoundError, match="no model 'gpt-9' here, only perfect, default") as caught:
        client.models.retrieve("gpt-9")
    assert caught.value.code == "model_not_found"


@pytest.mark.parametrize("kind", ["text", "json_object"])
def test_that_text_and_any_json_can_be_asked_for(
    client: openai.OpenAI, kind: Literal["text", "json_object"]
) -> None:
    wanted: Any = {"type": kind}
    said = client.chat.completions.create(model="default", messages=ASK, response_format=wanted)
    text = said.choices[0].message.content or ""
    assert text == "skip;skip" if kind == "text" else len(json.loads(text)["answers"]) == 2


def test_that_a_reply_ends_where_it_is_asked_to(client: openai.OpenAI) -> None:
    given = client.chat.completions.create(model="perfect", messages=ASK, max_tokens=1)
    assert (given.choices[0].message.content, given.choices[0].finish_reason) == ("skip", "length")
    assert given.usage and given.usage.completion_tokens == 1


@pytest.mark.parametrize(
    ("change", "param", "says"),
    [
        ({"messages": []}, "messages", "at least 1 item"),
        ({"messages": "hello"}, "messages", "valid list"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "needs it"),
        ({"temperature": 9}, "temperature", "less than or equal to 2"),
        ({"messages": [{"role": "cook", "content": "x"}]}, "messages[0].role", "'system'"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content", "valid"),
        ({"model": 7}, "model", "valid string"),
        ({"n": 2}, "n", "should be 1"),
        ({"stream": True}, "stream", "should be False"),
        ({"response_format": {"type": "poem"}}, "response_format.type", "'json_schema'"),
        ({"response_format": {"type": "json_schema"}}, "response_format", "only our own schema"),
        ({"model": "gpt-9"}, "model", "there is no model 'gpt-9' here"),
    ],
)
def test_that_a_broken_request_is_told_in_the_shape_of_openai(
    server: MockServer, client: openai.OpenAI, change: dict[str, Any], param: str, says: str
) -> None:
    import openai

    body: dict[str, Any] = {"model": "perfect", "messages": ASK, **change}
    with pytest.raises((openai.BadRequestError, openai.NotFoundError)) as caught:
        client.chat.completions.create(**body)
    assert caught.value.param == param and says in caught.value.message
    error = post(server, body).json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert not server.received


def test_that_tokens_are_counted_by_the_stated_rule(server: MockServer) -> None:
    text = "Is the mug inside the cabinet?"
    messages = chat_messages((ChatMessage("system", "You see."), ChatMessage("user", text)), [PNG])
    used = post(server, {"model": "perfect", "messages": messages}).json()["usage"]
    wanted = 3 + (4 + math.ceil(len("You see.") / 4)) + (4 + math.ceil(len(text) / 4) + 85 + 170)
    assert used["prompt_tokens"] == wanted
    assert used["total_tokens"] == wanted + used["completion_tokens"]
