"""The games by name, with their rules, words and reference files in `resources/grids`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.drafting.world import Cell, Game, State, World
from core.errors import BadFile
from core.install_paths import resource_path
from core.planning.pddl.reader import read_domain
from core.plugins import plugins
from core.ports import RgbImage
from core.registry import late
from robots.grids.lake import frozenlake, lake_shown, maze
from robots.grids.lake_rules import references, ruled_lake, ruled_lake_shown
from robots.grids.overcooked import overcooked, overcooked_shown
from robots.grids.sokoban import sokoban, sokoban_shown
from robots.grids.turning import package, package_shown, printer, printer_shown
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
UNDRAFTED = "Its reference has derived predicates, which no call of the paper's two functions can write."
SCENES: dict[str, tuple[Make, Sequence[int]]] = {
    "assembly": (assembly, range(4, 9)),
    "multirob": (multirob, range(3, 6)),
}  # in 3-D: blocks, and cells a side


def picture(game: Game, world: World, state: State, look: str) -> RgbImage:
    """Return a picture of a state of a world; in 3-D a sheet of views. Raises RobotError without OpenGL."""
    if game.paint is not None:
        return game.paint(world, state, look)
    from robots.grids.painter import paint

    return paint(world.cells(state), game.kinds, look, 64)


@dataclass(frozen=True, config=FILE)
class _GameFile:
    rules: str
    verbs: dict[str, str]
    note: str = ""


@cache
def games() -> dict[str, Game]:
    """Return the games by name, ours and those of plug-ins. Raises BadFile."""
    found = {name: _game(name, *made) for name, made in _GAMES.items()}
    for name, (make, sizes) in SCENES.items():
        paint = late(f"robots.scenes.{name}_scene:{name}_picture")
        read = late(f"robots.scenes.read_{name}:read_{name}")
        found[name] = replace(_game(name, make, None, sizes, ()), paint=paint, read=read)
    for rule, (says, reference, _) in references().items():
        lake, name = found["frozenlake"], f"frozenlake-{rule}"
        verbs = {action.name: _verb(action.name) for action in reference.actions}
        rules = f"{lake.rules.partition(', and stepping')[0]}. {says}"
        make = partial(ruled_lake, rule)
        note = UNDRAFTED if reference.axioms else ""
        found[name] = Game(
            name, rules, verbs, reference, lake.sizes, make, lake.kinds, note, ruled_lake_shown
        )
    for plugin in plugins("games"):
        game = plugin.entry
        if isinstance(game, BadFile):
            raise game
        if not isinstance(game, Game) or game.name in found:
            raise BadFile(plugin.source, f"gives {game!r} as a game, which is none, or has another's name")
        found[game.name] = game
    return found


def _game(name: str, make: Make, shown: Shown | None, sizes: Sequence[int], kinds: tuple[str, ...]) -> Game:
    file = load_toml(FOLDER / name / "game.toml", _GameFile)
    reference = read_domain(FOLDER / name / "domain.pddl")
    return Game(name, file.rules.strip(), file.verbs, reference, sizes, make, kinds, file.note, shown)


def _verb(action: str) -> str:
    name, _, way = action.rpartition("-")
    return f"{name if name == 'rocket' else 'move'} {way}"
