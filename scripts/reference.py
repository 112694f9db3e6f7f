"""Write docs/reference.md from the registries: `make reference`. A test checks that it is up to date."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from core.config import Settings
from core.parameters import Parameter, parameters_of, parameters_of_fields
from core.plugins import PLUGINS_VARIABLE
from core.registry import Registries
from main import registries

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
HEAD = """# Settings, parts and their options

Made by `make reference` from `Settings` (`core/config.py`) and the tables that the program itself chooses
from: edit those.
`python main.py parts` prints the parts, with your own parts and what each one lacks on your machine.
How to add one: [parts](parts.md).

An option of an episode's part is set by `run -o robot.arm=192.168.0.2` or in the set-up dialog, and is
logged under the same name; one of an exporter by `episodes export -o exporter.table=questions`.
"""


def page(found: Registries) -> str:
    """Return the whole page, as Markdown."""
    return "\n".join([HEAD, *_settings(), *(line for kind in found for line in _table(kind, found))])


def _settings() -> Iterator[str]:
    yield from ("## Settings of an episode", "", "`--max-steps` of `run` is the setting `max_steps`.", "")
    yield from ("| setting | takes | by default | |", "|---|---|---|---|")
    for s in parameters_of_fields(Settings):
        yield f"| `{s.name}` | {s.allowed_values} | {s.default} | {s.help} |"
    yield from ('| `options` | text by name | | Of the parts, such as `{"robot.slip": "0.5"}`. |', "")


def _table(kind: str, found: Registries) -> Iterator[str]:
    yield from (f"## {kind.capitalize()}", "", "| name | what it is |", "|---|---|")
    yield from (f"| `{e.name}` | {_cell(e.title, e.name)}{e.summary} |" for e in found[kind])
    yield ""
    for options, same in groupby(found[kind], lambda entry: parameters_of(entry.options)):
        if options:
            names = [f"`{entry.name}`" for entry in same]
            which = "all of them" if len(names) == len(found[kind].names()) else ", ".join(names)
            yield from (f"Options of {which}:", "", "| option | takes | by default | |", "|---|---|---|---|")
            yield from (_option(found[kind].kind, option) for option in options)
            yield ""


def _option(kind: str, option: Parameter) -> str:
    return f"| `{kind}.{option.name}` | {option.allowed_values} | {option.default} | {option.help} |"


def _cell(title: str, name: str) -> str:
    return "" if title.lower() == name else f"{title}. "


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as nothing:  # without plug-ins and the user's own files
        os.environ.update({PLUGINS_VARIABLE: "", "XDG_DATA_HOME": nothing})
        PAGE.write_text(page(registries()), encoding="utf-8")
        print(PAGE)
