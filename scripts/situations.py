"""Says of dining trials in a log (`bench --domain dining --log FILE`) what became of each situation, and why.

Run: `PYTHONPATH=. .venv/bin/python scripts/situations.py FILE`. Whether there was a way around the thing that
failed is planned in the true world (scripts/solvable.py).
"""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from core.open_world.world_file import load_open_world
from core.planning.domain_library import load_domain_spec
from scripts.logged_situations import GROUPS, HANDLED, NO_WAY, Trial, trials


def main(path: Path) -> None:
    folder = load_domain_spec("dining")
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as log:
        found = list(trials(log, folder))
    weights = {kind: about.weight for kind, about in load_open_world(folder).kinds.items()}
    for method in dict.fromkeys(trial.method for trial in found):
        mine = [trial for trial in found if trial.method == method]
        told, rest = [t for t in mine if t.kind], [t for t in mine if not t.kind]
        print(
            f"{method}: {len(rest)} trials without a situation, {sum(t.completed for t in rest)} completed; "
            f"{len(told)} with one"
        )
        if told:
            _causes(told)
            _tasks(told)
            _kinds(told, weights)


def _causes(told: Sequence[Trial]) -> None:
    causes = Counter((trial.group, trial.cause) for trial in told)
    for group in GROUPS:
        of = {cause: n for (g, cause), n in causes.most_common() if g == group}
        for words, n in ((group, sum(of.values())), *((f"  {cause}", n) for cause, n in of.items())):
            print(f"  {n:5} {n / len(told):6.1%}  {words}")


def _tasks(told: Sequence[Trial]) -> None:
    print("  by task: came, with a way, handled")
    for task in dict.fromkeys(trial.task for trial in told):
        print("  {:5} {:6.1%} {:6.1%}  {}".format(*_shares([t for t in told if t.task == task]), task))


def _kinds(told: Sequence[Trial], weights: dict[str, float]) -> None:
    """Print how often each kind came and was counted, and what would be handled if it came as counted."""
    print("  by kind: came, with a way, handled, share of those that came, share as counted")
    came = {kind: weight for kind, weight in weights.items() if any(t.kind == kind for t in told)}
    as_counted = 0.0
    for kind, weight in came.items():
        number, way, handled = _shares([t for t in told if t.kind == kind])
        counted = weight / sum(came.values())
        as_counted += counted * handled
        print(f"  {number:5} {way:6.1%} {handled:6.1%} {number / len(told):6.1%} {counted:6.1%}  {kind}")
    print(f"  handled, if the kinds came as often as they were counted: {as_counted:.1%}")


def _shares(told: Sequence[Trial]) -> tuple[int, float, float]:
    """Return the number, and the shares that had a way and that were handled."""
    way, handled = (sum(t.group != NO_WAY for t in told), sum(t.group == HANDLED for t in told))
    return len(told), way / len(told), handled / len(told)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
