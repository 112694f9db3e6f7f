"""Choose what to draft from: a game's map or a photograph, a picture, and who drafts."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import ComboBox
from app.controls.layout import column, row
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.drafting.source import NOBODY, PHOTOGRAPH, SIMULATED, Choices, DraftSource

TIPS = {
    "map": ("frozenlake-4-0", "GAME-SIZE-SEED, or the photograph's name; Enter opens it"),
    "picture": ("picture, or painted", "A file with the picture that is drafted from; empty: painted"),
    "objects": ("name - type, name - type, …", "What is on the photograph: each object's name and type"),
    "goal": ("the goal, in words", "What is to be reached, in a sentence"),
}


class SourceBar(QWidget):
    """`opened` sends what was chosen, on Enter in a field or when a choice is made."""

    opened = Signal(object)  # DraftSource

    def __init__(self, source: DraftSource) -> None:
        super().__init__()
        self.source, self._maps = source, dict[str, str]()
        self.boxes = {
            "game": ComboBox("What to draft from", 114),
            "answerer": ComboBox("Who drafts", 150),
            "template": ComboBox("Types and actions of", 120),
        }
        self.fields = {name: TextField("", name.capitalize()) for name in TIPS}
        for name, field in self.fields.items():
            field.setPlaceholderText(TIPS[name][0])
            field.returnPressed.connect(self._open)
        game, drafter, template = self.boxes.values()
        game.textActivated.connect(self._open_game)
        for box in (drafter, template):
            box.textActivated.connect(lambda _: self._open())
        set_tooltip(template, "The domain that lends its types, actions and words, and nothing else")
        self._of_photograph = template, self.fields["objects"], self.fields["goal"]
        of_map = row(game, (self.fields["map"], 1), spacing=t.XS)
        parts = of_map, drafter, self.fields["picture"], *self._of_photograph
        self.setLayout(column(*parts, spacing=t.XS, margins=(t.S, t.S, t.S, t.S)))
        self.show_choices(Choices({}))

    def show_choices(self, choices: Choices) -> None:
        """Show what can be chosen: it is read from files, and so comes after the room."""
        self._maps = choices.maps
        self.boxes["game"].show_items((name, name) for name in (*choices.maps, PHOTOGRAPH))
        self.boxes["answerer"].show_items(choices.drafters.items())
        self.boxes["template"].show_items((name, name) for name in choices.templates)
        self.show_source(self.source)

    def show_source(self, source: DraftSource) -> None:
        self.source, photograph = source, source.game == PHOTOGRAPH
        for name, box in self.boxes.items():
            value = getattr(source, name)
            if value and box.findData(value) < 0:
                box.addItem(str(value), value)
            box.setCurrentIndex(max(box.findData(value), 0))
        for name, field in self.fields.items():
            field.setText(str(getattr(source, name) or ""))
            set_tooltip(field, "\n".join(filter(None, (field.text(), TIPS[name][1]))))
            field.setCursorPosition(len(field.text()) if name == "map" else 0)  # what is seen, if not all
        self.boxes["answerer"].setItemText(0, NOBODY if photograph else SIMULATED)
        for part in self._of_photograph:
            part.setVisible(photograph)

    def _open_game(self, game: str) -> None:
        if self.source.template:
            self.fields["picture"].clear()  # it shows no game
        self.fields["map"].setText(self._maps.get(game, game))
        self._open()

    def _open(self) -> None:
        given = {name: box.currentData() for name, box in self.boxes.items()}
        given |= {name: field.text().strip() for name, field in self.fields.items()}
        self.opened.emit(self.source.changed(**given))
