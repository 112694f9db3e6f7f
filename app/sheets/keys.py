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
    def __init__(self, window: Window, title: str, hint: str, html: str) -> None:
        super().__init__(window, title, hint, QSize(680, 600))
        self.put(column(Read(html, title), margins=(t.L, t.L, t.L, t.L)))
        self.button("Close", primary=True).done.connect(self.accept)


def keys_sheet(window: Window) -> PageSheet:
    return PageSheet(window, "Keys", "single letters act only where no text is typed", help_page())


def about_sheet(window: Window) -> PageSheet:
    return PageSheet(window, "About", "", ABOUT)
