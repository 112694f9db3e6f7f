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
    match sys.argv[1:]:
        case ["-h" | "--help"]:
            print(f"{__doc__}\nThere are {', '.join(NAMES)}; NAME --help tells of one.")
        case [name, *words]:
            run(name, *words)
        case _:
            for name in NAMES:
                print(f"== {name}", flush=True)
                subprocess.run([sys.executable, "-m", "benchmarks", name], check=True)
