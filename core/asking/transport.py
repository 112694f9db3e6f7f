"""The last step before the socket: only our own headers leave, and the key is put in here and nowhere else.

The `openai` client takes keys, organisations and whole headers from the environment on its own and would
send them to any address; its exceptions hold the request. Here neither matters.
"""

from __future__ import annotations

import urllib.request

import httpx2

from core.asking.keys import Secret

OURS = ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "user-agent")


class Guarded(httpx2.AsyncHTTPTransport):
    """Sends to one host only, so that the key can reach no other."""

    def __init__(self, host: str, key: Secret) -> None:
        super().__init__(proxy=_proxy(host))
        self._host, self._key = host, key

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host != httpx2.URL(self._host).host:
            raise httpx2.UnsupportedProtocol("another host than the one that was named")
        headers = {name: request.headers[name] for name in OURS if name in request.headers}
        if key := self._key.reveal():
            headers["authorization"] = f"Bearer {key}"
        return await super().handle_async_request(
            httpx2.Request(
                request.method,
                request.url,
                headers=headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        )


def _proxy(host: str) -> str | None:
    """The environment's proxy for a host, None for this machine."""
    url = httpx2.URL(host)
    if url.host in ("localhost", "127.0.0.1", "::1") or urllib.request.proxy_bypass(url.host):
        return None
    return urllib.request.getproxies().get(url.scheme)
