"""The proxy that the environment names for an address: checked before anything is sent."""

from __future__ import annotations

import ipaddress
import urllib.request
from importlib.util import find_spec
from urllib.parse import urlsplit

from core.errors import AnswererError

_SOCKS = ("socks5", "socks5h")  # with the package socksio


def proxy_for(base_url: str) -> str | None:
    """Return the URL of the environment's proxy for an address; None for one of this network, or without.

    Raises AnswererError in one sentence if the proxy cannot be used.
    """
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if _is_near(host) or urllib.request.proxy_bypass(host):
        return None
    named = urllib.request.getproxies().get(parts.scheme)
    if not named:
        return None
    url = named if "://" in named else f"http://{named}"
    try:
        proxy = urlsplit(url)
        kind, place = proxy.scheme, f"{proxy.hostname or '?'}:{proxy.port or '?'}"  # it may hold a password
    except ValueError:
        kind, place = "", "no address"
    if kind in ("http", "https") and "?" not in place.partition(":")[0]:
        return url
    if kind in _SOCKS and find_spec("socksio") is not None:
        return url
    needs = "which needs the package socksio" if kind in _SOCKS else "which cannot be used"
    where = f"{kind}://{place}" if kind else place
    raise AnswererError(
        f"Your {parts.scheme.upper()}_PROXY is {where}, {needs}: set NO_PROXY={host} to reach that host "
        "without it."
    )


def _is_near(host: str) -> bool:
    """Return True for this machine and for addresses of private networks, which no proxy leads to."""
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private or address.is_link_local
