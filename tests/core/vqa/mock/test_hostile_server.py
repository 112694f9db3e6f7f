"""The real client against servers that misbehave, on real sockets: bounded in bytes, time and words."""

from __future__ import annotations

import gzip
import io
import json
import logging
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

import pytest

from core.errors import AnswererError
from core.ports import ChatMessage, Reply
from core.stop_token import StopToken
from core.vqa.budget import RetryPolicy
from core.vqa.endpoint.api_keys import Secret
from core.vqa.endpoint.chat_format import parse_completion
from core.vqa.endpoint.chat_model import ChatModel
from core.vqa.endpoint.presets import load_preset
from core.vqa.mock.truth_sideband import is_emulator
from tests.sampling import some

KEY = "sk-planted-0123456789abcdefghijklmnopqrstuvwxyz"
ONCE = RetryPolicy(timeout=5, total_timeout=5, max_attempts=1)
MEGABYTES = 1_000_000

Sends = Callable[[socket.socket], None]
Serve = Callable[[Sends], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Servers that read a request and then send what they like, to a first connection and any later one."""
    listeners: list[socket.socket] = []

    def start(sends: Sends) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def run() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with suppress(OSError), connection:
                        read_request(connection)
                        sends(connection)

        threading.Thread(target=run, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}/v1"

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def read_request(connection: socket.socket) -> None:
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(65536)
    headers, _, body = head.partition(b"\r\n\r\n")
    lengths = [line for line in headers.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    missing = int(lengths[0].partition(b":")[2]) - len(body) if lengths else 0
    while missing > 0:
        missing -= len(connection.recv(missing))


def head(status: int = 200, **headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([f"HTTP/1.1 {status} So", "Connection: close", *lines, "", ""]).encode()


def reply(said: str, **more: object) -> bytes:
    return json.dumps({"model": "m", "choices": [{"message": {"content": said}, **more}]}).encode()


def answering(body: bytes, status: int = 200, **headers: str) -> Sends:
    return lambda connection: connection.sendall(head(status, **headers) + body)


def ask(url: str, key: str = KEY) -> Reply:
    model = ChatModel(load_preset("custom", "m", url), Secret(key), retry_policy=ONCE)
    try:
        return model.ask((ChatMessage("user", "Is it?"),), [], StopToken())
    finally:
        model.close()


def trouble(url: str) -> str:
    with pytest.raises(AnswererError) as caught:
        ask(url)
    assert caught.value.__context__ is None
    return str(caught.value)


class Sent:
    """Sends one block for ever, and counts."""

    def __init__(self, start: bytes, block: bytes) -> None:
        self._start, self._block, self.bytes = start, block, 0

    def __call__(self, connection: socket.socket) -> None:
        connection.sendall(self._start)
        while True:
            connection.sendall(self._block)
            self.bytes += len(self._block)


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500, 302])
def test_that_a_body_without_an_end_is_taken_to_its_limit_only(serve: Serve, status: int) -> None:
    sends = Sent(head(status), b"x" * 65536)
    started = time.monotonic()
    said = trouble(serve(sends))
    assert time.monotonic() - started < 5
    assert sends.bytes < (40 if status == 200 else 16) * MEGABYTES  # what the sockets' buffers hold is on top
    assert len(said) < 600
    if status == 200:
        assert "more than 8,000,000 bytes, which is no reply (it begins 'xxx" in said


@cache
def bomb(megabytes: int, times: int) -> bytes:
    """So many megabytes of blanks, packed so many times."""
    if times > 1:
        return gzip.compress(bomb(megabytes, times - 1))
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        for _ in range(megabytes):
            file.write(b" " * MEGABYTES)
    return packed.getvalue()


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_that_a_bomb_is_unpacked_to_the_limit_only(serve: Serve, status: int, times: int) -> None:
    encoding = ", ".join(["gzip"] * times)
    url = serve(answering(bomb(120, times), status, Content_Encoding=encoding))
    tracemalloc.start()
    try:
        said = trouble(url)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60 * MEGABYTES
    assert "more than 8,000,000 bytes" in said if status == 200 else "HTTP 500" in said


def test_that_a_packed_reply_is_read_all_the_same(serve: Serve) -> None:
    assert ask(serve(answering(gzip.compress(reply("yes")), Content_Encoding="gzip"))).text == "yes"


def test_that_what_claims_to_be_packed_and_is_not_ends_in_a_sentence(serve: Serve) -> None:
    assert "m at http://127.0.0.1" in trouble(serve(answering(reply("yes"), Content_Encoding="gzip")))


def test_that_eight_megabytes_of_json_parts_do_not_hold_pythons_lock() -> None:
    body = b'{"choices": [' + b"[[]]," * 1_500_000 + b"1]}"
    started = time.thread_time()
    said = parse_completion(body)
    assert time.thread_time() - started < 0.1
    assert not isinstance(said, Reply) and not said.transient
    assert "JSON of more than 200,000 parts" in said.reason and "[[]],[[]]" in said.reason


# --- the key ---


def everything(given: Reply) -> str:
    return repr(given) + "".join(token.text for token in given.tokens)


def test_that_a_reply_that_repeats_the_key_is_kept_without_it(serve: Serve) -> None:
    logprobs = {"content": [{"token": part, "logprob": -0.1} for part in (KEY[:9], KEY[9:30], KEY[30:])]}
    data = json.loads(reply(f"yes; your key is {KEY}, or {KEY[5:30]}", logprobs=logprobs))
    for body in (data, {**data, "model": KEY}):
        given = ask(serve(answering(json.dumps(body).encode())))
        assert given.text.startswith("yes; your key is ***, or ***")
        assert given.tokens == ()
        assert not [start for start in range(len(KEY) - 11) if KEY[start : start + 12] in everything(given)]


def test_that_a_key_hidden_in_escapes_is_found(serve: Serve) -> None:
    spelt = "".join(f"\\u{ord(c):04x}" for c in KEY)
    body = reply("no: SPELT").replace(b"SPELT", spelt.encode())
    assert ask(serve(answering(body))).text == "no: ***"


@pytest.mark.parametrize("status", some([400, 401, 402, 404, 418, 429, 500, 503, 301], 4))
def test_that_an_error_that_repeats_the_key_is_told_without_it(
    serve: Serve, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    error = json.dumps({"error": {"message": f"bad key {KEY}", "code": KEY, "type": KEY}}).encode()
    headers = {"X_Key": KEY, "Set_Cookie": f"k={KEY}", "WWW_Authenticate": KEY, "Retry_After": KEY}
    for body in (error, f"<p>{KEY}</p>".encode(), error[:-20]):
        said = trouble(serve(answering(body, status, **headers)))
        assert KEY[:12] not in said + caplog.text
    assert caplog.text


def test_that_a_word_in_place_of_a_key_changes_no_reply() -> None:
    assert Secret("no").scrub("no; yes") == "no; yes"
    assert Secret("none").scrub("none of them") == "none of them"


# --- words that a terminal would obey ---

EVIL = "\x1b]0;mine\x07\x1b[2J\x9b31m\x1b]52;c;cm0=\x07yes\u202e\r\nno\x00"


def obeyed(text: str) -> list[str]:
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c == "\u202e"]


def test_that_escape_sequences_of_a_reply_stay_at_the_door(serve: Serve) -> None:
    data = json.loads(reply(EVIL))
    data["model"] = EVIL
    given = ask(serve(answering(json.dumps(data).encode())))
    assert not obeyed(given.text) and not obeyed(given.model) and "\n" not in given.model
    assert "yes\nno" in given.text


@pytest.mark.parametrize("status", [200, 400, 429, 500])
def test_that_escape_sequences_of_an_error_stay_at_the_door(serve: Serve, status: int) -> None:
    for body in (json.dumps({"error": {"message": EVIL}}).encode(), EVIL.encode()):
        said = trouble(serve(answering(body, status)))
        assert not obeyed(said) and "\n" not in said


# --- time ---


def trickles(connection: socket.socket) -> None:
    connection.sendall(head() + b"{")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def trickles_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X: y\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize("sends", [trickles, trickles_headers])
def test_that_whoever_trickles_is_no_emulator_after_two_seconds(serve: Serve, sends: Sends) -> None:
    url = serve(sends)
    started = time.monotonic()
    assert not is_emulator(load_preset("custom", "m", url))
    assert time.monotonic() - started < 4


ODD_LISTS = [b"", b"[]", b"{}", b'{"data": 1}', b'{"data": [1]}', b'{"data": []}', b"[" * 90_000, b"\xff"]
OK = b"HTTP/1.1 200 OK\r\n"
BROKEN = [
    b"",
    b"\r\n\r\n",
    b"HTTP/9.9 ??\r\n\r\n",
    b"\x00" * 5000,
    b"HTTP/1.1 204 No\r\n\r\n",
    OK + b"Content-Length: -1\r\n\r\nyes",
    OK + b"Content-Length: 99\r\n\r\n{}",
    OK + b"X: y\r\n" * 60_000 + b"\r\n",
    OK + b"X: " + b"y" * 500_000,
    OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    OK + b"Content-Encoding: " + b"gzip, " * 50 + b"gzip\r\n\r\nx",
]


@pytest.mark.parametrize("body", [*ODD_LISTS, b"x" * 200_000], ids=lambda body: str(body[:12]))
def test_that_an_odd_list_of_models_is_not_ours(serve: Serve, body: bytes) -> None:
    assert not is_emulator(load_preset("custom", "m", serve(answering(body))))


@pytest.mark.parametrize("sent", BROKEN, ids=lambda sent: f"{sent[:40]!r}")
def test_that_broken_http_ends_in_one_sentence(serve: Serve, sent: bytes) -> None:
    said = trouble(serve(lambda connection: connection.sendall(sent)))
    assert said.startswith("m at http://127.0.0.1:") and said.endswith(".")
