from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from time import monotonic

from core.stop_token import StopToken
from robots.stop_latch import Latch


def test_that_halts_from_many_threads_get_numbers_of_their_own() -> None:
    latch = Latch()
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: latch.halt(), range(400)))
    assert sorted(numbers) == list(range(1, 401))


def test_that_a_later_halt_outlives_the_release_of_an_earlier_one() -> None:
    latch = Latch()
    first, second = latch.halt(), latch.halt()
    latch.release(first)
    assert latch.halted
    latch.release(second)
    assert not latch.halted


def test_that_a_halt_cannot_be_released_before_it_is_pressed() -> None:
    latch = Latch()
    latch.release(99)
    latch.halt()
    assert latch.halted


def test_that_a_halt_wakes_a_wait_at_once() -> None:
    latch, woken = Latch(), []
    waiting = Thread(target=lambda: woken.append(latch.wait(60, StopToken())))
    waiting.start()
    latch.halt()
    waiting.join(5)
    assert woken == [True]


def test_that_a_cancel_wakes_a_wait() -> None:
    latch, cancel, woken = Latch(), StopToken(), []
    waiting = Thread(target=lambda: woken.append(latch.wait(60, cancel)))
    waiting.start()
    cancel.end("closed")
    waiting.join(5)
    assert woken == [True]


def test_that_a_wait_which_nobody_ends_lasts_its_time() -> None:
    began = monotonic()
    assert not Latch().wait(0.03, StopToken())
    assert monotonic() - began >= 0.03
