"""HTML pages to read or print, from templates: no script, no link, embedded pictures.

Whatever a template is given is sanitised and escaped, unless it is markup of ours (`Markup`).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from hashlib import sha256
from importlib import resources
from typing import Any, LiteralString, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from core.text.untrusted_text import sanitise

MAX_CHARS = 200_000  # of one value; longer ones are truncated


class Section(NamedTuple):
    heading: str
    body: Markup
    note: str = ""


def _shown(value: object) -> Markup | str | float:
    return value if isinstance(value, Markup | int | float) else sanitise(value, MAX_CHARS)


_ENVIRONMENT = Environment(
    loader=PackageLoader("core", ""),
    autoescape=True,
    finalize=_shown,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(template: str, title: str, wide: bool = False, **values: object) -> str:
    """Return a whole page with the style of all reports. `template` is a file in `core`."""
    style = resources.files(__package__).joinpath("html_page.css").read_text("utf-8")
    own = base64.b64encode(sha256(style.encode()).digest()).decode()
    rules = ("default-src 'none'", "img-src data:", f"style-src 'sha256-{own}'", "base-uri 'none'")
    policy = Markup("; ".join((*rules, "form-action 'none'")))  # allows only the page's pictures and style
    return _ENVIRONMENT.get_template(template).render(
        title=title, wide=wide, style=Markup(style), policy=policy, **values
    )


def macros(template: str) -> Any:
    """Return the macros of a template, each a function that returns markup."""
    return _ENVIRONMENT.get_template(template).module


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> Markup:
    drawn: Markup = macros("text/html_parts.html").table(heads, rows)
    return drawn


def markup(pattern: LiteralString, *values: object) -> Markup:
    """Fill the braces of our own markup with values."""
    return Markup(pattern).format(*map(_shown, values))


def joined(parts: Iterable[object], between: LiteralString = "") -> Markup:
    return Markup(between).join(markup("{}", part) for part in parts)


def dim(value: object) -> Markup:
    return markup('<span class="dim">{}</span>', value)
