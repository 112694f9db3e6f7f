"""Shake hands of console and served robot: versions, and proof that both know the token, never sent.

Nothing is encrypted: between two machines the connection belongs into an SSH tunnel.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from core.data_file import read_text
from core.errors import BadFile, RobotError
from core.install_paths import data_folder
from robots.remote.connection import Connection
from robots.remote.wire_message import WireMessage

VERSION = 2  # of the protocol; raise it with every change that an older side would misunderstand
HELLO_BYTES = 4096  # of a message before the other side has shown that it knows the token
HELLO_TIMEOUT = 5.0  # seconds for each whole message until then
_TOKEN_CHARS = 32  # at least, of a token


class ConnectionRole(Enum):
    """What a connection is for. A session has one of each, SURVEY apart, which has no session."""

    ROBOT = "robot"  # requests and heartbeats
    STOP = "stop"  # stops and cancels, which wait for nothing
    LIVE = "live"  # live pictures
    SURVEY = "survey"  # only look who is there


@dataclass(frozen=True)
class ServerGreeting:
    """What a served robot says of itself. Its embodiment is a claim."""

    session: str
    robot: str
    embodiment: str
    busy: str  # why it cannot be used now, "" if it can


@dataclass(frozen=True)
class AuthenticatedConsole:
    """A console that has shown that it knows the token, and what shows it that we know it too."""

    role: ConnectionRole
    session: str
    proof: str


class Refused(RobotError):
    """The other side is there, and refuses; the message says why."""


class Crowded(Refused):
    """It turned this console away before it could show its token, because others came: it may come again."""


def default_token_file() -> Path:
    """Return the file with this user's token, which every robot served by this user takes."""
    return data_folder() / "remote-token"


def read_token(path: Path) -> bytes:
    """Return the token in a file that only its owner can read. Raises BadFile."""
    found = read_text(path, "Copy the file that `serve` names").strip()
    if path.stat().st_mode & 0o077:
        raise BadFile(path, "others can read this token", remedy=f"Run chmod 600 {path}")
    if len(found) < _TOKEN_CHARS or not found.isascii():
        raise BadFile(path, "holds no token", remedy="Copy the file that `serve` names, or remove this one")
    return found.encode()


def make_token(path: Path) -> bytes:
    """Return the token in this file, made if there is none. Raises BadFile."""
    if not path.exists():
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            door = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with open(door, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(_TOKEN_CHARS) + "\n")
        except OSError as error:
            raise BadFile(path, f"no token can be kept here ({error.strerror})") from error
    return read_token(path)


def greet_robot(
    connection: Connection, token: bytes, role: ConnectionRole, session: str = ""
) -> ServerGreeting:
    """Introduce the console. Raises Refused, and RobotError without a subject if nobody answers so."""
    greeting = _receive(connection)
    versions = greeting.numbers("versions")
    if greeting.kind != "greeting" or not versions:
        raise RobotError("what listens there is no robot that this program serves")
    if VERSION not in versions:
        raise Refused(_version_words("the robot", versions, "this console"))
    theirs, ours = greeting.text("nonce"), secrets.token_hex(16)
    proof = _proof(token, "console", theirs, ours)
    connection.send("hello", version=VERSION, role=role.value, session=session, nonce=ours, proof=proof)
    answer = _receive(connection)
    if not _proves(answer, token, "robot", ours, theirs):
        raise Refused("it does not know the token of this console, so it may be anybody's")
    texts = (answer.text(key) for key in ("session", "robot", "embodiment", "busy"))
    return ServerGreeting(*texts)


def greet_console(connection: Connection, token: bytes) -> AuthenticatedConsole:
    """Introduce the robot, and learn who came. `welcome` or `refuse` has to follow.

    Raises RobotError for a console that is none, or does not know the token, after telling it so.
    """
    ours = secrets.token_hex(16)
    connection.send("greeting", versions=[VERSION], nonce=ours)
    hello = connection.receive(HELLO_TIMEOUT)
    reason = ""
    if hello.number("version") != VERSION:
        reason = _version_words("the console", (hello.number("version"),), "this robot")
    elif not _proves(hello, token, "console", ours, hello.text("nonce")):
        reason = "the token is another one: copy the token file that `serve` names"
    elif hello.text("role") not in {role.value for role in ConnectionRole}:
        reason = "it asks for what this version does not have"
    if reason:
        refuse(connection, reason)
        raise RobotError(reason)
    proof = _proof(token, "robot", hello.text("nonce"), ours)
    return AuthenticatedConsole(ConnectionRole(hello.text("role")), hello.text("session"), proof)


def welcome(connection: Connection, guest: AuthenticatedConsole, words: ServerGreeting) -> None:
    """Let the console in. Raises RobotError if it is gone."""
    connection.send("welcome", proof=guest.proof, **vars(words))


def refuse(connection: Connection, reason: str, again: bool = False) -> None:
    """Tell the console why not, and whether it may come again at once. Raises RobotError if it is gone."""
    connection.send("refused", why=reason, again=again)


def _receive(connection: Connection) -> WireMessage:
    """Wait for what the robot says next. Raises Refused."""
    answer = connection.receive(HELLO_TIMEOUT)
    if answer.kind == "refused":
        raise (Crowded if answer.body.get("again") is True else Refused)(answer.text("why"))
    return answer


def _version_words(who: str, versions: tuple[float, ...], us: str) -> str:
    theirs = ", ".join(f"{version:g}" for version in versions)
    return f"{who} speaks version {theirs} of the protocol and {us} version {VERSION}: update the older one"


def _proof(token: bytes, who: str, theirs: str, ours: str) -> str:
    words = f"{who} {theirs} {ours}".encode(errors="replace")  # JSON can hold what is no text
    return hmac.new(token, words, "sha256").hexdigest()


def _proves(message: WireMessage, token: bytes, who: str, ours: str, theirs: str) -> bool:
    shown = message.text("proof").encode(errors="replace")
    return hmac.compare_digest(shown, _proof(token, who, ours, theirs).encode())
