"""Requests to the emulated endpoint."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from core.vqa.mock.mock_server import MockServer
from tests.core.vqa.conftest import Serve

ASK: list[Any] = [{"role": "user", "content": "Is it open?; Is it shut?"}]


@pytest.fixture
def server(serve: Serve) -> MockServer:
    return serve()


def plain_http() -> httpx2.Client:
    """Return a client that reads no certificates, which takes longer than to ask."""
    return httpx2.Client(trust_env=False, verify=False, timeout=20)


def post(server: MockServer, body: object, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {"Content-Type": "application/json", **named}
    with plain_http() as client:
        return client.post(f"{server.url}/chat/completions", content=content, headers=sent)
