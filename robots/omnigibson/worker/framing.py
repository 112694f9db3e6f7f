"""Messages on the socket: a JSON object and, behind it, the raw bytes of a picture.

On the wire: the two lengths as big-endian uint32, the JSON, the bytes.
"""

import json
import socket
import struct
from typing import Any

LENGTHS = struct.Struct(">II")
LIMIT = 64 << 20  # bytes of a message; a longer one is not ours

Message = dict[str, Any]


def encode(message: Message, picture: bytes = b"") -> bytes:
    """Return the message as it goes over the wire."""
    text = json.dumps(message).encode()
    return LENGTHS.pack(len(text), len(picture)) + text + picture


def receive(connection: socket.socket) -> tuple[Message, bytes] | None:
    """Return the next message with its picture, or None at the end of the stream.

    Raises ValueError for anything that is no message of ours, and OSError.
    """
    head = _exactly(connection, LENGTHS.size)
    if head is None:
        return None
    text_length, picture_length = LENGTHS.unpack(head)
    if text_length + picture_length > LIMIT:
        raise ValueError(f"a message of {text_length + picture_length} bytes")
    text, picture = _exactly(connection, text_length), _exactly(connection, picture_length)
    if text is None or picture is None:
        return None
    try:
        message = json.loads(text)
    except RecursionError:
        raise ValueError("a message that is nested too deep") from None
    if not isinstance(message, dict):
        raise ValueError("a message that is no object")
    return message, picture


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    """Return exactly so many bytes, or None if the stream ends before."""
    data = bytearray()
    while len(data) < count:
        part = connection.recv(min(count - len(data), 1 << 16))
        if not part:
            return None
        data += part
    return bytes(data)
