"""HTML pages to read or print: no script, no link, embedded pictures, and text that is escaped."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib import resources


class Html(str):
    """Markup of ours; all other text is escaped."""


def page(title: str, body: Iterable[str], wide: bool = False) -> str:
    """Return a whole page with the style of all reports. `body` is HTML."""
    style = resources.files(__package__).joinpath("html_page.css").read_text()
    own = base64.b64encode(sha256(style.encode()).digest()).decode()
    rules = ("default-src 'none'", "img-src data:", f"style-src 'sha256-{own}'", "base-uri 'none'")
    policy = "; ".join((*rules, "form-action 'none'"))  # allows only the page's own pictures and style
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head += f"<title>{escape(title)}</title><style>{style}</style>"
    start = '<body class="wide">' if wide else "<body>"
    parts = ("<!doctype html>", f'<html lang="en"><head>{head}</head>', start, *body, "</body></html>", "")
    return "\n".join(parts)


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> Html:
    lines = ("".join(f"<td>{text(cell)}" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    head = "".join(f"<th>{escape(head)}" for head in heads)
    return Html(f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>')


def text(value: object) -> Html:
    """Return a value as HTML: markup as it is, all else escaped."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def code(value: object) -> Html:
    return Html(f"<code>{text(value)}</code>")


def dim(value: object) -> Html:
    return Html(f'<span class="dim">{text(value)}</span>')
