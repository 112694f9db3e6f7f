"""The emulated endpoint as the openai client sees it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import httpx2
import pydantic
import pytest

from core.ports import ChatMessage
from core.vqa.doctor import two_halves
from core.vqa.endpoint.chat_format import chat_messages
from core.vqa.mock.completions import count_tokens, picture_tokens
from core.vqa.mock.faults import SILENT, Fault, sequence
from core.vqa.mock.mock_server import MockServer
from tests.core.vqa.conftest import Serve
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


def test_that_a_stream_says_in_chunks_what_a_whole_reply_says(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="perfect", messages=ASK)
    chunks = list(
        client.chat.completions.create(
            model="perfect", messages=ASK, stream=True, stream_options={"include_usage": True}
        )
    )
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert said == whole.choices[0].message.content == "skip;skip"
    assert chunks[0].choices[0].delta.role == "assistant" and len(chunks) > 3
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert chunks[-1].usage == whole.usage
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}


def test_that_a_stream_gives_log_probabilities_too(client: openai.OpenAI) -> None:
    chunks = client.chat.completions.create(
        model="perfect", messages=ASK, stream=True, logprobs=True, top_logprobs=2
    )
    given = [c.choices[0].logprobs for c in chunks if c.choices and c.choices[0].logprobs]
    assert [token.token for one in given for token in one.content or ()] == ["skip", ";", "skip"]


def test_that_as_many_choices_come_as_are_asked_for(client: openai.OpenAI) -> None:
    given = client.chat.completions.create(model="perfect", messages=ASK, n=3)
    assert [choice.index for choice in given.choices] == [0, 1, 2]
    assert given.usage and given.usage.completion_tokens == 3 * count_tokens("skip;skip")
    chunks = list(client.chat.completions.create(model="perfect", messages=ASK, n=2, stream=True))
    assert {choice.index for chunk in chunks for choice in chunk.choices} == {0, 1}


class Item(pydantic.BaseModel):
    number: int
    reason: str
    answer: Literal["yes", "no", "unknown", "skip"]


class Verdicts(pydantic.BaseModel):
    answers: list[Item]


class Open(pydantic.BaseModel):
    reasoning: str
    open: bool
    shut: bool | None


def test_that_a_reply_keeps_to_the_schema_that_is_asked_for(client: openai.OpenAI) -> None:
    many = client.chat.completions.parse(model="perfect", messages=ASK, response_format=Verdicts)
    parsed = many.choices[0].message.parsed
    assert parsed and [(item.number, item.answer) for item in parsed.answers] == [(1, "skip"), (2, "skip")]
    one = client.chat.completions.parse(model="perfect", messages=ASK, response_format=Open)
    assert one.choices[0].message.parsed == Open(reasoning="skip", open=False, shut=False)


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
        ({"n": 0}, "n", "greater than or equal to 1"),
        ({"n": 99}, "n", "less than or equal to 16"),
        ({"n": "2"}, "n", "valid integer"),
        ({"stream": "yes"}, "stream", "valid boolean"),
        ({"response_format": {"type": "poem"}}, "response_format.type", "'json_schema'"),
        ({"response_format": {"type": "json_schema"}}, "response_format", "needs its schema"),
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


@pytest.mark.parametrize("fault", [f for f in Fault if f not in (Fault.NONE, Fault.DELAY)])
def test_that_every_fault_is_made_in_a_stream_too(serve: Serve, fault: Fault) -> None:
    server = serve(faults=sequence([fault]), delay=0.01)
    ask = {"model": "perfect", "messages": ASK, "stream": True}
    with plain_http() as client:
        try:
            first = client.post(f"{server.url}/chat/completions", json=ask)
        except httpx2.RemoteProtocolError:
            assert fault is Fault.CUT
        else:
            clean = first.status_code == 200 and b"\xff" not in first.content and b"[DONE]" in first.content
            texts = (
                Fault.COUNT,
                Fault.REFUSAL,
                Fault.EMPTY,
                Fault.MEGABYTES,
                Fault.NO_CHOICE,
                Fault.MALFORMED,
                Fault.SSE,
                *SILENT,
            )
            assert clean is (fault in texts)
            assert len(first.content) < 20_000_000
        again = client.post(f"{server.url}/chat/completions", json=ask)
    assert again.status_code == 200 and again.text.endswith("data: [DONE]\n\n")


def test_that_tokens_are_counted_by_the_stated_rule(server: MockServer) -> None:
    text = "Is the mug inside the cabinet?"
    messages = chat_messages((ChatMessage("system", "You see."), ChatMessage("user", text)), [PNG])
    used = post(server, {"model": "perfect", "messages": messages}).json()["usage"]
    wanted = 3 + (4 + math.ceil(len("You see.") / 4)) + (4 + math.ceil(len(text) / 4) + 85 + 170)
    assert used["prompt_tokens"] == wanted
    assert used["total_tokens"] == wanted + used["completion_tokens"]


@pytest.mark.parametrize(
    ("width", "height", "detail", "tokens"),
    [(256, 256, "auto", 255), (256, 256, "low", 85), (1024, 1024, "high", 765), (2048, 4096, "high", 1105),
     (513, 512, "auto", 425), (0, 0, "auto", 85), (1, 100_000, "high", 765)],
)  # fmt: skip
def test_that_a_picture_takes_what_its_tiles_take(width: int, height: int, detail: str, tokens: int) -> None:
    assert picture_tokens(width, height, detail) == tokens
