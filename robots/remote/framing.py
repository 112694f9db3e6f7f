"""Messages between processes: a JSON object, and arrays of bytes that are too large for JSON.

On the wire: uint32 length of the JSON, the JSON with the blobs' lengths under "blobs", then the blobs.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.errors import RobotError

Value = str | int | float | bool | None | Sequence["Value"] | Mapping[str, "Value"]

_LENGTH = struct.Struct(">I")
MOST = 64 << 20  # bytes of one message: more is no message of ours


@dataclass(frozen=True)
class Message:
    """`body` is JSON, read with `text` and `number`; `blobs` are pictures and the like."""

    body: Mapping[str, Value]
    blobs: tuple[bytes, ...] = ()

    @property
    def kind(self) -> str:
        return self.text("kind")

    def text(self, name: str) -> str:
        value = self.body.get(name, "")
        return value if isinstance(value, str) else str(value)

    def number(self, name: str, default: float = 0.0) -> float:
        value = self.body.get(name)
        return float(value) if isinstance(value, int | float) else default

    def numbers(self, name: str) -> tuple[float, ...]:
        value = self.body.get(name)
        return tuple(float(v) for v in value) if isinstance(value, list | tuple) else ()


def pack(kind: str, *blobs: bytes, **body: Value) -> bytes:
    """The bytes of one message."""
    head = json.dumps({"kind": kind, **body, "blobs": [len(b) for b in blobs]}).encode()
    return b"".join((_LENGTH.pack(len(head)), head, *blobs))


class Splitter:
    """Cuts a stream into messages, however it arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that are complete now. Raises RobotError for a stream that is none of ours."""
        self._buffer += data
        while (message := self._next()) is not None:
            yield message

    def _next(self) -> Message | None:
        buffer = self._buffer
        if len(buffer) < 4:
            return None
        (length,) = _LENGTH.unpack_from(buffer)
        if length > MOST:
            raise RobotError(f"A message of {length} bytes came: the other side is no part of this program.")
        if len(buffer) < 4 + length:
            return None
        try:
            body = json.loads(bytes(buffer[4 : 4 + length]))
            lengths = [int(n) for n in body.pop("blobs")]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RobotError(
                "A message could not be read: the other side is no part of this program."
            ) from error
        end = 4 + length + sum(lengths)
        if end > MOST or min(lengths, default=0) < 0:
            raise RobotError(f"A message of {end} bytes came: the other side is no part of this program.")
        if len(buffer) < end:
            return None
        blobs, at = [], 4 + length
        for n in lengths:
            blobs.append(bytes(buffer[at : at + n]))
            at += n
        del buffer[:end]
        return Message(body, tuple(blobs))
