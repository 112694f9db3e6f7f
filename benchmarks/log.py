"""Measure the episode log: writing a record with a fast and a slow disk, and reading a large log.

Run: python benchmarks/log.py [--large]

`--large` first makes 10,000 episodes of 100 records in a temporary folder (a minute, 1 GB).
"""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.sizes import sized
from core.events import DecisionMade, Record
from core.log.codec import read_event, write_event
from core.log.database import connect
from core.log.recorder import Recorder
from core.log.search import search
from core.log.store import EpisodeFilter, Store
from core.operator import Approve
from tests.core.log import made


def main() -> None:
    with TemporaryDirectory() as folder:
        codec()
        for delay in (0.0, 0.005, 0.02, 0.1)[: sized(4, 1)]:
            loop(Path(folder), delay)
        durable(Path(folder))
        throughput(Path(folder))
        if "--large" in sys.argv:
            large(Path(folder))


def report(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    half, most = ordered[len(ordered) // 2] * 1000, ordered[int(len(ordered) * 0.99)] * 1000
    print(f"{what:60} p50 {half:8.3f} ms   p99 {most:8.3f} ms   worst {ordered[-1] * 1000:8.3f} ms")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def codec() -> None:
    events = list(made.episode(10, by="ada"))
    texts = [(type(e).__name__, write_event(e)) for e in events]
    report("write an event as JSON", [timed(lambda e=e: write_event(e)) for e in events * 20])
    report("read an event from JSON", [timed(lambda t=t: read_event(*t)) for t in texts * 20])


def loop(folder: Path, delay: float) -> None:
    """Report what a record costs a loop that works for a millisecond between two events, like a fast
    simulator, and how soon afterwards the window can show it.
    """

    class SlowDisk(sqlite3.Connection):
        def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
            if sql == "commit":
                time.sleep(delay)
            return super().execute(sql, *args)

    events = [e for _ in range(sized(4, 1)) for e in made.episode(10, pictures=True)]
    for wait in (True, False):
        shown: list[float] = []

        def show(record: Record, shown: list[float] = shown) -> None:
            shown.append(time.monotonic() - record.monotonic)

        path = folder / f"{delay}{wait}.db"
        with Recorder.open(path, connect=lambda p: connect(p, SlowDisk)) as recorder:
            recorder.listen(show)
            costs = []
            for event in events:
                time.sleep(0.001)
                start = time.perf_counter()
                recorder.record(event, wait)
                costs.append(time.perf_counter() - start)
        disk = f"{delay * 1000:.0f} ms a commit"
        report(f"a record costs the loop ({disk}, {'waiting' if wait else 'not waiting'})", costs)
        if not wait:
            report(f"    and is on disk and shown after ({disk})", shown)


def durable(folder: Path) -> None:
    with Recorder.open(folder / "durable.db") as recorder:
        recorder.record(made.started())
        approval = DecisionMade(1, 1, Approve("ada"))
        costs = [timed(lambda: recorder.record(approval)) for _ in range(sized(200, 3))]
    report("an approval is on disk for good (fsync)", costs)


def throughput(folder: Path) -> None:
    print(f"{'':60} {len(list(made.episode(10)))} records an episode")
    count = sized(60, 2)
    bare = count / timed(lambda: [list(made.episode(10)) for _ in range(count)])
    print(f"{'episodes a second, only made up':60} {bare:8.0f}")

    def run() -> None:
        with Recorder.open(folder / "many.db") as recorder:
            for _ in range(count):
                for _ in recorder.record_events(made.episode(10)):
                    pass

    print(f"{'episodes a second, logged':60} {count / timed(run):8.0f}")


def large(folder: Path) -> None:
    path = folder / "large.db"
    with Recorder.open(path) as recorder:
        for i in range(10_000):
            task = ("boil_water", "halve_egg", "store_firewood")[i % 3]
            by = "ada" if i % 10 == 0 else ""
            for _ in recorder.record_events(made.episode(9, by=by, task=task)):
                pass
    print(f"{'size of 10,000 episodes':60} {path.stat().st_size / 2**20:8.0f} MiB")
    with Store.open(path) as store:
        middle = store.episodes(offset=5000, limit=1)[0].episode
        sql = store.db.execute
        works: dict[str, Callable[[], object]] = {
            "first page of 50": lambda: store.episodes(),
            "page of 50 in the middle, sorted by steps": lambda: store.episodes(order="steps", offset=5000),
            "open an episode (all its records)": lambda: list(store.records(middle)),
            "a record in its middle (scrub)": lambda: list(store.records(middle, 40, 40)),
            "search a word that stands everywhere": lambda: search(store, "pickup"),
            "first page of the episodes with a word": lambda: store.episodes(EpisodeFilter(text="halve_egg")),
            "statistics of all episodes": lambda: sql(
                "select task, count(*), avg(true_goal), avg(steps), sum(cost) from episodes group by task"
            ).fetchall(),
            "agreement per predicate, over all questions": lambda: sql("select * from agreement").fetchall(),
        }
        for name, work in works.items():
            report(f"    {name}", [timed(work) for _ in range(1 if "agreement" in name else 5)])


if __name__ == "__main__":
    main()
