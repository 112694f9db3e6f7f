"""Every key on one page, and what this program is."""

from __future__ import annotations

from PySide6.QtCore import QSize

from app.actions import help_page
from app.parts.layout import column
from app.parts.text import Read
from app.sheets.sheet import Sheet
from app.theme import tokens as t
from app.window import Window

ABOUT = """<p>A robot that plans, looks, asks a vision-language model whether the world agrees, and plans
again when it does not. The method is DKPROMPT (Zhang et al.).</p>
<p>STOP MOTION is a software stop. It is no emergency stop: that is the red button on the robot.</p>
<p>GPL-3.0-or-later. The typeface is Inter, under the SIL Open Font License.</p>"""


class PageSheet(Sheet):
    def __init__(self, window: Window, title: str, hint: str, html: str, size: QSize) -> None:
        super().__init__(window, title, hint, size)
        self.put(column(Read(html, title), margins=(t.L, t.L, t.L, t.L)))
        self.button("Close", primary=True).done.connect(self.accept)


def keys_sheet(window: Window) -> PageSheet:
    hint = "single letters act only where no text is typed"
    return PageSheet(window, "Keys", hint, help_page(), QSize(720, 640))


def about_sheet(window: Window) -> PageSheet:
    return PageSheet(window, "About", "DKPROMPT Console", ABOUT, QSize(560, 300))
