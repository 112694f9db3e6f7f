"""Who may ask the emulated endpoint, and with what."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

from core.vqa.mock.mock_server import MockServer, start_mock_server
from tests.core.vqa.mock.conftest import ASK, plain_http, post


def port_of(server: MockServer) -> int:
    port = urlsplit(server.url).port
    assert port is not None
    return port


def raw(server: MockServer, request: bytes) -> tuple[int, bytes, float]:
    """The status, the whole answer and the seconds it took."""
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", port_of(server)), 20) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    return int(answer.split(b" ")[1]), answer, time.monotonic() - started


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
    idle = [socket.create_connection(("127.0.0.1", port_of(server))) for _ in range(40)]
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
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=20)
    for _ in range(2):
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(GOOD), {"Content-Type": "application/json"}
        )
        assert connection.getresponse().read().startswith(b'{"id": "chatcmpl-emulated-')
    connection.close()
    server.close()
