"""The command `docs`: the pages of docs/, and the shipped files that they tell you to copy."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from typer import Argument, Option

from app.cli.help_text import CommandLine
from app.cli.output.printing import PlainConsole, print_in_one_piece, print_page, print_text
from core.errors import BadValue, UnknownName
from core.install_paths import as_called_here, resource_path

cli = CommandLine()
DOCS = resource_path("docs")
SHIPPED = (DOCS / "examples", *map(resource_path, ("resources", "domains", "core", "app", "robots")))
NO_CACHES = shutil.ignore_patterns("__pycache__")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([\w/.-]+?)\.md(?:#[\w-]+)?\)")


@cli.command()
def docs(
    page: str = Argument("index", help="Its name, such as `ur5e`, or a file: `models/custom.toml`."),
    to: Path | None = Option(None, help="Copy the file, or a folder such as `domains/tabletop`, to here."),
) -> None:
    """Print a page of the documentation, or a shipped file, or copy that: `docs models/custom.toml --to
    mine.toml`.
    """
    file = shipped(page)
    if file is not None and (to is not None or file.is_file() or page not in pages()):
        if to is not None:
            copy(file, to)
        elif file.is_file():
            sys.stdout.write(file.read_text("utf-8"))
        else:
            names = sorted(p.name for p in file.iterdir() if p.name != "__pycache__")
            print_text(f"A folder of {', '.join(names)}: copy it with --to.")
        return
    text = page_text(page)
    if sys.stdout.isatty():
        print_page(PlainConsole(), text)
    else:
        print_in_one_piece(PlainConsole(), text)


def pages() -> dict[str, Path]:
    """Return the pages by name: `ur5e`, `results/paper`."""
    return {str(p.relative_to(DOCS).with_suffix("")): p for p in sorted(DOCS.rglob("*.md"))}


def page_text(name: str) -> str:
    """Return a page with commands and links as they are called here. Raises UnknownName."""
    found = pages()
    name = name.partition("#")[0].removeprefix("docs/").removesuffix(".md")
    if name not in found:
        raise UnknownName("page", name, tuple(found))
    folder, names = found[name].resolve().parent, {path.resolve(): name for name, path in found.items()}

    def linked(link: re.Match[str]) -> str:
        target = names.get((folder / f"{link[2]}.md").resolve())
        return f"{link[1]} (`docs {target}`)" if target else link[1]

    return as_called_here(_LINK.sub(linked, found[name].read_text("utf-8")))


def shipped(name: str) -> Path | None:
    """Return a file or a folder of SHIPPED, None for a page."""
    for folder in (resource_path(), resource_path("resources"), DOCS):
        path = (folder / name).resolve()
        inside = any(path.is_relative_to(top) for top in SHIPPED)
        if inside and path.exists() and path.suffix != ".md":
            return path
    return None


def copy(path: Path, to: Path) -> None:
    """Copy a file or a folder to a place that does not exist yet. Raises BadValue."""
    if to.exists():
        raise BadValue(f"{to} is there already: name another place.")
    try:
        shutil.copytree(path, to, ignore=NO_CACHES) if path.is_dir() else shutil.copy(path, to)
    except OSError as error:
        raise BadValue(f"{to} cannot be written ({error.strerror}): name another place.") from error
    print_text(f"Copied to {to}.")
