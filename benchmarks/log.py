"""Measure the episode log: writing it with a fast and a slow disk, and reviewing a large one.

`review` lists, filters, opens and scrubs in an offscreen window, and shows the longest stall of the
GUI thread. It first makes 1,000 episodes of 100 records; with `--large` 10,000 (1,000,000 records, minutes,
half a GB). With `--keep FILE` they stay in that log, and the next run uses it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from app.main_window import MainWindow
from app.review.log_worker import LogWorker
from app.review.review_window import ReviewWindow
from app.theme import styling
from app.theme.styling import ColourMode
from benchmarks.shared.harness import load, report, sized, timed
from benchmarks.shared.window import EventLoopMonitor, application, until
from core.events import Record
from core.log.codec import read_event, write_event
from core.log.database import connect
from core.log.recorder import Recorder
from core.log.search import search
from core.log.store import EpisodeFilter, Store
from core.review.replay import EpisodeReplay
from core.review.review_queue import unlabelled_answers
from core.review.statistics import predicate_statistics, running_shares
from main import make_components
from tests.core.log import made

TASKS = ("boil_water", "halve_egg", "store_firewood")
ALL = EpisodeFilter()


# --- writing ------------------------------------------------------------------------------------------


def codec() -> None:
    events = list(made.episode(10, by="ada")) * sized(20, 1)
    texts = [(type(e).__name__, write_event(e)) for e in events]
    report("write an event as JSON", [timed(lambda e=e: write_event(e))[0] for e in events])
    report("read an event from JSON", [timed(lambda t=t: read_event(*t))[0] for t in texts])


def records() -> None:
    """Report what a record costs a loop that works for a millisecond between two events, like a fast
    simulator, and how soon afterwards the window can show it.
    """
    events = [e for _ in range(sized(4, 1)) for e in made.episode(sized(10, 2), pictures=True)]
    for delay in (0.0, 0.005, 0.02, 0.1)[: sized(4, 1)]:
        disk = f"{delay * 1000:.0f} ms a commit"
        for wait in (True, False):
            costs, shown = recorded(events, delay, wait)
            waiting = "waiting" if wait else "not waiting"
            report(f"a record costs the loop ({disk}, {waiting})", costs)
        report(f"    and is on disk and shown after ({disk})", shown)


def recorded(events: list, delay: float, wait: bool) -> tuple[list[float], list[float]]:
    class SlowDisk(sqlite3.Connection):
        def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
            if sql == "commit":
                time.sleep(delay)
            return super().execute(sql, *args)

    costs, shown = list[float](), list[float]()

    def show(record: Record) -> None:
        shown.append(time.monotonic() - record.monotonic)

    with (
        TemporaryDirectory() as folder,
        Recorder.open(Path(folder, "log.db"), connect=lambda p: connect(p, SlowDisk)) as recorder,
    ):
        recorder.listen(show)
        for event in events:
            time.sleep(0.001)
            costs += timed(lambda event=event: recorder.record(event, wait))
    return costs, shown


# --- reviewing ----------------------------------------------------------------------------------------


def review(large: bool = False, keep: str = "") -> None:
    episodes = 10_000 if large else sized(1_000, 20)
    with TemporaryDirectory() as folder:
        path = Path(keep or f"{folder}/log.db")
        if not path.exists():
            make_log(path, episodes)
        print(f"{episodes} episodes, {path.stat().st_size >> 20} MiB; {load()}")
        values(path, episodes)
        window(path, episodes)


def make_log(path: Path, episodes: int) -> None:
    """Make a log of so many episodes, every tenth with an override, every hundredth with pictures."""
    began = time.perf_counter()
    with Recorder.open(path) as recorder:
        for i in range(episodes):
            by, pictures = "ada" if i % 10 == 0 else "", i % 100 == 0
            for _ in recorder.record_events(made.episode(9, pictures, by, TASKS[i % 3], True)):
                pass
    print(f"made in {time.perf_counter() - began:.0f} s")


def values(path: Path, episodes: int) -> None:
    """Measure reading, folding and counting, without a window."""
    long = list(Recorder.without_log().record_events(made.episode(sized(300, 9))))
    replay, places = EpisodeReplay(long), iter(range(0, 10**9, 7919))
    with Store.open(path) as store:
        middle = store.episodes(offset=episodes // 2, limit=1)[0].episode
        records, sql = list(store.records(middle)), store.db.execute
        works: dict[str, Callable[[], object]] = {
            "first page of 50": lambda: store.episodes(),
            "page of 50 in the middle, by steps": lambda: store.episodes(order="steps", offset=episodes // 2),
            "open an episode (all its records)": lambda: list(store.records(middle)),
            "a record in its middle (scrub)": lambda: list(store.records(middle, 40, 40)),
            "search a word that stands everywhere": lambda: search(store, "pickup"),
            "first page of the episodes with a word": lambda: store.episodes(EpisodeFilter(text="halve_egg")),
            "fold an episode of 100 records into a replay": lambda: EpisodeReplay(records),
            f"fold an episode of {len(long)} records": lambda: EpisodeReplay(long),
            "    be at any of its moments": lambda: replay.state_at(next(places) % len(replay)),
            "curves over all episodes": lambda: running_shares(store, ALL),
            "tallies of all answers, per predicate": lambda: predicate_statistics(store, ALL),
            "the view `agreement`": lambda: sql("select * from agreement").fetchall(),
            "the view `judgement`": lambda: sql("select * from judgement").fetchall(),
            "a blind queue over the list": lambda: unlabelled_answers(store, ALL, "bob"),
        }
        for name, work in works.items():
            report(name, timed(work, sized(3, 1)))


def window(path: Path, episodes: int) -> None:
    """Measure the real window, offscreen: the time until the result is shown, and the longest stall
    meanwhile, by the clock and of the thread's own (other work on the machine lengthens only the former).
    """
    styling.apply(application(), ColourMode.LIGHT)
    window = MainWindow()
    window.show()
    review = ReviewWindow(window, LogWorker(path), "ada", make_components, lambda _: False)
    listing, monitor, resets = review.episode_list, EventLoopMonitor(), list[None]()
    model = listing.model
    model.modelReset.connect(lambda: resets.append(None))

    def took(what: str, begin: Callable[[], object], seen: Callable[[], object]) -> None:
        until(lambda: False, 0.05)
        for values in (resets, monitor.gaps, monitor.busy):
            values.clear()
        start = time.perf_counter()
        begin()
        if not until(seen, 120, every=1):
            raise SystemExit(f"{what}: it never came")
        seconds = time.perf_counter() - start
        until(lambda: monitor.gaps)
        late, own = 1000 * max(0.0, *monitor.gaps), 1000 * max(monitor.busy)
        print(f"{what:50} {1000 * seconds:9.1f} ms   the screen waits {late:6.1f} ms, {own:5.1f} of its own")

    def listed(count: int = 0) -> object:
        rows = model.rowCount()
        return resets and rows and model.entry(0) and count in (0, rows)

    def find(words: str) -> None:
        listing._search.setText(words)
        listing.searched.emit()

    took("open the review: the first page is there", review.toggle, listed)
    took(
        "scroll to the middle: its page is there",
        lambda: listing.rows.scrollTo(model.index(episodes // 2, 0)),
        lambda: model.entry(episodes // 2),
    )
    took("sort by steps", lambda: listing.sort_by("steps"), listed)
    took("only those with an override", listing.overridden.click, lambda: listed(episodes // 10))
    took("all of them again", listing.overridden.click, lambda: listed(episodes))
    third = len(range(1, episodes, 3))
    took("search a word that stands in a third of them", lambda: find("halve_egg"), lambda: listed(third))
    took("and all again", lambda: find(""), lambda: listed(episodes))
    first = next(e.summary.episode for i in range(100) if (e := model.entry(i)) and e.summary.overrides)
    took("open an episode", lambda: review.open(first), lambda: review.replay.opened)
    player, moments = review.replay.player, iter(range(0, 10**9, 37))

    def scrub() -> None:
        player.go(1 + next(moments) % len(player.replay))
        window.grab()

    report("scrub: every panel at another moment, and painted", timed(scrub, sized(100, 2)))
    listing._foot.setText("")
    took("statistics of the list", review._statistics, lambda: listing._foot.text())
    review.close_log()
    window.close()


PARTS = (codec, records, review)
