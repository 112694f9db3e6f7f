"""The games by name, with their rules, words and reference files in `resources/grids`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.drafting.world import Cell, Game, World
from core.errors import BadFile
from core.install_paths import resource_path
from core.planning.pddl.reader import read_domain
from core.plugins import plugin_entries
from robots.grids.lake import frozenlake, lake_shown, maze
from robots.grids.overcooked import overcooked, overcooked_shown
from robots.grids.package import package, package_shown
from robots.grids.printer import printer, printer_shown
from robots.grids.sokoban import sokoban, sokoban_shown
from robots.scenes.assembly import assembly
from robots.scenes.multirob import multirob

FOLDER = resource_path("resources", "grids")
FACING = ("up", "right", "down", "left")
Make = Callable[[int, int], World]
Shown = Callable[[str, Mapping[Cell, str]], World]
_GAMES: dict[str, tuple[Make, Shown, Sequence[int], tuple[str, ...]]] = {
    "frozenlake": (frozenlake, lake_shown, range(3, 9), ("floor", "hole", "agent", "goal")),
    "maze": (maze, lake_shown, range(5, 9), ("floor", "wall", "agent", "goal")),
    "sokoban": (sokoban, sokoban_shown, range(5, 9), ("floor", "wall", "agent", "goal", "box")),
    "package": (package, package_shown, range(4, 9), ("floor", "package", *FACING, "open")),
    "printer": (printer, printer_shown, range(4, 9), ("floor", "desk", *FACING, "printer", "running")),
    "overcooked": (
        overcooked,
        overcooked_shown,
        range(5, 9),
        ("floor", "counter", "board", "delivery", "lettuce", "tomato", "plate", "player-1", "player-2"),
    ),
}
SIX = tuple(_GAMES)
SCENES: dict[str, tuple[Make, Sequence[int]]] = {
    "assembly": (assembly, range(4, 9)),
    "multirob": (multirob, range(3, 6)),
}  # in 3-D: blocks, and cells a side


@dataclass(frozen=True, config=FILE)
class _GameFile:
    rules: str
    verbs: dict[str, str]
    note: str = ""


@cache
def games() -> dict[str, Game]:
    """Return the games by name, ours and those of plug-ins. Raises BadFile."""
    found = {name: _game(name, *made) for name, made in _GAMES.items()}
    found |= {name: _game(name, make, None, sizes, ()) for name, (make, sizes) in SCENES.items()}
    for source, game in plugin_entries("games"):
        if not isinstance(game, Game) or game.name in found:
            raise BadFile(source, f"gives {game!r} as a game, which is none, or has the name of another")
        found[game.name] = game
    return found


def _game(name: str, make: Make, shown: Shown | None, sizes: Sequence[int], kinds: tuple[str, ...]) -> Game:
    file = load_toml(FOLDER / name / "game.toml", _GameFile)
    reference = read_domain(FOLDER / name / "domain.pddl")
    return Game(name, file.rules.strip(), file.verbs, reference, sizes, make, kinds, file.note, shown)
