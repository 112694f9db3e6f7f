"""The emulated endpoint on a real socket, and no keys of this machine."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.simulated import SimulatedAnswerer
from core.vqa.mock.mock_server import MockServer
from core.vqa.mock.reply_sources import ProfileSource

Serve = Callable[..., MockServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts emulated endpoints and closes them."""
    with ExitStack() as stack:

        def start(profile: str = "perfect", **settings: Any) -> MockServer:
            mind = ProfileSource(lambda truth: SimulatedAnswerer(load_profile(profile), truth))
            server = MockServer(mind, **{"aliases": ("default", "m", "n"), **settings})
            stack.callback(server.close)
            return server

        yield start


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test takes a key from this machine."""
    import keyring

    for name in ("OPENAI", "GEMINI", "GOOGLE", "ANTHROPIC", "VLLM", "LLAMA", "DKPROMPT"):
        monkeypatch.delenv(f"{name}_API_KEY", raising=False)
    monkeypatch.setattr(keyring, "get_password", lambda service, name: None)
