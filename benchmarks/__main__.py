"""Run the benchmarks, each in a process of its own: `python -m benchmarks`, or only one with its options."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.shared.harness import command

NAMES = sorted(file.stem for file in Path(__file__).parent.glob("[!_]*.py"))


def run(name: str, *words: str) -> None:
    """Run one here. Its file says what it measures."""
    if name not in NAMES:
        sys.exit(f"There is no benchmark {name!r}: choose from {', '.join(NAMES)}.")
    module = import_module(f"benchmarks.{name}")
    command(module.PARTS, module.__doc__, words)


if __name__ == "__main__":
    if sys.argv[1:]:
        run(*sys.argv[1:])
    for name in NAMES if not sys.argv[1:] else ():
        print(f"== {name}", flush=True)
        subprocess.run([sys.executable, "-m", "benchmarks", name], check=True)
