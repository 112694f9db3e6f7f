"""The emulated endpoint as other programs see it: the openai client, plain HTTP, and a web page."""

from __future__ import annotations

import http.client
import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import httpx2
import pydantic
import pytest

from core.ports import ChatMessage
from core.vqa.doctor import two_halves
from core.vqa.endpoint.chat_format import SCHEMA, chat_messages
from core.vqa.mock.completions import count_tokens, picture_tokens
from core.vqa.mock.faults import Fault, sequence
from core.vqa.mock.mock_server import MockServer, start_mock_server
from core.vqa.mock.request_guard import HttpError
from core.vqa.mock.schema_filler import fill_schema
from tests.core.vqa.conftest import Serve

if TYPE_CHECKING:  # it takes a second to import, in each of the workers
    import openai

ASK: list[Any] = [{"role": "user", "content": "Is it open?; Is it shut?"}]
PNG = two_halves()


@pytest.fixture
def server(serve: Serve) -> MockServer:
    return serve()


@pytest.fixture
def client(server: MockServer) -> Iterator[openai.OpenAI]:
    import openai

    with openai.OpenAI(
        base_url=server.url, api_key="none", max_retries=0, timeout=20, http_client=plain_http()
    ) as made:
        yield made


def plain_http() -> httpx2.Client:
    """Return a client that reads no certificates, which takes longer than to ask."""
    return httpx2.Client(trust_env=False, verify=False, timeout=20)


def post(server: MockServer, body: object, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {"Content-Type": "application/json", **named}
    with plain_http() as client:
        return client.post(f"{server.url}/chat/completions", content=content, headers=sent)


def raw(server: MockServer, request: bytes) -> tuple[int, bytes, float]:
    """The status, the whole answer and the seconds it took."""
    started = time.monotonic()
    with socket.create_connection(
        ("127.0.0.1", int(server.url.split(":")[2].split("/")[0])), 20
    ) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return int(answer.split(b" ")[1]), answer, time.monotonic() - started


# --- the openai client ---


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
            )
            assert clean is (fault in texts)
            assert len(first.content) < 20_000_000
        again = client.post(f"{server.url}/chat/completions", json=ask)
    assert again.status_code == 200 and again.text.endswith("data: [DONE]\n\n")


# --- tokens ---


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


# --- schemas ---


def test_that_our_own_schema_is_kept_to() -> None:
    schema: Any = SCHEMA["json_schema"]
    assert fill_schema(schema["schema"], ["yes", "no"]) == {
        "answers": [{"number": 1, "answer": "yes"}, {"number": 2, "answer": "no"}]
    }


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, "yes"),
        ({"type": "boolean"}, True),
        ({"enum": ["NO", "YES"]}, "YES"),
        ({"enum": ["maybe", 3]}, "maybe"),
        ({"const": 7}, 7),
        ({"type": ["null", "string"]}, "yes"),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, True),
        ({"type": "array", "items": {"type": "boolean"}}, [True, False]),
        ({"type": "array", "items": {"type": "string"}, "minItems": 3}, ["yes", "no", "no"]),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, ["yes"]),
        ({"properties": {"a": {"type": "boolean"}, "b": {"enum": ["yes", "no"]}}}, {"a": True, "b": "no"}),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"type": "boolean"}}}, True),
    ],
)
def test_that_a_value_fits_its_schema(schema: dict[str, Any], value: object) -> None:
    assert fill_schema(schema, ["yes", "no"]) == value


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"type": "array", "minItems": 1000, "items": {"type": "array", "minItems": 1000}},
        {"type": "array", "minItems": 10**9},
    ],
)
def test_that_a_schema_without_an_end_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(HttpError, match=r"."):
        fill_schema(schema, ["yes"])


# --- who may come, and with what ---

GOOD = {"model": "perfect", "messages": ASK}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:8765", "LOCALHOST:80"])
def test_that_programs_of_this_machine_get_an_answer(server: MockServer, host: str) -> None:
    assert post(server, GOOD, Host=host).status_code == 200
    assert post(server, GOOD, Origin=f"http://{host}").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:8765"},
        {"Host": "localhost.evil.example"},
        {"Host": "[::1"},
        {"Host": "evil.example#@localhost"},
        {"Origin": "http://evil.example"},
        {"Origin": "https://localhost.evil.example"},
        {"Origin": "null"},
        {"Origin": "file://localhost"},
        {"Origin": "http://127.0.0.1@evil.example"},
    ],
    ids=str,
)
def test_that_a_foreign_page_or_name_is_refused(server: MockServer, headers: dict[str, str]) -> None:
    refused = post(server, GOOD, **headers)
    assert refused.status_code == 403 and refused.json()["error"]["code"].startswith("foreign")
    with plain_http() as client:
        listed = client.get(f"{server.url}/models", headers=headers)
    assert listed.status_code == 403
    assert not server.received


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "text/json", "", "json"],
)
def test_that_what_a_page_can_post_unasked_is_refused(server: MockServer, kind: str) -> None:
    assert post(server, GOOD, Content_Type=kind).status_code == 415
    assert not server.received


def test_that_json_with_a_charset_is_json(server: MockServer) -> None:
    assert post(server, GOOD, Content_Type="application/json; charset=utf-8").status_code == 200


@pytest.mark.parametrize("method", [b"OPTIONS", b"PUT", b"DELETE", b"TRACE", b"BREW"])
def test_that_no_other_method_is_understood(server: MockServer, method: bytes) -> None:
    status, answer, _ = raw(server, method + b" /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert status == 501 and b'"error"' in answer and b"Access-Control" not in answer


POST = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"Content-Length: -1\r\n\r\n", 400),
        (b"Content-Length: +5\r\n\r\n", 400),
        (b"Content-Length: five\r\n\r\n", 400),
        (b"Content-Length: \xd9\xa5\r\n\r\n", 400),
        (b"Content-Length: 1e3\r\n\r\n", 400),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde", 400),
        (b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nabcde", 400),
        (b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (b"\r\n", 411),
        (b"Content-Length: 20000001\r\n\r\n", 413),
        (b"Content-Length: 99999999999999999999999\r\n\r\n", 413),
        (b"Content-Length: 8\r\n\r\nnonsense", 400),
        (b"Content-Length: 2\r\n\r\n[]", 400),
        (b"Content-Length: 4\r\n\r\nnull", 400),
        (b"Content-Length: 2\r\n\r\n\xff\xfe", 400),
        (b"X: " + b"y" * 70_000 + b"\r\n\r\n", 431),
    ],
    ids=lambda value: str(value[:34]) if isinstance(value, bytes) else None,
)
def test_that_a_bad_length_or_body_is_refused_at_once(server: MockServer, head: bytes, status: int) -> None:
    got, answer, seconds = raw(server, POST + head)
    assert got == status and b'"invalid_request_error"' in answer
    assert answer.count(b"HTTP/1.1") == 1, "what was left of the request was read as another one"
    assert seconds < 4
    assert not server.received


def test_that_whoever_sends_too_much_still_reads_why(server: MockServer) -> None:
    refused = post(server, b" " * 30_000_000)
    assert refused.status_code == 413 and "more than 20,000,000 bytes" in refused.json()["error"]["message"]


def test_that_deep_json_is_refused(server: MockServer) -> None:
    assert post(server, b"[" * 100_000).status_code == 400
    assert post(server, b'{"a":' * 100_000).status_code == 400


def test_that_whoever_waits_keeps_nobody_from_an_answer(server: MockServer) -> None:
    port = int(server.url.split(":")[2].split("/")[0])
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
    for connection in idle:
        connection.sendall(POST + b"Content-Length: 50\r\n\r\n{")
    assert post(server, GOOD).status_code == 200
    for connection in idle:
        connection.close()


def test_that_many_clients_at_once_all_get_an_answer(server: MockServer) -> None:
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(post(server, GOOD).status_code)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert got == [200] * 12


def test_that_http_client_can_ask_twice_on_one_connection() -> None:
    server = start_mock_server("perfect")
    connection = http.client.HTTPConnection(
        server.url.removeprefix("http://").removesuffix("/v1"), timeout=20
    )
    for _ in range(2):
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(GOOD), {"Content-Type": "application/json"}
        )
        assert connection.getresponse().read().startswith(b'{"id": "chatcmpl-emulated-')
    connection.close()
    server.close()
