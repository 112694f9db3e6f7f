"""A motion goes on only while the heart beats."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Empty, SimpleQueue
from time import monotonic, sleep

import pytest

from core.stop.heartbeat import HEARTBEAT_TIMEOUT, Heartbeat, HeartbeatWatch
from tests.patience import AT_ONCE


class Watched:
    def __init__(self) -> None:
        self.heart, self.moving, self.stops = Heartbeat(), False, SimpleQueue[str]()
        self.heart.beat()
        self.watch = HeartbeatWatch(self.heart, lambda: self.moving, self.stops.put, "The window")

    def beat_for(self, seconds: float) -> None:
        end = monotonic() + seconds
        while monotonic() < end:
            self.heart.beat()
            sleep(0.01)


@pytest.fixture
def watched() -> Iterator[Watched]:
    made = Watched()
    yield made
    made.watch.close()


def test_that_a_missing_beat_stops_a_motion_once(watched: Watched) -> None:
    watched.moving = True
    assert "The window did not respond for 0.5 s" in watched.stops.get(timeout=HEARTBEAT_TIMEOUT + AT_ONCE)
    with pytest.raises(Empty):
        watched.stops.get(timeout=0.3)


def test_that_nothing_is_stopped_while_nothing_moves_or_the_heart_beats(watched: Watched) -> None:
    with pytest.raises(Empty):
        watched.stops.get(timeout=HEARTBEAT_TIMEOUT + 0.3)
    watched.heart.beat()
    watched.moving = True
    watched.beat_for(HEARTBEAT_TIMEOUT + 0.3)
    assert watched.stops.empty()


def test_that_a_heart_that_never_beat_watches_over_nothing() -> None:
    heart = Heartbeat()
    assert heart.age == 0.0
    heart.beat(age=2.0)
    assert heart.age >= 2.0


def test_that_a_motion_that_begins_without_a_beat_is_stopped_again(watched: Watched) -> None:
    watched.moving = True
    watched.stops.get(timeout=HEARTBEAT_TIMEOUT + AT_ONCE)
    watched.moving = False
    sleep(0.15)  # the watch looks every 0.05 s
    watched.moving = True
    watched.stops.get(timeout=AT_ONCE)
