"""`read-grid`: what a picture of a grid shows, cell by cell."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer
from pydantic.dataclasses import dataclass as checked
from typer import Option

from app.cli.help_text import CommandLine
from app.cli.options import Json
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, ask, print_line
from core.data_file import FILE, load_json, read_bytes, write_text
from core.errors import BadValue
from core.pictures import decode_picture, encode_png
from core.ports import ChatMessage, Model, RgbImage
from core.stop_token import StopToken
from core.vqa.grid_reader.grid_reader import SIZES, UNKNOWN, Grid, Look, read_grid

MOST_BYTES = 50_000_000
CROP = 128  # pixels of the cell that a model is shown
cli = CommandLine()


@dataclass(frozen=True)
class GridRead:
    """What `--json` prints of one picture; a cell without a name is null."""

    picture: str
    size: int
    rows: tuple[tuple[str | None, ...], ...]
    unnamed: tuple[tuple[int, int], ...]  # one cell of each group without a name: row and column


@checked(frozen=True, config=FILE)
class LookFile:
    """The names of a look, each with the mean colours of its cells, as `Look` has them."""

    colours: dict[str, list[float]]


@cli.command("read-grid")
def read_grid_pictures(
    pictures: list[Path] = typer.Argument(metavar="PICTURE...", help="Each cut to its grid."),
    look: Path | None = Option(None, metavar="FILE", help="Where the look's names are kept, as JSON."),
    names: str = Option("", help="Of the groups of the first picture that have none, by commas, in order."),
    answerer: str = Option("", help="A model that names the groups, from one cell of each; as of `run`."),
    size: int | None = Option(None, min=2, max=16, help="Cells a side; by default 3 to 8 are tried."),
    as_json: Json = False,
) -> None:
    """Read pictures of a grid: its size, and what is in each cell.

    No network is trained or asked. Cells that look alike form a group, and each group is named once a
    look: by --names, by a model that sees one cell of it, or by you, if you are at a terminal. With --look,
    the names are kept, and other pictures of the same look need no name, whatever their light, size and
    noise. A group that is like nothing known is asked about, or left without a name; it is never guessed.

    Exit 0: every cell has a name. 1: some have none. 2: a picture shows no grid, or the input is wrong.
    """
    known, console, found = _load(look), PlainConsole(), list[GridRead]()
    given = iter(name.strip() for name in names.split(",") if name.strip())
    for picture in pictures:
        rgb = decode_picture(read_bytes(picture, MOST_BYTES))
        grid = read_grid(rgb, SIZES if size is None else (size,), known)
        named = list(grid.names)
        name_of = _asker(answerer, rgb, grid, known, as_json)
        for group, (row, column) in enumerate(grid.examples):
            if named[group] is None:
                named[group] = next(given, None) or name_of(row, column)
        known = {**known, **grid.named(named)}
        found.append(_read(picture, grid, named))
        if not as_json:
            _print(console, found[-1])
    if look is not None:
        colours = {name: [round(float(v), 1) for v in mean] for name, mean in known.items()}
        write_text(look, LookFile.__pydantic_serializer__.to_json(LookFile(colours)).decode() + "\n")  # type: ignore[attr-defined]
    if as_json:
        print_json(found)
    raise typer.Exit(any(one.unnamed for one in found))


def _load(look: Path | None) -> Look:
    if look is None or not look.exists():
        return UNKNOWN
    means = load_json(look, LookFile, "Name another file with --look").colours
    if any(len(mean) != 192 for mean in means.values()):
        raise BadValue(f"{look} is no look: name another file with --look.")
    return {name: np.array(mean) for name, mean in means.items()}


def _asker(
    answerer: str, rgb: RgbImage, grid: Grid, known: Look, quiet: bool
) -> Callable[[int, int], str | None]:
    """Return what names a cell: a model, the person at the terminal, or nobody."""
    if answerer:
        from core.vqa.registry import ModelSettings, language_model

        model = language_model(answerer, ModelSettings())
        return lambda row, column: _asked(model, rgb, grid.size, row, column, list(known))
    if quiet or not sys.stdin.isatty():
        return lambda row, column: None
    console = PlainConsole(stderr=True)
    return lambda row, column: ask(console, f"What is in row {row}, column {column}") or None


def _asked(model: Model, rgb: RgbImage, size: int, row: int, column: int, known: list[str]) -> str | None:
    """Return a model's name for what a cell shows."""
    import cv2

    high, wide = rgb.shape[0] / size, rgb.shape[1] / size
    crop = rgb[round((row - 1) * high) : round(row * high), round((column - 1) * wide) : round(column * wide)]
    png = encode_png(np.asarray(cv2.resize(crop, (CROP, CROP)), np.uint8))
    also = f" Known so far: {', '.join(known)}." if known else ""
    text = (
        f"This is one cell of a game on a grid. Name what it shows in one or two words, nothing else.{also}"
    )
    words = model.ask([ChatMessage("user", text)], [png], StopToken()).text.strip().lower().strip(".\"'")
    return words if 0 < len(words) <= 30 and "\n" not in words else None


def _read(picture: Path, grid: Grid, names: list[str | None]) -> GridRead:
    size, cells = grid.size, [names[group] for group in grid.groups]
    rows = tuple(tuple(cells[row * size : (row + 1) * size]) for row in range(size))
    unnamed = tuple(cell for cell, name in zip(grid.examples, names, strict=True) if name is None)
    return GridRead(str(picture), size, rows, unnamed)


def _print(console: PlainConsole, read: GridRead) -> None:
    print_line(console, f"{read.picture}: {read.size} x {read.size} cells")
    wide = max(len(name or "?") for row in read.rows for name in row)
    for row in read.rows:
        print_line(console, "  " + "  ".join((name or "?").ljust(wide) for name in row).rstrip())
    for row_, column in read.unnamed:
        print_line(
            console, f"Nothing known is like row {row_}, column {column}: name it with --names.", "yellow"
        )
