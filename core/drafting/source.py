"""What a draft is made from: a map with its picture, who drafts, and who says what steps do.

Which map a picture shows is read from its cells, by the looks that are known, else by a person's names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from core.data_file import read_bytes
from core.drafting.rounds import Ask, prompt
from core.drafting.simulated import SimulatedDrafter
from core.drafting.simulator import ModelSimulator, Simulator, WorldSimulator
from core.drafting.world import Cell, Game, Games, State, World, name_of_cells
from core.errors import AnswererError, BadValue
from core.pictures import blank_frame, decode_picture, frame_of_picture
from core.planning.domain_library import domain_names
from core.ports import BoundingBox, ChatMessage, Frame, RgbImage
from core.stop_token import StopToken
from core.text.plural import plural
from core.vqa.grid_reader.grid_reader import SIZES, UNKNOWN, Grid, Look, read_grid
from core.vqa.registry import ModelSettings, answerer_names, asks_model, language_model

CAMERA = "picture"
PHOTOGRAPH = "photograph"
TABLE = "tabletop"  # the template that comes first
SIMULATED, NOBODY = "simulated drafter", "no model: the template"  # who drafts without an answerer
SIMULATING = ("scene", "simulate")  # what the simulating model is asked
REMEMBERED = ("map", "origin", "answerer", "simulator", "template", "objects", "goal")
MOST_BYTES = 50_000_000
NAMING_SEEDS, NAMING, FEW = 500, 16, 3  # maps from which the kinds of a look are named; of the room, few
NARROW = 0.1  # of a picture, the least that a grid takes up


Sides = tuple[float, float, float, float]  # left, top, right and bottom, in shares of a picture
WHOLE: Sides = (0.0, 0.0, 1.0, 1.0)


class Paint(Protocol):
    def __call__(self, game: Game, world: World, look: str, state: State | None = None) -> bytes:
        """Return the PNG of a world in a look, at first or in a state; b"" where nothing can be painted."""


class Against(Enum):
    """With what a draft is compared; its value names it."""

    WORLD = "world"
    MODEL = "model"
    TEMPLATE = "template"  # of which the person wrote what holds at first


@dataclass(frozen=True)
class DraftSource:
    """As `draft` takes it: `answerer` "" is a simulated model, `simulator` "" the world."""

    map: str = "frozenlake-4-0"
    answerer: str = ""
    simulator: str = ""
    picture: Path | None = None
    look: str = "ice"
    seed: int = 0
    size: int = 0  # cells a side of the picture; 0: found
    sides: Sides = WHOLE  # of the grid on it
    template: str = ""  # of a photograph: the domain folder whose types, actions and words are used
    objects: str = ""  # on it, as "red-block - block, table - place"
    goal: str = ""
    boxes: tuple[BoundingBox, ...] = ()  # of its objects, in shares of its width and height
    origin: str = ""  # the map whose cells a person changed
    before: DraftSource | None = None  # it was changed in the picture

    @property
    def game(self) -> str:
        """Return the game of the map, PHOTOGRAPH for a photograph."""
        return PHOTOGRAPH if self.template else self.map.rsplit("-", 2)[0]

    @property
    def lent(self) -> bool:
        """Return True for a photograph from which no model drafts: the template does."""
        return bool(self.template) and not self.answerer

    @property
    def against(self) -> Against:
        """Return who says what steps do."""
        if self.simulator or (self.template and self.answerer):
            return Against.MODEL
        return Against.TEMPLATE if self.template else Against.WORLD

    def of_picture(self, file: str) -> DraftSource:
        """Return it with another picture, "" for a painted one, on which nothing is drawn yet."""
        picture = Path(file).expanduser() if file else None
        return (
            self if picture == self.picture else replace(self, picture=picture, size=0, sides=WHOLE, boxes=())
        )

    def changed(self, game: str, picture: str, template: str, **given: Any) -> DraftSource:
        """Return it as a person changed it. A box follows a corrected name, and goes with one that went."""
        lends = template if game == PHOTOGRAPH else ""
        made = replace(self.of_picture(picture), template=lends, before=None, **given)
        alike = zip(self.names, made.names, strict=True) if len(self.names) == len(made.names) else ()
        now = {old: new for old, new in alike if new not in self.names} | {name: name for name in made.names}
        kept = (replace(box, name=now[box.name]) for box in made.boxes if box.name in now)
        return replace(made, boxes=tuple(kept))

    def cut(self, size: int, sides: Sides) -> DraftSource:
        """Return it with so many cells a side (0: found) between these sides; painted, a map of that size."""
        _, old, seed = self.map.rsplit("-", 2)
        new = replace(self, before=self, map=f"{self.game}-{size or old}-{seed if seed.isdecimal() else 0}")
        return replace(new, size=size, sides=sides) if self.picture is not None else new

    @property
    def names(self) -> list[str]:
        """Return the names of a photograph's objects."""
        parts = (part.partition(" - ")[0].strip() for part in self.objects.lower().split(","))
        return [name for name in parts if name]

    @property
    def remembered(self) -> dict[str, str]:
        """Return what the room opens with the next time."""
        return {name: str(getattr(self, name) or "") for name in (*REMEMBERED, "picture", "drawn")}

    @staticmethod
    def again(remembered: Mapping[str, str]) -> DraftSource:
        """Return what was remembered, the usual source if that is nothing, or cannot be read."""
        kept: dict[str, Any] = {name: remembered.get(name, "") for name in REMEMBERED}
        picture = remembered.get("picture")
        try:
            last = DraftSource(**kept, picture=Path(picture) if picture else None)
            return last.with_drawn(remembered.get("drawn", "")) if last.map else DraftSource()
        except (ValueError, TypeError):
            return DraftSource()

    @property
    def drawn(self) -> str:
        """Return the boxes as the log has them."""
        return "; ".join(f"{b.name} {b.left} {b.top} {b.right} {b.bottom}" for b in self.boxes)

    def settings(self, frame: Frame) -> dict[str, str]:
        """Return as the log has it what a draft from this picture depends on."""
        found = {"map": self.map, "room": "yes", "answerer": self.answerer, "simulator": self.simulator}
        found |= {"seed": str(self.seed), "picture": frame.id}
        if self.template:
            found |= {"template": self.template, "objects": self.objects, "goal": self.goal}
            found["boxes"] = self.drawn
        return found

    def with_drawn(self, text: str) -> DraftSource:
        """Return it with the boxes of such a text."""
        parts = (part.split() for part in text.split("; ") if part)
        return replace(self, boxes=tuple(BoundingBox(name, *map(float, sides)) for name, *sides in parts))

    def with_box(self, drawn: BoundingBox, name: str = "") -> DraftSource:
        """Return it with this box for the named object, else the next one that has none, else the nearest.
        One without any extent takes away those that it lies in.
        """
        if drawn.left == drawn.right:
            x, y = drawn.left, drawn.top
            kept = (b for b in self.boxes if not (b.left < x < b.right and b.top < y < b.bottom))
            return replace(self, before=self, boxes=tuple(kept))
        boxes = {box.name: box for box in self.boxes}

        def away(name: str) -> float:
            box = boxes.get(name)
            return abs(box.left - drawn.left) + abs(box.top - drawn.top) if box else -1.0

        name = name if name in self.names else min(self.names, key=away, default="")
        boxes[name] = replace(drawn, name=name)
        ordered = tuple(boxes[one] for one in self.names if one in boxes)
        return replace(self, before=self, boxes=ordered)


@dataclass(frozen=True)
class Choices:
    """What can be drafted from: a small map of each game, who drafts, and the domains."""

    maps: dict[str, str]
    drafters: Mapping[str, str] = field(default_factory=dict)  # by how each is called
    templates: Sequence[str] = ()


@dataclass(frozen=True)
class DraftingTools:
    """What the room is given by the program."""

    games: Callable[[], Games]
    paint: Paint
    looks: tuple[str, ...] = ()  # in which maps are painted

    def choices(self) -> Choices:
        """Return what can be chosen now. Reads files."""
        games = self.games()
        names = sorted(games, key=lambda name: (name.rstrip("0123456789"), len(name), name))  # r2 before r10
        maps = {name: f"{name}-{min(games[name].sizes)}-0" for name in names}
        maps |= {DraftSource().game: DraftSource().map}  # the smallest of the lake has no hole
        models = {name: name for name in filter(asks_model, answerer_names())}
        templates = sorted(domain_names(), key=lambda name: name != TABLE)
        return Choices(maps, {SIMULATED: "", **models}, templates)


def frame_of(paint: Paint, game: Game, world: World, source: DraftSource) -> Frame:
    """Return what a model is shown: the given picture, else the world's. Raises BadFile, BadValue."""
    if source.picture is not None:
        return picture_of(source.picture)
    if source.template:
        raise BadValue("Name the file with the photograph.")
    png = paint(game, world, source.look)
    return frame_of_picture(png, CAMERA, 0.0, "") if png else blank_frame(CAMERA, 0.0, "")


def picture_of(file: Path) -> Frame:
    """Return a picture in a file. Raises BadFile, BadValue."""
    return frame_of_picture(read_bytes(file, MOST_BYTES), CAMERA, 0.0, "")


def drafter_of(
    game: Game, world: World, source: DraftSource, frame: Frame, cancel: StopToken
) -> tuple[str, Ask]:
    """Return who drafts, and how it and the simulating model are asked."""
    if source.answerer:
        drafts, name = model_ask(source.answerer, frame.png, cancel)
    elif source.template:
        drafts, name = _nobody, f"template {source.template}"
    else:
        drafts, name = SimulatedDrafter(game, world, source.seed).ask, SIMULATED
    judges = model_ask(source.simulator, frame.png, cancel)[0] if source.simulator else drafts

    def ask(purpose: str, prompt: str) -> str:
        return (judges if purpose in SIMULATING else drafts)(purpose, prompt)

    return name, ask


def simulator_of(game: Game, world: World, source: DraftSource, ask: Ask) -> Simulator:
    """Return who says what steps do."""
    if source.against is not Against.MODEL:
        return WorldSimulator(world)
    return ModelSimulator(
        world.words, lambda purpose, **values: ask(purpose, prompt(purpose, game, **values))
    )


def _nobody(purpose: str, prompt: str) -> str:
    raise BadValue("No model was chosen: write what is to change, or choose a model that drafts.")


class ModelDrafter:
    """A real model that drafts from one picture, as `SimulatedDrafter` does."""

    def __init__(self, game: Game, answerer: str, png: bytes) -> None:
        self._game, (self.ask, self.name) = game, model_ask(answerer, png)

    def new_problem(self, world: World, finished: str) -> str:
        """Return the reply with the problem of another map, after the finished problem of the draft."""
        values = {"problem": finished, "scene": world.scene, "map": world.name}
        return self.ask("new problem", prompt("new problem", self._game, **values))


def model_ask(answerer: str, png: bytes, cancel: StopToken | None = None) -> tuple[Ask, str]:
    """Return how a model is asked about a picture, until `cancel`, and its name. Raises UnknownName, BadFile.

    What it returns raises AnswererError, for a reply that was cut off, too.
    """
    model = language_model(answerer, ModelSettings())
    ended = cancel or StopToken()

    def ask(purpose: str, text: str) -> str:
        reply = model.ask([ChatMessage("user", text)], [png] if png else [], ended)
        if reply.finish_reason == "length":
            raise AnswererError(
                f"The reply of {model.name} to the prompt {purpose!r} was cut off: give it more max_tokens."
            )
        return reply.text

    return ask, model.name


@dataclass(frozen=True)
class Seams:
    """The seams of `size` x `size` cells between the sides of a grid; `size` 0 is no grid."""

    size: int = 0
    sides: Sides = WHOLE

    @property
    def cells(self) -> Iterator[Cell]:
        return ((row, column) for row in range(1, self.size + 1) for column in range(1, self.size + 1))

    def sides_of(self, cell: Cell) -> Sides:
        """Return the sides of a cell."""
        left, top, right, bottom = self.sides
        wide, high, (row, column) = (right - left) / self.size, (bottom - top) / self.size, cell
        x, y = left + (column - 1) * wide, top + (row - 1) * high
        return x, y, x + wide, y + high

    def near(self, place: tuple[float, float], reach: tuple[float, float]) -> tuple[int, int] | None:
        """Return the seam near a place, an edge before others: 0 for upright, 1 for level, and its number."""
        found = list[tuple[int, int]]()
        for axis in (0, 1):
            low, side = self.sides[axis], (self.sides[axis + 2] - self.sides[axis]) / self.size
            number = round((place[axis] - low) / side)
            if abs(place[axis] - low - number * side) < reach[axis]:
                found.append((axis, number))
        return min(found, key=lambda one: one[1] not in (0, self.size), default=None)

    def dragged(self, place: tuple[float, float], axis: int, number: int) -> Seams:
        """Return them with a seam dragged there: an edge moves, one between makes cells larger or smaller."""
        sides, size, share = list(self.sides), self.size, place[axis]
        low, high = sides[axis], sides[axis + 2]
        if number == 0:
            sides[axis] = min(share, high - NARROW)
        elif number == size:
            sides[axis + 2] = max(share, low + NARROW)
        else:
            size = max(SIZES[0], min(round(number * (high - low) / max(share - low, 0.01)), SIZES[-1]))
        return Seams(size, (sides[0], sides[1], sides[2], sides[3]))

    def cut(self, rgb: RgbImage) -> RgbImage:
        """Return what of a picture lies between the sides."""
        left, top, right, bottom = self.sides
        high, wide = rgb.shape[:2]
        return rgb[round(top * high) : round(bottom * high), round(left * wide) : round(right * wide)]


@dataclass(frozen=True)
class Unnamed:
    """A picture of which some kinds of cells have no name yet, which is ""."""

    source: DraftSource
    game: Game
    frame: Frame
    grid: Grid
    names: tuple[str, ...]  # of the groups of like cells

    @property
    def cells(self) -> dict[Cell, str]:
        return self.grid.cells(self.names)

    @property
    def advice(self) -> str:
        """Return what a person should do about it."""
        kinds = plural(self.names.count(""), "kind")
        return f"{kinds} of cells to name: choose a kind, then click on one of the outlined cells."

    @property
    def read(self) -> Unnamed | DraftSource:
        """Return the map that it shows, if each kind has a name."""
        return self if "" in self.names else replace(self.source, map=name_of_cells(self.game, self.cells))

    def with_kind(self, cell: Cell, kind: str) -> Unnamed | DraftSource:
        """Return what is read once the whole group of a cell is named."""
        group = self.grid.groups[(cell[0] - 1) * self.grid.size + cell[1] - 1]
        return replace(self, names=(*self.names[:group], kind, *self.names[group + 1 :])).read


def map_shown(tools: DraftingTools, source: DraftSource) -> Unnamed | DraftSource:
    """Return the source with the map that its picture shows, if it has one of a game. Raises ConsoleError."""
    game = tools.games().get(source.game)
    if source.picture is None or "-c" in source.map or game is None:
        return source
    frame = picture_of(source.picture)
    if game.shown is None:
        raise BadValue(f"No map of {game.name} can be read from a picture: choose one by its name.")
    if frame.rgb is None:
        raise BadValue("There is no picture to read.")
    sizes = (source.size,) if source.size else tuple(n for n in SIZES if n in game.sizes)
    rgb = Seams(source.size, source.sides).cut(frame.rgb)
    for known in (*(known_look(tools, game.name, look, FEW) for look in tools.looks), UNKNOWN):
        grid = read_grid(rgb, sizes, known)
        if None not in grid.names:
            break
    return Unnamed(source, game, frame, grid, tuple(name or "" for name in grid.names)).read


@lru_cache(64)
def known_look(tools: DraftingTools, game: str, look: str, maps: int = NAMING) -> Look:
    """Return a look after one name a kind of cell, each asked about where it is first seen."""
    known, of = UNKNOWN, tools.games()[game]
    for seed in () if of.read else range(maps):
        world = of.make(of.sizes[0], NAMING_SEEDS + seed)
        grid = read_grid(decode_picture(tools.paint(of, world, look)), known=known)
        if grid.size == world.size:
            cells, named = world.cells(world.first), zip(grid.names, grid.examples, strict=True)
            known = {**known, **grid.named([name or cells[example] for name, example in named])}
    return known


def seen_world(game: Game, name: str, picture: RgbImage, known: Look) -> World | None:
    """Return the map that a picture shows; None: a kind of cell has no name. Raises BadValue."""
    if game.read is not None:
        return game.read(name, picture)
    grid = read_grid(picture, known=known)
    names = [name for name in grid.names if name is not None]
    whole = len(names) == len(grid.names)
    return game.shown(name, grid.cells(names)) if whole and game.shown else None
