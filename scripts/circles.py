"""Find a circle of imports among the modules of app, core and robots; there is none. Part of `make lint`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("app", "core", "robots")


def circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Return modules of which each imports the next, and the last is the first; empty if there are none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def main() -> str | None:
    """Return what is wrong, for `sys.exit`."""
    sys.path.insert(0, str(ROOT))
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    found = circle({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    print(f"circles: {len(graph.modules)} modules, {'one circle or more' if found else 'no circle'}")
    return f"{' -> '.join(found)}: move what they share into a module of its own." if found else None


if __name__ == "__main__":
    sys.exit(main())
