"""Run a coroutine while its caller waits, and return within milliseconds if the caller is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from threading import Lock, Thread
from typing import Any, TypeVar

from core.stop_token import StopToken

POLL_INTERVAL = 0.02  # seconds between checks of `cancel`, well under the 100 ms allowed for a stop

T = TypeVar("T")


class EventLoopThread:
    """One event loop in its own thread, which starts when first needed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Coroutine[Any, Any, T], cancel: StopToken) -> T:
        """Block until the work is done. If `cancel` is set, cancel the work and raise Cancelled."""
        future = asyncio.run_coroutine_threadsafe(work, self._running_loop())
        try:
            while True:
                cancel.check()
                try:
                    return future.result(timeout=POLL_INTERVAL)
                except TimeoutError:
                    if future.done():  # in this moment, or it was the work's own timeout
                        return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Stop the thread. Idempotent."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                Thread(target=_run, args=(self._loop,), name=self._name, daemon=True).start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
