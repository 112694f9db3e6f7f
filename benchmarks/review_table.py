"""Measure the table of episodes, its groups and past answers: 10,000 episodes against 100, as ratios.

Run: `PYTHONPATH=. .venv/bin/python benchmarks/review_table.py [EPISODES]`

The large log is the small one multiplied in SQL, with the records of answers only, so that it takes seconds.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.main import SWITCH
from app.main_window import MainWindow
from app.review.review_window import TABLE, ReviewWindow
from app.theme import styling
from app.theme.styling import ColourMode
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.groups import facet_values, groups
from core.review.past_answers import past_answers
from main import make_components
from tests.core.log import made

SMALL, TURNS = 100, 9
_COPIES = "with recursive n(i) as (select 1 union all select i + 1 from n where i < :times - 1) "
MULTIPLY = (
    """insert into episode select nr + i * :step, id || '-' || i, writer, began - i, task, domain, settings,
    ended, result, why, believed_goal, true_goal, turns, steps, failures, replans, calls, questions,
    overrides, contradictions, stops, seconds, cost, deleted, indexed, seal from episode, n""",
    """insert into record(id, episode, number, wall, monotonic, kind, body, crc)
    select id + i * :records, episode + i * :step, number, wall, monotonic, kind, body, crc
    from record, n where kind = 'Answered'""",
    """insert into answer select record + i * :records, place, episode + i * :step, predicate, model, verdict,
    confidence, operator_verdict, operator, operator_seconds, truth, seen from answer, n""",
)


def make(path: Path, times: int) -> None:
    with Recorder.open(path) as recorder:
        for i in range(SMALL):
            for _ in recorder.record_events(made.episode(TURNS, i % 20 == 0, truth=True)):
                pass
    with Store.open(path) as store:
        step, records = store.db.execute("select max(nr) from episode").fetchone()[0], 10**6
        store.db.execute("begin")
        for statement in MULTIPLY:
            store.db.execute(_COPIES + statement, {"times": times, "step": step, "records": records})
        store.db.execute("commit")
        store.db.execute("analyze")


def best(work: Callable[[], object], rounds: int = 5) -> tuple[float, float]:
    """Return the least wall time and processor time of a call, in ms."""
    walls, owns = [], []
    for _ in range(rounds):
        wall, own = time.perf_counter(), time.process_time()
        work()
        walls.append(1000 * (time.perf_counter() - wall))
        owns.append(1000 * (time.process_time() - own))
    return min(walls), min(owns)


def queries(path: Path) -> dict[str, tuple[float, float]]:
    with Store.open(path) as store:
        every = EpisodeFilter()
        return {
            "groups by model": best(lambda: groups(store, every, ["model"])),
            "groups by model and seed": best(lambda: groups(store, every, ["model", "seed"])),
            "values to filter by": best(lambda: facet_values(store)),
            "a model's past answers about a predicate": best(lambda: past_answers(store, "gpt", "inside")),
        }


def window(path: Path) -> dict[str, tuple[float, float]]:
    """Measure the real window, offscreen: from the click until the first rows are painted."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    styling.apply(app, ColourMode.LIGHT)
    main = MainWindow()
    main.show()
    review = ReviewWindow(main, path, "ada", make_components)
    model, table = review.episode_list.model, review.multi_episode.table
    review.toggle()
    while not (model.rowCount() and model.entry(0)):
        app.processEvents()
    QTest.qWait(300)

    def open_table() -> None:
        review._pages.choose(TABLE)
        app.processEvents()
        review.grab()

    def close_table() -> None:
        review._pages.choose(0)
        app.processEvents()

    found, times = [], 5
    for _ in range(times):
        found.append(best(open_table, 1))
        close_table()
    sorted_ = []
    review._pages.choose(TABLE)
    for order in ("steps", "answerer", "began"):
        resets: list[None] = []
        model.modelReset.connect(lambda resets=resets: resets.append(None))

        def sort(order: str = order, resets: list[None] = resets) -> None:
            table.table.sorted_by.emit(order)
            while not (resets and model.entry(0)):
                app.processEvents()

        sorted_.append(best(sort, 1))
    review.close_log()
    return {"open the table, painted": min(found), "sort the table by another column": min(sorted_)}


def main() -> None:
    sys.setswitchinterval(SWITCH)
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    print(f"{SMALL} and {episodes} episodes; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    results = []
    with TemporaryDirectory() as folder:
        for name, times in (("small", 1), ("large", episodes // SMALL)):
            path = Path(folder) / f"{name}.db"
            make(path, times)
            results.append(queries(path) | window(path))
    small, large = results
    for what, (wall, own) in large.items():
        ratio = own / max(small[what][1], 0.01)
        print(
            f"{what:42} {wall:8.1f} ms, {own:7.1f} ms of its own: {ratio:5.1f} times that of {SMALL} episodes"
        )


if __name__ == "__main__":
    main()
