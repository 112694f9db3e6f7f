"""A coroutine that ends just when its caller has waited long enough still gives its result."""

import asyncio
from concurrent.futures import Future

import pytest

from core.stop_token import StopToken
from core.vqa.endpoint.event_loop_thread import EventLoopThread


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first wait ends in vain, and the work is done by then."""
    usual = Future.result
    waited: list[Future] = []

    def result(self: Future, timeout: float | None = None) -> object:
        if timeout is not None and self not in waited:
            waited.append(self)
            usual(self, 5) if self.exception(5) is None else None
            raise TimeoutError
        return usual(self, timeout)

    monkeypatch.setattr(Future, "result", result)


async def answer() -> str:
    return "yes"


async def own_timeout() -> str:
    raise TimeoutError("its own")


def test_that_a_result_that_comes_in_this_moment_is_taken(late: None) -> None:
    background = EventLoopThread("test")
    assert background.run(answer(), StopToken()) == "yes"
    with pytest.raises(asyncio.TimeoutError, match="its own"):
        background.run(own_timeout(), StopToken())
    background.close()
