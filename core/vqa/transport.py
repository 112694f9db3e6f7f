"""The last step before the socket, and the first after it.

Out: only our own headers leave, and the key is put in here and nowhere else. The `openai` client takes keys,
organisations and whole headers from the environment on its own and would send them to any address; its
exceptions hold the request. Here neither matters.

In: whatever a server sends, at most so many bytes of it are taken, unpacked ones, and three headers.
"""

from __future__ import annotations

import logging
import urllib.request

import httpx2

from core.vqa.api_keys import Secret

REQUEST_HEADERS = ("host", "accept", "connection", "content-type", "content-length", "user-agent")
RESPONSE_HEADERS = ("content-type", "retry-after", "retry-after-ms")
MAX_BODY_BYTES = 8_000_000  # bytes of a reply
MAX_ERROR_BYTES = 64_000  # bytes of an error
TRUNCATED = "cut"  # an extension of a response: more was sent than was taken

logging.getLogger("httpcore2").setLevel(logging.INFO)  # it would repeat headers, which may repeat the key


class SingleHostTransport(httpx2.AsyncHTTPTransport):
    """Sends to one host only, so that the key can reach no other, and reads to a limit."""

    def __init__(self, host: str, key: Secret) -> None:
        super().__init__(proxy=_proxy(host))
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
    """The first bytes of a body, and whether there were more. It is unpacked in pieces of a mebibyte."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece[: limit + 1 - len(body)]
        if len(body) > limit:
            return bytes(body[:limit]), True
    return bytes(body), False


def _proxy(host: str) -> str | None:
    """The environment's proxy for a host, None for this machine."""
    url = httpx2.URL(host)
    if url.host in ("localhost", "127.0.0.1", "::1") or urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
