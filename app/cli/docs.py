"""The command `docs`: the pages of docs/, and the shipped files that they tell you to copy."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rich.markdown import Markdown
from typer import Argument

from app.cli.help_text import CommandLine
from app.cli.output.printing import PlainConsole, print_in_one_piece
from core.errors import BadValue, UnknownName
from core.install_paths import as_called_here, resource_path
from core.text.untrusted_text import sanitise

cli = CommandLine()
DOCS, RESOURCES = resource_path("docs"), resource_path("resources")
_LINK = re.compile(r"\[([^\]]+)\]\(([\w/.-]+?)\.md(?:#[\w-]+)?\)")


@cli.command()
def docs(
    page: str = Argument("", help="Its name, such as `ur5e`, or a file: `models/custom.toml`."),
) -> None:
    """Print a page of the documentation, or a file to copy: `docs models/custom.toml > mine.toml`."""
    if not page:
        page = "index"
    if (file := shipped_file(page)) is not None:
        sys.stdout.write(file.read_text("utf-8"))
        return
    text = page_text(page)
    if sys.stdout.isatty():
        text = _LINK.sub(r"\1 (`docs \2`)", text)
        PlainConsole().print(Markdown(sanitise(text, sys.maxsize), hyperlinks=False))
    else:
        print_in_one_piece(PlainConsole(), text)


def pages() -> dict[str, Path]:
    """Return the pages by name: `ur5e`, `decisions/0003-gpl`."""
    return {str(p.relative_to(DOCS).with_suffix("")): p for p in sorted(DOCS.rglob("*.md"))}


def page_text(name: str) -> str:
    """Return a page with the commands as they are called here. Raises UnknownName."""
    found = pages()
    name = name.removeprefix("docs/").removesuffix(".md")
    if name not in found:
        raise UnknownName("page", name, tuple(found))
    return as_called_here(found[name].read_text("utf-8"))


def shipped_file(name: str) -> Path | None:
    """Return a file of resources/ or docs/examples/, None for a page. Raises BadValue for a picture."""
    name = name.removeprefix("resources/").removeprefix("docs/")
    for folder in (RESOURCES, DOCS):
        path = (folder / name).resolve()
        if path.is_file() and path.is_relative_to(folder) and path.suffix != ".md":
            if path.suffix not in (".toml", ".txt", ".py", ".pddl", ".json", ".csv"):
                raise BadValue(f"{path} is no text: copy it from there.")
            return path
    return None
