"""Measure the eye: questions a second, and its share of a turn with pictures and without waiting.

`python benchmarks/eye.py [--seeds 3] [--method dkprompt]`: the five tasks in the kitchen, from seed 500 on.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

from benchmarks.sizes import TASKS, sized
from core import events as ev
from core.cancel import Cancel
from core.config import Settings
from core.episode import run_components
from core.loop.gate import AutoOperator
from main import make_components

FIRST = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=sized(3, 1))
    parser.add_argument("--method", default="dkprompt")
    given = parser.parse_args()
    turns: list[float] = []
    calls: list[float] = []
    questions = 0
    for task in TASKS:
        for seed in range(FIRST, FIRST + given.seeds):
            settings = Settings(task=task, robot="kitchen", seed=seed, method=given.method, answerer="eye")
            components = make_components(settings)
            try:
                began = 0.0
                for event in run_components(components, AutoOperator(), Cancel()):
                    match event:
                        case ev.FrameCaptured() | ev.EpisodeEnded():
                            now = time.perf_counter()
                            turns += [now - began] if began else []
                            began = now
                        case ev.AnswersReceived(_, _, call):
                            calls.append(call.seconds)
                            questions += len(call.answers)
            finally:
                components.close()
    print(f"{questions} questions in {len(calls)} calls, {questions / sum(calls):.0f} questions a second")
    print(f"a call {1e3 * median(calls):.1f} ms in the median, {1e3 * max(calls):.1f} ms at most")
    share = 100 * sum(calls) / sum(turns)
    print(
        f"{len(turns)} turns, {1e3 * median(turns):.0f} ms in the median; the eye takes {share:.1f} % of them"
    )


if __name__ == "__main__":
    main()
