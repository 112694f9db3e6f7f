"""Measure every cell of the table of the method careful; it can be interrupted and goes on where it was.

    PYTHONPATH=. python scripts/careful_table.py careful.jsonl --episodes 500
    PYTHONPATH=. python scripts/careful_table.py careful.jsonl --episodes 0     what there is, nothing new

The file has a line for every block of seeds that was finished, and belongs to one commit: its hash gives the
seeds, so that nobody tunes on them. More episodes continue the same row of seeds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from math import ceil
from multiprocessing import Pool
from pathlib import Path
from statistics import median

from core.review.intervals import wilson_interval
from scripts.measure_careful import ABLATIONS, BLOCK, FOLDER, TASKS, WRONG, Tally, block, first_seed

BOTH = ("symmetric-34", "gpt-4.1-household")
PROFILES = (
    "perfect",
    "symmetric-10",
    "gpt-4.1-household-checks",
    "internvl3-78b-household",
    "paper-gpt4",
    "paper-claude",
    "paper-gemini",
    "skips",
)
TABLETOP = ("skips", "gpt-4.1-blocks", "gpt-4.1-blocks-checks", "internvl3-78b-blocks", *BOTH)
MEASURED = ("core", "robots", "domains", "resources", "scripts", "main.py")  # what the commit must contain


@dataclass(frozen=True)
class Goal:
    """Per cent, the calls as a share of plain DKPROMPT's, the questions to you; None: not asked for."""

    true: float
    false: float
    calls: float | None = None
    questions: float | None = None


@dataclass(frozen=True)
class Row:
    """A cell of the table. `plain`: its goal is set by the row of dkprompt with the same profile."""

    group: str
    cell: str
    profile: str
    goal: Goal | None = None
    tasks: tuple[str, ...] = TASKS
    robot: str = ""
    plain: bool = False


def rows() -> list[Row]:
    """Return the cells, the most important ones first."""
    found = [
        Row("main", "careful, no reports", BOTH[0], Goal(96, 1, 0.4)),
        Row("main", "careful, no reports", BOTH[1], Goal(96, 1, 0.25)),
        Row("main", "careful", BOTH[0], Goal(98, 0.5, 0.15)),
        Row("main", "careful", BOTH[1], Goal(98, 0.5, 0.15)),
        Row("main", "careful, with an operator", BOTH[0], Goal(99.5, 0.3, 0.2, 1)),
        Row("main", "careful, with an operator", BOTH[1], Goal(99, 0.3, 0.2, 1)),
    ]
    shared = dict(zip(BOTH, (Goal(88, 2.5), Goal(93, 2.5)), strict=True))
    for cell in WRONG:
        goal = Goal(92, 2) if cell.startswith("told") else None
        found += [Row("wrong", cell, p, shared[p] if cell.startswith("shared") else goal) for p in BOTH]
    found += [Row("main", "careful, no reports", p, plain=True) for p in PROFILES]
    toys = ("collect_toys",)
    found += [Row("main", "careful", p, Goal(95, 0.5), toys, "symbolic") for p in TABLETOP]
    found += [Row("main", "dkprompt", p) for p in (*BOTH, *PROFILES)]
    found += [Row("folder", cell, BOTH[0]) for cell in reversed(FOLDER)]
    found += [Row("ablations", cell, p) for cell in ABLATIONS for p in BOTH]
    return found


class Store:
    """The finished blocks of seeds, in a file of one commit."""

    def __init__(self, path: Path, commit: str) -> None:
        self._path, self._commit = path, commit
        self._tallies: dict[str, Tally] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            found = json.loads(line)
            if found["commit"] != commit:
                sys.exit(
                    f"{path} was begun at {found['commit']}, and this is {commit}. "
                    "Check that commit out, or name another file."
                )
            self._tallies[found["block"]] = Tally(**found["tally"])

    def get(self, given: tuple) -> Tally | None:
        return self._tallies.get(str(given))

    def add(self, given: tuple, tally: Tally) -> None:
        self._tallies[str(given)] = tally
        line = {"commit": self._commit, "block": str(given), "tally": asdict(tally)}
        with self._path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def total(self, row: Row, seeds: range) -> Tally:
        """Return what is known of a row."""
        whole = Tally()
        for given in blocks(row, seeds):
            if (tally := self.get(given)) is not None:
                whole.add(tally)
        return whole


def blocks(row: Row, seeds: range) -> list[tuple]:
    """Return what has to be run for a row: every task with some of the seeds, in turn."""
    return [
        (row.group, row.cell, row.profile, task, row.robot, seeds[n : n + BLOCK])
        for n in range(0, len(seeds), BLOCK)
        for task in row.tasks
    ]


def table_line(row: Row, tally: Tally, plain: Tally | None) -> str:
    """Return a line of the table: the figures, and whether the goal is met."""
    n = tally.episodes
    if not n:
        return ""
    true, false = sum(tally.true.values()), tally.false
    share = tally.calls / n / (plain.calls / plain.episodes) if plain and plain.calls else None
    parts = [
        row.cell + (" (tabletop)" if row.robot else ""),
        row.profile,
        str(n),
        _interval(true, n),
        _interval(false, n),
        f"{tally.calls / n:.1f}" + (f" ({share:.2f})" if share is not None else ""),
        f"{tally.asked / n:.2f}",
        f"{tally.steps / n:.1f}",
        f"{1000 * median(tally.turns):.1f}, {1000 * max(tally.turns):.0f}",
        " ".join(f"{100 * t * len(tally.true) / n:.0f}" for t in tally.true.values()),
        _verdict(row, tally, share, plain),
    ]
    return f"| {' | '.join(parts)} |"


def _interval(count: int, n: int) -> str:
    low, high = wilson_interval(count, n)
    return f"{100 * count / n:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def _verdict(row: Row, tally: Tally, share: float | None, plain: Tally | None) -> str:
    goal, episodes = row.goal, tally.episodes
    true, false = 100 * sum(tally.true.values()) / episodes, 100 * tally.false / episodes
    if row.plain and plain is not None and plain.episodes:
        n = plain.episodes
        goal = Goal(100 * sum(plain.true.values()) / n, 100 * plain.false / n / 4)
    if goal is None:
        return ""
    missed = [
        name
        for name, bad in (
            (f"true >= {goal.true:g}", true < goal.true - 1e-9),
            (f"false <= {goal.false:g}", false > goal.false + 1e-9),
            (f"calls <= {goal.calls}", bool(goal.calls and share is not None and share > goal.calls)),
            (f"you <= {goal.questions}", bool(goal.questions and tally.asked > goal.questions * episodes)),
        )
        if bad
    ]
    if missed:
        return f"missed: {', '.join(missed)}"
    return "met" if goal.calls is None or share is not None else "met, calls not compared yet"


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    reader.add_argument("file", type=Path)
    reader.add_argument(
        "--episodes", type=int, default=200, help="of each cell, over all tasks, in whole blocks"
    )
    reader.add_argument("--only", default="", help="cells whose group, name and profile contain this")
    reader.add_argument("--workers", type=int, default=1)
    reader.add_argument("--missed", action="store_true", help="list the episodes that failed")
    given = reader.parse_args()
    changed = subprocess.run(
        ["git", "status", "--porcelain", *MEASURED], capture_output=True, text=True, check=True
    )
    if given.episodes and changed.stdout:
        sys.exit(
            f"Commit or undo these changes first, so that the commit is what is measured:\n{changed.stdout}"
        )
    commit, first = first_seed()
    store, everything = Store(given.file, commit), range(first, first + 10_000)
    wanted = [row for row in rows() if given.only in f"{row.group} {row.cell} {row.profile}"]
    with Pool(given.workers) as pool:
        for row in wanted:
            seeds = everything[: ceil(given.episodes / len(row.tasks) / BLOCK) * BLOCK]
            missing = [b for b in blocks(row, seeds) if store.get(b) is None]
            for number, tally in enumerate(pool.imap(block, missing)):
                store.add(missing[number], tally)
            if missing:
                print(table_line(row, store.total(row, everything), None), flush=True)
    plain = {r.profile: store.total(r, everything) for r in rows() if r.cell == "dkprompt"}
    print(f"\nseeds from {first} on, of {commit}; means, 95 % intervals\n")
    print(
        "| | answers of | episodes | true | false claims | calls (of dkprompt's) | questions to you | steps ",
        end="",
    )
    print(f"| ms a turn, most | by task | goal |\n|{'---|' * 11}")
    for row in wanted:
        tally = store.total(row, everything)
        if line := table_line(row, tally, None if row.robot else plain.get(row.profile)):
            print(line)
            if given.missed:
                print("".join(f"    {task} {seed}: {how}\n" for task, seed, how in tally.missed), end="")


if __name__ == "__main__":
    main()
