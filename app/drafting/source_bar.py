"""Choose what to draft from: a game's map or a photograph, a picture, and who drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import ComboBox
from app.controls.layout import column, row
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.drafting.source import DraftSource
from core.drafting.world import Games
from core.planning.domain_library import domain_names
from core.vqa.grid_reader.grid_reader import SIZES
from core.vqa.registry import answerer_names, asks_model

SIMULATED, PHOTOGRAPH = ("simulated drafter", ""), "photograph"
TIPS = {
    "map": ("frozenlake-4-0", "GAME-SIZE-SEED, or the photograph's name; Enter opens it"),
    "picture": ("picture, or painted", "A file with the picture that is drafted from; empty: painted"),
    "objects": ("red-block - block, …", "What is on the photograph: each object's name and type"),
    "goal": ("the goal, in words", "What is to be reached, in a sentence"),
}


class Known(NamedTuple):
    """What can be drafted from: the smallest map of each game, who drafts, and the domains."""

    maps: dict[str, str]
    drafters: Sequence[str]
    templates: Sequence[str]


def known(games: Games) -> Known:
    """Return what is known now. Reads files."""
    maps = {name: f"{name}-{min(games[name].sizes)}-0" for name in sorted(games)}
    return Known(maps, [*filter(asks_model, answerer_names())], domain_names())


class SourceBar(QWidget):
    """`opened` sends what was chosen, on Enter in a field or when a choice is made."""

    opened = Signal(object)  # DraftSource

    def __init__(self) -> None:
        super().__init__()
        self.source, self._maps = DraftSource(), dict[str, str]()
        self.games, self.drafter = ComboBox("What to draft from", 120), ComboBox("Who drafts", 150)
        self.cells, self.template = ComboBox("Cells a side", 64), ComboBox("Types and actions of", 120)
        self.cells.show_items([("cells", 0), *((str(size), size) for size in SIZES)])
        set_tooltip(self.cells, "Cells a side of the picture; by itself it finds them")
        set_tooltip(self.template, "The domain that lends its types, actions and words, and nothing else")
        self.fields = {name: TextField("", name.capitalize()) for name in TIPS}
        for field, (hint, tip) in zip(self.fields.values(), TIPS.values(), strict=True):
            field.setPlaceholderText(hint)
            set_tooltip(field, tip)
            field.returnPressed.connect(self._open)
        self.games.textActivated.connect(self._open_game)
        for box in (self.drafter, self.cells, self.template):
            box.textActivated.connect(lambda _: self._open())
        self._of_photograph = self.template, self.fields["objects"], self.fields["goal"]
        first = row(self.games, (self.fields["map"], 1), spacing=t.XS)
        second = row((self.fields["picture"], 1), self.cells, spacing=t.XS)
        parts = first, self.drafter, second, *self._of_photograph
        self.setLayout(column(*parts, spacing=t.XS, margins=(t.S, t.S, t.S, t.S)))
        self.show_known(Known({}, (), []))

    def show_known(self, known: Known) -> None:
        """Show what can be chosen: it is read from files, and so comes after the room."""
        self._maps = known.maps
        self.games.show_items([(name, name) for name in (*known.maps, PHOTOGRAPH)])
        self.drafter.show_items([SIMULATED, *((name, name) for name in known.drafters)])
        self.template.show_items([(name, name) for name in known.templates])
        self.show_source(self.source)

    def show_source(self, source: DraftSource) -> None:
        self.source, photograph = source, bool(source.template)
        boxes = {self.games: PHOTOGRAPH if photograph else source.game, self.drafter: source.answerer}
        for box, value in {**boxes, self.cells: source.size, self.template: source.template}.items():
            if value and box.findData(value) < 0:
                box.addItem(str(value), value)
            box.setCurrentIndex(box.findData(value))
        for name, field in self.fields.items():
            field.setText(str(getattr(source, name) or ""))
        for part in self._of_photograph:
            part.setVisible(photograph)
        self.cells.setHidden(photograph)

    def _open_game(self, game: str) -> None:
        if game == PHOTOGRAPH:  # it opens once its objects and its goal are given
            return self.show_source(replace(self.source, map=PHOTOGRAPH, template=self.template.itemData(0)))
        self.fields["map"].setText(self._maps.get(game, game))
        self._open()

    def _open(self) -> None:
        given: dict[str, Any] = {name: field.text().strip() for name, field in self.fields.items()}
        source = self.source.of_picture(given.pop("picture"))
        given |= {"answerer": self.drafter.currentData(), "size": self.cells.currentData()}
        given["template"] = self.template.currentData() if self.games.currentData() == PHOTOGRAPH else ""
        self.opened.emit(replace(source, **given))
