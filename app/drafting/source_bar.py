"""Choose what to draft from: a game's map or a photograph, a picture, and who drafts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import ComboBox
from app.controls.layout import column, row
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.drafting.source import PHOTOGRAPH, Choices, DraftSource
from core.vqa.grid_reader.grid_reader import SIZES

SIMULATED = "simulated drafter", ""
TIPS = {
    "map": ("frozenlake-4-0", "GAME-SIZE-SEED, or the photograph's name; Enter opens it"),
    "picture": ("picture, or painted", "A file with the picture that is drafted from; empty: painted"),
    "objects": ("red-block - block, …", "What is on the photograph: each object's name and type"),
    "goal": ("the goal, in words", "What is to be reached, in a sentence"),
}


class SourceBar(QWidget):
    """`opened` sends what was chosen, on Enter in a field or when a choice is made."""

    opened = Signal(object)  # DraftSource

    def __init__(self) -> None:
        super().__init__()
        self.source, self._maps = DraftSource(), dict[str, str]()
        self.boxes = {
            "game": ComboBox("What to draft from", 120),
            "answerer": ComboBox("Who drafts", 150),
            "size": ComboBox("Cells a side", 64),
            "template": ComboBox("Types and actions of", 120),
        }
        self.fields = {name: TextField("", name.capitalize()) for name in TIPS}
        for field, (hint, tip) in zip(self.fields.values(), TIPS.values(), strict=True):
            field.setPlaceholderText(hint)
            set_tooltip(field, tip)
            field.returnPressed.connect(self._open)
        game, *others = self.boxes.values()
        game.textActivated.connect(self._open_game)
        for box in others:
            box.textActivated.connect(lambda _: self._open())
        drafter, size, template = others
        size.show_items([("cells", 0), *((str(size), size) for size in SIZES)])
        set_tooltip(size, "Cells a side of the picture; by itself it finds them")
        set_tooltip(template, "The domain that lends its types, actions and words, and nothing else")
        self._of_photograph = template, self.fields["objects"], self.fields["goal"]
        of_map = row(game, (self.fields["map"], 1), spacing=t.XS)
        of_picture = row((self.fields["picture"], 1), size, spacing=t.XS)
        parts = of_map, drafter, of_picture, *self._of_photograph
        self.setLayout(column(*parts, spacing=t.XS, margins=(t.S, t.S, t.S, t.S)))
        self.show_choices(Choices({}))

    def show_choices(self, choices: Choices) -> None:
        """Show what can be chosen: it is read from files, and so comes after the room."""
        self._maps = choices.maps
        self.boxes["game"].show_items((name, name) for name in (*choices.maps, PHOTOGRAPH))
        self.boxes["answerer"].show_items([SIMULATED, *((name, name) for name in choices.drafters)])
        self.boxes["template"].show_items((name, name) for name in choices.templates)
        self.show_source(self.source)

    def show_source(self, source: DraftSource) -> None:
        self.source, photograph = source, source.game == PHOTOGRAPH
        for name, box in self.boxes.items():
            value = getattr(source, name)
            if value and box.findData(value) < 0:
                box.addItem(str(value), value)
            box.setCurrentIndex(box.findData(value))
        for name, field in self.fields.items():
            field.setText(str(getattr(source, name) or ""))
        for part in self._of_photograph:
            part.setVisible(photograph)
        self.boxes["size"].setHidden(photograph)

    def _open_game(self, game: str) -> None:
        if game == PHOTOGRAPH:  # it opens once its objects and its goal are given
            template = self.boxes["template"].itemData(0)
            return self.show_source(replace(self.source, map=PHOTOGRAPH, template=template))
        self.fields["map"].setText(self._maps.get(game, game))
        self._open()

    def _open(self) -> None:
        given: dict[str, Any] = {name: box.currentData() for name, box in self.boxes.items()}
        given |= {name: field.text().strip() for name, field in self.fields.items()}
        given["template"] = given["template"] if given.pop("game") == PHOTOGRAPH else ""
        source = self.source.of_picture(given.pop("picture"))
        self.opened.emit(replace(source, **given))
