"""A program that records as fast as it can until somebody kills it, and one that fills its disk."""

from __future__ import annotations

import os
import sys
from itertools import count
from pathlib import Path

from core.errors import LogError
from core.events import Bookmarked, Record, StopRequested
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made


def acknowledged(pipe: int, record: Record) -> None:
    """Said aloud only when the recorder has handed it on."""
    os.write(pipe, f"{record.episode} {record.number}\n".encode())


def record_for_ever(path: str, pipe: int, wait: bool) -> None:
    os.write(pipe, b"go\n")
    recorder = Recorder.open(path)
    if not wait:
        recorder.listen(lambda record: acknowledged(pipe, record))
    for i in count():
        for event in made.episode(2 + i % 3, pictures=True, by="ada" if i % 2 else ""):
            record = recorder.record(event, wait)
            if wait:
                acknowledged(pipe, record)
            if record.number % 7 == 0:
                recorder.record(Bookmarked("here", "ada"), wait=False)
            if record.number % 11 == 0:
                recorder.record(StopRequested(1, "key"))


def fill_the_disk(path: Path, ballast: Path) -> None:
    """Prints what a person reads, then what became of the log once there was space again."""
    shown: list[Record] = []
    recorder = Recorder.open(path, on_fault=lambda fault: print("fault:", fault))
    recorder.listen(shown.append)
    try:
        for i in range(1000):
            for _ in recorder.record_events(made.episode(20, pictures=bool(i % 2))):
                pass
    except LogError as error:
        print("raised:", error)
    recorder.record(StopRequested(1, "key"))
    try:
        recorder.close()
    except LogError as error:
        print("closed:", error)
    ballast.unlink()
    with Store.open(path) as store:
        begun = any(episode.episode == recorder.episode for episode in store.episodes(limit=9999))
        report = verify(store)
        there = [r for e in store.episodes(limit=9999) for r in store.records(e.episode)]
        print(
            "repaired:",
            len(store.repaired),
            "broken:",
            report.interrupted,
            "whole:",
            report.is_intact,
            "of",
            int(begun),
        )
    missing = [r for r in shown if r not in there]
    print("shown:", len(shown) > 50, "missing:", len(missing))


if __name__ == "__main__":
    if sys.argv[1] == "limit":
        import resource
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, resource.RLIM_INFINITY))
    fill_the_disk(Path(sys.argv[2]), Path(sys.argv[3]))
