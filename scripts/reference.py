"""Write docs/reference.md from the program's own tables: `make reference`. A test checks it is up to date."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import click

from app.cli.command_line import COMMANDS, load
from app.commands import COMMANDS as WINDOW_COMMANDS
from app.commands import with_keys
from app.review.keys import PLAY, REVIEW
from core.config import Settings
from core.install_paths import CONFIG_FILES, DATA_FILES
from core.parameters import Parameter, parameters_of, parameters_of_fields
from core.plugins import PLUGINS_VARIABLE
from core.registry import Registries
from main import registries

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
HEAD = """# Commands, keys, files, settings and options

Made by `make reference` from the program's own tables. `python main.py COMMAND --help` explains a command;
`python main.py parts` lists the components, yours too, and what each lacks here ([components](parts.md)).
The default stands in brackets.
"""
OPTIONS_HEAD = """## Options of components

`run -o robot.arm=192.168.0.2` or the set-up dialog sets an option of an episode,
`episodes export -o exporter.table=questions` one of an exporter.
"""


def page(found: Registries) -> str:
    """Return the whole page, as Markdown."""
    kinds = [line for kind in found for line in _kind(kind, found)]
    return "\n".join([HEAD, *_commands(), *_keys(), *_files(), *_settings(), OPTIONS_HEAD, *kinds])


def _commands() -> Iterator[str]:
    yield from ("## Commands", "")
    for name, (_, help) in COMMANDS.items():
        group = getattr(load(name), "commands", {})
        if not group:
            yield _command(name, help, load(name).params)
        for under, command in group.items():
            yield _command(f"{name} {under}", command.help.split("\n\n")[0], command.params)
    yield ""


def _command(name: str, help: str, params: Sequence[click.Parameter]) -> str:
    options = [f"`{max(p.opts, key=len)}`" for p in params if p.param_type_name == "option"]
    return " ".join([f"- `{name}`: {help.replace(chr(10), ' ')}", *options])


def _keys() -> Iterator[str]:
    yield from ("## Keys", "", "In the window:", "")
    yield from (f"- **{c.key}** {c.text}. {c.tooltip}" for c in with_keys(WINDOW_COMMANDS))
    yield from ("", "In the review:", "")
    yield from (f"- **{c.key}** {c.text}. {c.tooltip}" for c in with_keys((*PLAY, *REVIEW)))
    yield ""


def _files() -> Iterator[str]:
    yield from ("## Files", "", "In your data folder, `~/.local/share/dkprompt-console/`.")
    yield from ("The first eight lie beside the log, wherever `--database` puts it.", "")
    yield from (f"- `{name}`: {contents}" for name, contents in DATA_FILES.items())
    yield from ("", "In your configuration folder, `~/.config/dkprompt-console/`:", "")
    yield from (f"- `{name}`: {contents}" for name, contents in CONFIG_FILES.items())
    yield ""


def _settings() -> Iterator[str]:
    yield from ("## Settings of an episode", "", "`--max-steps` of `run` is the setting `max_steps`.", "")
    yield from (_option(s.name, s) for s in parameters_of_fields(Settings))
    yield from ('- `options`, text by name: Of the parts, such as `{"robot.slip": "0.5"}`.', "")


def _kind(kind: str, found: Registries) -> Iterator[str]:
    """Return the entries of a kind, and their options by the entries that have them."""
    yield from (f"### {kind.capitalize()}", "")
    for about, entries in groupby(found[kind], lambda e: e.summary.partition(": ")[0]):
        same = list(entries)  # "Simulated from the truth" of many is written once
        cut = f"{about}: " if len(same) > 2 else ""
        yield from (f"{cut}".rstrip(), "") if cut else ()
        yield from (f"- `{e.name}`: {_cell(e.title, e.name)}{e.summary.removeprefix(cut)}" for e in same)
        yield from ("", "Others:", "") if cut else ()
    yield ""
    whose: dict[Parameter, list[str]] = {}
    for entry in found[kind]:
        for option in parameters_of(entry.options):
            whose.setdefault(option, []).append(f"`{entry.name}`")
    for names, options in groupby(whose, whose.__getitem__):
        others = [f"`{e.name}`" for e in found[kind] if f"`{e.name}`" not in names]
        but = f"all but {', '.join(others)}" if others else "all"
        yield from (f"Options of {', '.join(names) if len(names) <= len(others) else but}:", "")
        yield from (_option(f"{found[kind].kind}.{option.name}", option) for option in options)
        yield ""


def _option(name: str, option: Parameter) -> str:
    default = f" [{option.default}]" if option.default else ""
    return f"- `{name}`, {option.allowed_values}{default}: {option.help}"


def _cell(title: str, name: str) -> str:
    return "" if title.lower() == name else f"{title}. "


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as nothing:  # without plug-ins and the user's own files
        os.environ.update({PLUGINS_VARIABLE: "", "XDG_DATA_HOME": nothing})
        PAGE.write_text(page(registries()), encoding="utf-8")
        print(PAGE)
