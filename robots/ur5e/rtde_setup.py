"""Set up a connection to RTDE: each request is answered before the data begin. Raises OSError, ValueError."""

from __future__ import annotations

import socket
import struct

from robots.ur5e import rtde
from robots.ur5e.rtde_challenge import REGISTERS


def request(sock: socket.socket, buffer: bytearray, kind: int, payload: bytes = b"") -> bytes:
    """Send a set-up request and return the reply, past text messages. Raises OSError after a second."""
    sock.sendall(rtde.encode_frame(kind, payload))
    while True:
        for got, reply in rtde.take_frames(buffer):
            if got == kind:
                return reply
        data = sock.recv(1 << 14)
        if not data:
            raise ValueError("the controller has closed the connection")
        buffer += data


def set_outputs(
    sock: socket.socket,
    buffer: bytearray,
    variables: tuple[str, ...],
    hertz: float,
    register: rtde.Recipe | None,
) -> rtde.Recipe:
    """Ask for the outputs, and for the register that we write, if it can be read back. Raises ValueError."""
    names = variables + (register.names if register is not None else ())
    listed = ",".join(names).encode()
    reply = request(sock, buffer, rtde.OUTPUTS, struct.pack(">d", hertz) + listed)
    recipe = rtde.Recipe(reply[0], names, rtde.split_names(reply[1:]))
    if recipe.id and "NOT_FOUND" not in recipe.types:
        return recipe
    if register is not None:
        return set_outputs(sock, buffer, variables, hertz, None)
    raise ValueError(f"the controller does not know one of {listed.decode()}")


def take_register(sock: socket.socket, buffer: bytearray) -> rtde.Recipe | None:
    """Claim the first register that is free."""
    return next((found for name in REGISTERS if (found := take_inputs(sock, buffer, (name,)))), None)


def take_inputs(sock: socket.socket, buffer: bytearray, names: tuple[str, ...]) -> rtde.Recipe | None:
    """Claim inputs. Return None if one of them belongs to another client."""
    reply = request(sock, buffer, rtde.INPUTS, ",".join(names).encode())
    return rtde.Recipe(reply[0], names, rtde.split_names(reply[1:])) if reply[0] else None
