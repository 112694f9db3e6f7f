"""The token that interrupts a turn or an episode."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late

import pytest

from core.errors import Cancelled
from core.stop_token import StopToken


def test_that_a_stop_interrupts_until_it_is_released() -> None:
    cancel = StopToken()
    cancel.stop(1, "Esc")
    assert cancel.is_set() and not cancel.ended
    with pytest.raises(Cancelled, match="Esc"):
        cancel.check()
    cancel.release(1)
    cancel.check()


def test_that_an_end_interrupts_for_good_with_its_first_reason() -> None:
    cancel = StopToken()
    cancel.end("first")
    cancel.end("second")
    cancel.release(99)
    with pytest.raises(Cancelled, match="first"):
        cancel.check()


@pytest.mark.parametrize(
    "interrupt",
    [lambda cancel: cancel.stop(1, "Esc"), lambda cancel: cancel.end("over")],
    ids=["stop", "end"],
)
def test_that_who_waits_is_woken_at_once(interrupt: Callable[[StopToken], None]) -> None:
    cancel = StopToken()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(cancel.wait, 8)
        with pytest.raises(Late):
            waiting.result(0.05)
        interrupt(cancel)
        assert waiting.result(5)
