"""The last step before the socket, and the first after it.

Outgoing: only our own headers are sent, and the key is added here and nowhere else. The `openai` client reads
keys, organisations and whole headers from the environment and would send them to any address, and its
exceptions hold the request; here neither matters. Incoming: of a response at most a fixed number of
decompressed bytes and three headers are read.
"""

from __future__ import annotations

import ipaddress
import logging
import urllib.request
from importlib.util import find_spec
from urllib.parse import urlsplit

import httpx2

from core.errors import AnswererError
from core.vqa.endpoint.api_keys import Secret

REQUEST_HEADERS = ("host", "accept", "connection", "content-type", "content-length", "user-agent")
RESPONSE_HEADERS = ("content-type", "retry-after", "retry-after-ms")
MAX_BODY_BYTES = 8_000_000  # of a reply
MAX_ERROR_BYTES = 64_000  # of an error
TRUNCATED = "cut"  # response extension: more was sent than was read

logging.getLogger("httpcore2").setLevel(logging.INFO)  # it would log headers, which may contain the key


class SingleHostTransport(httpx2.AsyncHTTPTransport):
    """Sends to one host only, so that the key reaches no other, and limits the size of responses."""

    def __init__(self, host: str, key: Secret, proxy: str | None = None) -> None:
        super().__init__(proxy=proxy)
        self._host, self._key = host, key

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host != httpx2.URL(self._host).host:
            raise httpx2.UnsupportedProtocol("another host than the one that was named")
        headers = {name: request.headers[name] for name in REQUEST_HEADERS if name in request.headers}
        headers["accept-encoding"] = "identity"
        if key := self._key.reveal():
            headers["authorization"] = f"Bearer {key}"
        response = await super().handle_async_request(
            httpx2.Request(
                request.method,
                request.url,
                headers=headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )
        try:
            body, cut = await read_at_most(
                response, MAX_BODY_BYTES if response.is_success else MAX_ERROR_BYTES
            )
        finally:
            await response.aclose()
        kept = {
            name: self._key.scrub(response.headers[name])[:200]
            for name in RESPONSE_HEADERS
            if name in response.headers
        }
        return httpx2.Response(response.status_code, headers=kept, content=body, extensions={TRUNCATED: cut})


async def read_at_most(response: httpx2.Response, limit: int) -> tuple[bytes, bool]:
    """Return the first bytes of a body, decompressed by 1 MiB at a time, and whether there were more."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece[: limit + 1 - len(body)]
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


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
