"""Addresses that a person has written, checked before a resolver reads them in its own way.

It would take `127.0.0.010` for octal, and `192.168.1` for four numbers.
"""

from __future__ import annotations

import ipaddress
import re
import socket

from core.errors import BadValue, RobotError

_LABEL = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_LONGEST = 253  # characters of a host name


def host_address(text: str) -> str:
    """Return an IP address or a host name in its usual spelling. Raises BadValue if it is neither."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        labels = text.removesuffix(".").split(".")
        if len(text) > _LONGEST or not all(map(_LABEL.fullmatch, labels)) or _NUMBER.fullmatch(labels[-1]):
            raise BadValue(
                f"{text!r} is not an address: write a host name, or four numbers without leading zeros such "
                "as 192.168.1.10, and nothing before or after it."
            ) from None
        return text.removesuffix(".").lower()
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found)


def host_and_port(text: str) -> tuple[str, int]:
    """Return both parts of HOST:PORT; an IPv6 address stands in brackets. Raises BadValue."""
    host, _, port = text.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 1 << 16:
        raise BadValue(f"{text!r} is no address: write HOST:PORT, such as 127.0.0.1:8790.")
    bracketed = host.startswith("[") and host.endswith("]")
    if ":" in host and not bracketed:
        raise BadValue(f"{text!r} is no address: write an IPv6 address in brackets, such as [::1]:8790.")
    return host_address(host[1:-1] if bracketed else host), int(port)


def resolved(host: str) -> str:
    """Return the IP address of a host that `host_address` has checked; blocks. Raises RobotError."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise RobotError(f"No address is known for {host!r} ({why}): write its IP address.") from None
    found.sort(key=lambda one: one[0] != socket.AF_INET)  # IPv4 first: controllers have no other
    return host_address(str(found[0][4][0]))
