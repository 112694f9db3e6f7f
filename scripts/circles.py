"""Find import cycles among the modules of app, core and robots. Part of `make lint`.

The cycles that are still allowed are listed in pyproject.toml, below [tool.circles]. Exit with 1 if a cycle
is not listed, or if a listed module is no longer in its cycle, so that the list only shrinks.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("app", "core", "robots")
Circle = frozenset[str]


def circles(imports: Mapping[str, Iterable[str]]) -> list[Circle]:
    """Return the strongly connected components of two or more modules (Tarjan's algorithm).

    `imports` maps every module to those that it imports, which must be keys as well.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[Circle] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in imports[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            at = stack.index(module)
            component = frozenset(stack[at:])
            del stack[at:]
            if len(component) > 1:
                found.append(component)

    for module in imports:
        if module not in index:
            visit(module)
    return found


def faults(found: Iterable[Circle], allowed: Iterable[Circle]) -> list[str]:
    """Return a sentence for each cycle that is not allowed, and for each allowance that is no longer
    needed."""
    found, allowed = list(found), list(allowed)
    said = [
        f"{names(circle)} import each other in a circle: move what they share into a module of its own."
        for circle in found
        if not any(circle <= listed for listed in allowed)
    ]
    for listed in allowed:
        freed = listed.difference(*(circle for circle in found if circle <= listed))
        if freed:
            said.append(f"{names(freed)}: no longer in that circle; shrink [tool.circles] in pyproject.toml.")
    return said


def names(modules: Iterable[str]) -> str:
    return ", ".join(sorted(modules))


def main() -> int:
    sys.path.insert(0, str(ROOT))
    sys.setrecursionlimit(10_000)
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {module: sorted(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["circles"]
    found = circles(imports)
    said = faults(found, map(frozenset, settings["allowed"]))
    for line in said:
        print(f"circles: {line}", file=sys.stderr)
    print(f"circles: {len(imports)} modules, {len(found)} circles, {len(said)} faults")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
