"""Choose what is measured, time it, and print the line of figures, the same way in every benchmark."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from inspect import signature
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
TINY = bool(os.environ.get("TINY"))  # so little is measured that the tests run every benchmark


def sized(whole: int, tiny: int) -> int:
    """Return how much is measured."""
    return tiny if TINY else whole


TASKS = ("halve_egg", "boil_water", "bring_in_bottles", "cook_frozen_pie", "store_firewood")[: sized(5, 1)]


def command(parts: Sequence[Callable[..., None]], description: str | None, words: Sequence[str]) -> None:
    """Run the parts of a benchmark: `--only WORD` chooses among them, their parameters are its options."""
    reader = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("--only", default="", help=", ".join(part.__name__ for part in parts))
    options = {p.name: p.default for part in parts for p in signature(part).parameters.values()}
    for name, default in options.items():
        flag: dict[str, object] = {"action": "store_true"} if default is False else {"type": type(default)}
        reader.add_argument(f"--{name}", default=default, help=f"by default {default}", **flag)  # type: ignore[arg-type]
    given = vars(reader.parse_args(words))
    for part in parts:
        if given["only"] in part.__name__:
            part(**{name: given[name] for name in signature(part).parameters})


def timed(
    work: Callable[[], object], count: int = 1, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Return the seconds of each of `count` calls."""
    spent = []
    for _ in range(count):
        began = clock()
        work()
        spent.append(clock() - began)
    return spent


def report(what: str, seconds: Sequence[float]) -> float:
    """Print median, 99th percentile and most of these, in ms. Return the median."""
    ordered = sorted(1000 * s for s in seconds)
    p99 = ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]
    half = median(ordered)
    figures = f"median {half:9.3f} ms   p99 {p99:9.3f} ms   most {ordered[-1]:9.3f} ms   of {len(ordered)}"
    print(f"{what:58} {figures}", flush=True)
    return half


def load() -> str:
    """Return what else the machine does."""
    return f"load {os.getloadavg()[0]:.1f}"
