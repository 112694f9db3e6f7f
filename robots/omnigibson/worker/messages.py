"""Messages between console and worker: a JSON object, and then the raw bytes of a picture, or nothing.

`multiprocessing.connection` frames them. Only bytes are taken from it: nothing is ever unpickled.
"""

import json
from multiprocessing.connection import Connection
from typing import Any

LIMIT = 64 << 20  # bytes of either part; a longer one is not ours

Message = dict[str, Any]


def send(connection: Connection, message: Message, picture: bytes = b"") -> None:
    """Send a message. One thread at a time. Raises OSError if the other side is gone."""
    connection.send_bytes(json.dumps(message).encode())
    connection.send_bytes(picture)


def receive(connection: Connection) -> tuple[Message, bytes]:
    """Wait for the next message. Raises EOFError at the end, OSError, and ValueError for none of ours."""
    text, picture = connection.recv_bytes(LIMIT), connection.recv_bytes(LIMIT)
    try:
        message = json.loads(text)
    except RecursionError:
        raise ValueError("a message that is nested too deep") from None
    if not isinstance(message, dict):
        raise ValueError("a message that is no object")
    return message, picture
