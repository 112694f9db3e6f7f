"""Measure reviewing a large log: list, filter, open, scrub, report, and the longest stall of the GUI thread.

Run: python benchmarks/review.py [--large] [--keep FILE]

First makes 1,000 episodes of 100 records; with `--large` 10,000 (1,000,000 records, minutes, half a GB). With
`--keep` they stay in that log, and the next run uses it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parent.parent))

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.main import SWITCH
from app.main_window import MainWindow
from app.review.log_worker import LogWorker
from app.review.review_window import ReviewWindow
from app.theme import styling
from app.theme.styling import ColourMode
from benchmarks.sizes import sized
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.replay import EpisodeReplay
from core.review.review_queue import unlabelled_answers
from core.review.statistics import predicate_statistics, running_shares
from main import make_components
from tests.core.log import made

TASKS = ("boil_water", "halve_egg", "store_firewood")


def main() -> None:
    episodes = 10_000 if "--large" in sys.argv else sized(1_000, 20)
    with TemporaryDirectory() as folder:
        path = Path(sys.argv[sys.argv.index("--keep") + 1] if "--keep" in sys.argv else f"{folder}/log.db")
        if not path.exists():
            make(path, episodes)
        print(f"{episodes} episodes, {path.stat().st_size >> 20} MiB; load {os.getloadavg()[0]:.1f}")
        values(path)
        window(path, episodes)


def make(path: Path, episodes: int) -> None:
    began = time.perf_counter()
    with Recorder.open(path) as recorder:
        for i in range(episodes):
            by, pictures = "ada" if i % 10 == 0 else "", i % 100 == 0
            for _ in recorder.record_events(made.episode(9, pictures, by, TASKS[i % 3], True)):
                pass
    print(f"made in {time.perf_counter() - began:.0f} s")


def report(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    half = ordered[len(ordered) // 2] * 1000
    print(f"{what:58} p50 {half:9.2f} ms   worst {ordered[-1] * 1000:9.2f} ms   of {len(ordered)}")


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def values(path: Path) -> None:
    """Measure folding and counting, without a window."""
    with Store.open(path) as store:
        records = list(store.records(store.episodes(limit=1)[0].episode))
        report(
            "fold an episode of 100 records into a replay",
            [timed(lambda: EpisodeReplay(records)) for _ in range(20)],
        )
        long = [r for _ in range(1) for r in Recorder.without_log().record_events(made.episode(300))]
        report(
            f"fold an episode of {len(long)} records", [timed(lambda: EpisodeReplay(long)) for _ in range(3)]
        )
        replay = EpisodeReplay(long)
        places = [(i * 7919) % len(replay) for i in range(200)]
        report("    be at any of its moments", [timed(lambda p=p: replay.state_at(p)) for p in places])
        report(
            "curves over all episodes",
            [timed(lambda: running_shares(store, EpisodeFilter())) for _ in range(3)],
        )
        works: dict[str, Callable[[], object]] = {
            "tallies of all answers, per predicate": lambda: predicate_statistics(store, EpisodeFilter()),
            "the view `agreement`": lambda: store.db.execute("select * from agreement").fetchall(),
            "the view `judgement`": lambda: store.db.execute("select * from judgement").fetchall(),
            "a blind queue over the list": lambda: unlabelled_answers(store, EpisodeFilter(), "bob"),
        }
        for name, work in works.items():
            report(name, [timed(work) for _ in range(3)])


class EventLoopPulse:
    """Measures how long the GUI thread was blocked: the longest time between two beats of a timer, by wall
    time and by the thread's own processor time (other work on the machine lengthens only the former).
    """

    def __init__(self) -> None:
        self.worst, self.own, self._last = 0.0, 0.0, self._now()
        self._timer = QTimer(interval=0)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), time.thread_time()

    def _beat(self) -> None:
        now = self._now()
        self.worst = max(self.worst, now[0] - self._last[0])
        self.own = max(self.own, now[1] - self._last[1])
        self._last = now

    def take(self) -> str:
        said = f"the screen waits {self.worst * 1000:6.1f} ms at most, {self.own * 1000:5.1f} ms of its own"
        self.worst, self.own, self._last = 0.0, 0.0, self._now()
        return said


def window(path: Path, episodes: int) -> None:
    """Measure the real window, offscreen: the time until the result is shown, and the longest stall
    meanwhile.
    """
    sys.setswitchinterval(SWITCH)
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    styling.apply(app, ColourMode.LIGHT)
    window = MainWindow()
    window.show()
    review = ReviewWindow(window, LogWorker(path), "ada", make_components, lambda _: False)
    model, pulse = review.episode_list.model, EventLoopPulse()
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))

    def until(what: str, begin: Callable[[], object], seen: Callable[[], object]) -> None:
        QTest.qWait(50)
        pulse.take()
        resets.clear()
        start = time.perf_counter()
        begin()
        while not seen():
            app.processEvents()
            if time.perf_counter() - start > 120:
                raise SystemExit(f"{what}: it never came")
        took = time.perf_counter() - start
        print(f"{what:58} {took * 1000:9.1f} ms   {pulse.take()}")

    def listed() -> object:
        return resets and model.rowCount() and model.entry(0)

    until("open the review: the first page is there", review.toggle, listed)
    until(
        "scroll to the middle: its page is there",
        lambda: review.episode_list.rows.scrollTo(model.index(episodes // 2)),
        lambda: model.entry(episodes // 2),
    )
    until("sort by steps", lambda: review.episode_list.sort_by("steps"), listed)
    until(
        "only those with an override",
        review.episode_list.overridden.click,
        lambda: listed() and model.rowCount() == episodes // 10,
    )
    until(
        "all of them again",
        review.episode_list.overridden.click,
        lambda: listed() and model.rowCount() == episodes,
    )
    until(
        "search a word that stands in a third of them",
        lambda: (review.episode_list._search.setText("halve_egg"), review.episode_list.searched.emit()),
        lambda: listed() and model.rowCount() == len(range(1, episodes, 3)),
    )
    review.episode_list._search.setText("")
    until(
        "and all again", review.episode_list.searched.emit, lambda: listed() and model.rowCount() == episodes
    )
    first = next(e.summary.episode for i in range(100) if (e := model.entry(i)) and e.summary.overrides)
    until("open an episode", lambda: review.open(first), lambda: review.replay.opened)
    player = review.replay.player
    costs = []
    for i in range(sized(100, 5)):
        costs.append(timed(lambda i=i: (player.go(1 + (i * 37) % len(player.replay)), window.grab())))
    report("scrub: every panel at another moment, and painted", costs)
    review.episode_list._foot.setText("")
    until("statistics of the list", review._statistics, lambda: review.episode_list._foot.text())
    review.close_log()


if __name__ == "__main__":
    main()
