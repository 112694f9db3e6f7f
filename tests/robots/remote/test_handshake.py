from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from core.errors import BadFile, RobotError
from robots.remote import handshake, robot_link
from robots.remote.connection import Connection
from robots.remote.handshake import HELLO_BYTES, ConnectionRole, make_token, read_token
from robots.remote.robot_link import open_connection
from robots.remote.robot_server import STRANGERS
from robots.remote.wire_message import encode_message
from tests.patience import AT_ONCE
from tests.robots.remote.served import Served

TOKEN = b"a token of at least 32 characters"


def address(server: Served) -> tuple[str, int]:
    return server.server.host, server.server.port


@contextmanager
def answering(answer: Callable[[socket.socket], object]) -> Iterator[tuple[str, int]]:
    """Something that listens, and is no robot of ours."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def meet() -> None:
            sock, _ = listener.accept()
            with sock:
                answer(sock)

        thread = Thread(target=meet)
        thread.start()
        yield listener.getsockname()[:2]
        thread.join(10)


def test_that_who_knows_the_token_is_told_who_is_there(server: Served) -> None:
    token = read_token(server.token_file)
    connection, found = open_connection(address(server), token, ConnectionRole.SURVEY)
    connection.close()
    assert (found.robot, found.embodiment, found.busy, found.session) == ("symbolic", "SIM", "", "")


def test_that_another_token_is_refused_in_plain_words(server: Served) -> None:
    with pytest.raises(RobotError, match=r"refuses: the token is another one: copy the token file"):
        open_connection(address(server), TOKEN, ConnectionRole.ROBOT)


def test_that_the_token_is_never_sent(server: Served) -> None:
    with socket.create_connection(address(server)) as sock:
        greeting = sock.recv(4096)
    assert read_token(server.token_file) not in greeting


@pytest.mark.parametrize("older", ["console", "robot"])
def test_that_another_version_is_refused_in_plain_words(
    older: str, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    if older == "console":  # it says 0 whatever the robot offers
        greeting = Connection(socket.create_connection(address(server)), HELLO_BYTES)
        greeting.receive(5)
        greeting.send("hello", version=0, role="robot", nonce="", proof="")
        assert "the console speaks version 0 of the protocol" in greeting.receive(5).text("why")
        greeting.close()
    else:
        offer = encode_message("greeting", versions=[8, 9], nonce="")
        with (
            answering(lambda sock: sock.sendall(offer)) as where,
            pytest.raises(RobotError, match="the robot speaks version 8, 9 of the protocol and this console"),
        ):
            open_connection(where, TOKEN, ConnectionRole.ROBOT)


def test_that_a_robot_that_does_not_know_the_token_is_not_believed() -> None:
    def pretend(sock: socket.socket) -> None:
        sock.sendall(encode_message("greeting", versions=[handshake.VERSION], nonce="00"))
        sock.recv(4096)
        sock.sendall(encode_message("welcome", proof="0" * 64, robot="kitchen", embodiment="SIM"))

    with answering(pretend) as where, pytest.raises(RobotError, match="may be anybody's"):
        open_connection(where, TOKEN, ConnectionRole.ROBOT)


@pytest.mark.parametrize(
    "words",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", encode_message("x"), encode_message("greeting", b"x" * 5000)],
    ids=["web", "nothing", "other words", "too much"],
)
def test_that_what_is_no_robot_is_told_so_in_one_sentence(words: bytes) -> None:
    with (
        answering(lambda sock: sock.sendall(words)) as where,
        pytest.raises(RobotError, match=r"^No robot answers at 127\.0\.0\.1:\d+: [^\n]+\.$"),
    ):
        open_connection(where, TOKEN, ConnectionRole.ROBOT)


def test_that_nobody_there_is_told_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        where = listener.getsockname()[:2]
    with pytest.raises(RobotError, match=r"Connection refused.*start it there with `serve`"):
        open_connection(where, TOKEN, ConnectionRole.ROBOT)


@pytest.mark.parametrize(
    "words",
    [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"\xff" * 64,
        encode_message("hello", version=handshake.VERSION, role="robot", nonce="", proof="é"),
        encode_message("hello", version=handshake.VERSION, role="robot", blobs_too=[1] * 4000),
        b"\0\0\x0f\xff" + json.dumps({"kind": "hello", "version": float("inf")}).encode(),
        b"",
    ],
)
def test_that_strangers_are_turned_away_and_the_robot_goes_on(words: bytes, server: Served) -> None:
    with socket.create_connection(address(server)) as sock:
        sock.sendall(words)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(4096):
            pass
    test_that_who_knows_the_token_is_told_who_is_there(server)


@pytest.mark.parametrize("drips", [False, True])
def test_that_silent_strangers_keep_no_owner_out(drips: bool, server: Served) -> None:
    """They take every place and hold it, and the oldest is turned away."""
    with ExitStack() as stack:
        strangers = [stack.enter_context(socket.create_connection(address(server))) for _ in range(STRANGERS)]
        for stranger in strangers if drips else ():
            stranger.sendall(b"\0")  # of a message that never comes
        for _ in range(3):
            test_that_who_knows_the_token_is_told_who_is_there(server)
        strangers[0].settimeout(AT_ONCE)
        said = b""
        while piece := strangers[0].recv(4096):
            said += piece
        assert b"connections came that did not show the token: try again" in said


def test_that_the_owner_gets_in_while_strangers_keep_coming(server: Served) -> None:
    ended, crowd = Event(), list[socket.socket]()

    def flood() -> None:
        while not ended.is_set():
            with suppress(OSError):
                crowd.append(socket.create_connection(address(server)))
            for old in crowd[: -2 * STRANGERS]:
                old.close()
            del crowd[: -2 * STRANGERS]

    flooding = Thread(target=flood)
    flooding.start()
    try:
        while len(crowd) < STRANGERS:
            sleep(0.01)
        for _ in range(5):
            test_that_who_knows_the_token_is_told_who_is_there(server)
    finally:
        ended.set()
        flooding.join()
        for sock in crowd:
            sock.close()


def test_that_who_is_turned_away_before_the_token_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot_link, "_TRIES", 1)
    words = encode_message("refused", why="more than 64 connections came: try again", again=True)
    with (
        answering(lambda sock: sock.sendall(words)) as where,
        pytest.raises(RobotError, match=r"^The robot at .* refuses: more than 64 connections came"),
    ):
        open_connection(where, TOKEN, ConnectionRole.ROBOT)


def test_that_a_message_that_drips_in_is_not_waited_for_longer() -> None:
    def drip(sock: socket.socket) -> None:
        with suppress(OSError):
            sock.sendall(b"\0\0\x0f\xff")
            while True:
                sock.sendall(b"x")
                sleep(0.05)

    with answering(drip) as where, socket.create_connection(where) as sock:
        began = monotonic()
        with pytest.raises(RobotError, match="no answer came within"):
            Connection(sock, 4096).receive(0.3)
        assert monotonic() - began < AT_ONCE


def test_that_a_token_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "mine" / "token"
    token = make_token(file)
    assert make_token(file) == token and len(token) >= 32
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    with pytest.raises(BadFile, match=r"others can read this token. Run chmod 600"):
        read_token(file)


@pytest.mark.parametrize(
    ("content", "why"), [(None, "no such file"), (b"short", "holds no token"), (b"\xff\xfe", "not UTF-8")]
)
def test_that_what_is_no_token_file_is_told_so(content: bytes | None, why: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
        file.chmod(0o600)
    with pytest.raises(BadFile, match=why):
        read_token(file)
