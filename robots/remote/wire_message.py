"""Messages between processes: a JSON object, and byte arrays that are too large for JSON.

On the wire: the length of the JSON as uint32, the JSON with the lengths of the blobs under "blobs", then the
blobs.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import RobotError
from core.stop_token import Late

JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]

_LENGTH_PREFIX = struct.Struct(">I")
MAX_MESSAGE_BYTES = 64 << 20  # of one message; a longer one is not ours
UNKNOWN_AGE = 1e9  # seconds: how a message says that nobody knows how old a picture is
_FOREIGN = "the other side is no part of this program."


@dataclass(frozen=True)
class WireMessage:
    """One message: `body` is JSON, read with `text` and `number`; `blobs` hold binary data, as pictures."""

    body: Mapping[str, JsonValue]
    blobs: tuple[bytes, ...] = ()

    @property
    def kind(self) -> str:
        return self.text("kind")

    def text(self, key: str) -> str:
        value = self.body.get(key, "")
        said = value if isinstance(value, str) else str(value)
        return Late(said) if key in self.texts("late") else said

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.body.get(key)
        return tuple(map(str, value)) if isinstance(value, list | tuple) else ()

    def number(self, key: str, default: float = 0.0) -> float:
        value = _as_float(self.body.get(key))
        return default if value is None else value

    def whole(self, key: str, default: int = 0) -> int:
        value = self.body.get(key)
        return value if type(value) is int else default

    def numbers(self, key: str) -> tuple[float, ...]:
        value = self.body.get(key)
        found = [_as_float(v) for v in value] if isinstance(value, list | tuple) else []
        return () if None in found else tuple(v for v in found if v is not None)


def _as_float(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, int | float) else None
    except OverflowError:  # JSON's integers have no limit
        return None


def encode_message(kind: str, *blobs: bytes, **body: JsonValue) -> bytes:
    """Encode one message; which of its texts are `Late` goes with it."""
    late = {"late": named} if (named := [k for k, v in body.items() if isinstance(v, Late)]) else {}
    head = json.dumps({"kind": kind, **body, **late, "blobs": [len(b) for b in blobs]}).encode()
    return b"".join((_LENGTH_PREFIX.pack(len(head)), head, *blobs))


class MessageDecoder:
    """Splits a byte stream into messages, however the bytes arrive. One above `max_bytes` is refused."""

    def __init__(self, max_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._buffer, self.max_bytes = bytearray(), max_bytes

    def feed(self, data: bytes) -> Iterator[WireMessage]:
        """Yield the messages that are now complete. Raises RobotError if the stream is not in our format."""
        self._buffer += data
        while (message := self._next_message()) is not None:
            yield message

    def _next_message(self) -> WireMessage | None:
        buffer = self._buffer
        if len(buffer) < 4:
            return None
        (length,) = _LENGTH_PREFIX.unpack_from(buffer)
        if length > self.max_bytes:
            raise RobotError(f"A message of {length} bytes came: {_FOREIGN}")
        if len(buffer) < 4 + length:
            return None
        try:
            body = json.loads(bytes(buffer[4 : 4 + length]))
            lengths = [int(n) for n in body.pop("blobs")]
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise RobotError(f"A message could not be read: {_FOREIGN}") from error
        end = 4 + length + sum(lengths)
        if end > self.max_bytes or min(lengths, default=0) < 0:
            raise RobotError(f"A message of {end} bytes came: {_FOREIGN}")
        if len(buffer) < end:
            return None
        blobs, at = [], 4 + length
        for n in lengths:
            blobs.append(bytes(buffer[at : at + n]))
            at += n
        del buffer[:end]
        return WireMessage(body, tuple(blobs))
