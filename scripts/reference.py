"""Write docs/reference.md from the program's own tables: `make reference`. A test checks it is up to date."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from app.cli.command_line import COMMANDS, load
from app.commands import COMMANDS as WINDOW_COMMANDS
from app.commands import key_of
from app.review.keys import KEYS
from core.config import Settings
from core.install_paths import DATA_FILES
from core.parameters import Parameter, parameters_of, parameters_of_fields
from core.plugins import PLUGINS_VARIABLE
from core.registry import Registries
from main import registries

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
HEAD = """# Commands, keys, files, settings and options

Made by `make reference` from the tables that the program itself uses. `python main.py COMMAND --help`
explains a command, `python main.py parts` prints the components with yours and with what each one lacks on
your machine ([components](parts.md)).
"""
OPTIONS_HEAD = """## Options of components

`run -o robot.arm=192.168.0.2` or the set-up dialog sets an option of an episode, and the log names it so;
`episodes export -o exporter.table=questions` sets one of an exporter.
"""


def page(found: Registries) -> str:
    """Return the whole page, as Markdown."""
    tables = [line for kind in found for line in _table(kind, found)]
    return "\n".join([HEAD, *_commands(), *_keys(), *_files(), *_settings(), OPTIONS_HEAD, *tables])


def _commands() -> Iterator[str]:
    yield from ("## Commands", "", "| command | what it does | its options |", "|---|---|---|")
    for name, (_, help) in COMMANDS.items():
        group = getattr(load(name), "commands", {})
        if not group:
            yield _command(name, help, load(name).params)
        for under, command in group.items():
            yield _command(f"{name} {under}", command.help.split("\n\n")[0], command.params)
    yield ""


def _command(name: str, help: str, params: Sequence[click.Parameter]) -> str:
    options = (max(param.opts, key=len) for param in params if param.param_type_name == "option")
    return f"| `{name}` | {help.replace(chr(10), ' ')} | {' '.join(f'`{option}`' for option in options)} |"


def _keys() -> Iterator[str]:
    yield from ("## Keys", "", "| key | in the window |", "|---|---|")
    yield from (f"| {key_of(c.id)} | {c.text}. {c.tooltip} |" for c in WINDOW_COMMANDS if c.key)
    yield from ("", "| key | in the review |", "|---|---|")
    yield from (f"| {printed} | {text}. {tip} |" for printed, text, tip in KEYS)
    yield ""


def _files() -> Iterator[str]:
    yield from ("## Files", "", "In your data folder, `~/.local/share/dkprompt-console/`. The first", "")
    yield from ("seven lie beside the log, wherever `--database` puts it.", "")
    yield from ("| name | what it is |", "|---|---|")
    yield from (f"| `{name}` | {what} |" for name, what in DATA_FILES.items())
    yield ""


def _settings() -> Iterator[str]:
    yield from ("## Settings of an episode", "", "`--max-steps` of `run` is the setting `max_steps`.", "")
    yield from ("| setting | takes | by default | |", "|---|---|---|---|")
    for s in parameters_of_fields(Settings):
        yield f"| `{s.name}` | {s.allowed_values} | {s.default} | {s.help} |"
    yield from ('| `options` | text by name | | Of the parts, such as `{"robot.slip": "0.5"}`. |', "")


def _table(kind: str, found: Registries) -> Iterator[str]:
    yield from (f"### {kind.capitalize()}", "", "| name | what it is |", "|---|---|")
    yield from (f"| `{e.name}` | {_cell(e.title, e.name)}{e.summary} |" for e in found[kind])
    yield ""
    whose: dict[Parameter, list[str]] = {}
    for entry in found[kind]:
        for option in parameters_of(entry.options):
            whose.setdefault(option, []).append(f"`{entry.name}`")
    if whose:
        yield from ("| option | takes | by default | | of |", "|---|---|---|---|---|")
    for option, names in whose.items():
        others = [f"`{e.name}`" for e in found[kind] if f"`{e.name}`" not in names]
        but = f"all but {', '.join(others)}" if others else "all"
        yield _option(found[kind].kind, option, ", ".join(names) if len(names) <= len(others) else but)
    yield ""


def _option(kind: str, option: Parameter, whose: str) -> str:
    takes = f"{option.allowed_values} | {option.default}"
    return f"| `{kind}.{option.name}` | {takes} | {option.help} | {whose} |"


def _cell(title: str, name: str) -> str:
    return "" if title.lower() == name else f"{title}. "


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as nothing:  # without plug-ins and the user's own files
        os.environ.update({PLUGINS_VARIABLE: "", "XDG_DATA_HOME": nothing})
        PAGE.write_text(page(registries()), encoding="utf-8")
        print(PAGE)
