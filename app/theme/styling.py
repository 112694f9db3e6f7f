"""The look of the running application: palette, style sheet, fonts. GUI thread only."""

from __future__ import annotations

from enum import Enum
from functools import cache
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from app.theme import tokens as t
from core.install_paths import resource_path

FONTS = resource_path("resources", "fonts")
STYLE_SHEET = resource_path("resources", "theme", "style.qss")


class ColourMode(Enum):
    LIGHT = "light"
    DARK = "dark"
    SYSTEM = "system"


_colours = t.LIGHT


@cache  # of the theme that is set: `apply` empties it
def colour(role: str, alpha: float = 1.0) -> QColor:
    """Return the theme's colour for a role of `tokens.COLOURS`. Do not modify it."""
    shade = QColor(_colours[role])
    shade.setAlphaF(alpha)
    return shade


@cache
def font(role: str, strike: bool = False) -> QFont:
    """Return a font of the type scale, with tabular figures. Do not modify it."""
    kind = t.TYPE[role]
    f = QFont(_family(kind.mono))
    f.setPixelSize(kind.size)
    f.setWeight(QFont.Weight(kind.weight))
    f.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, kind.spacing)
    f.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    f.setFeature(QFont.Tag("tnum"), 1)
    f.setStrikeOut(strike)
    return f


@cache
def metrics(role: str) -> QFontMetricsF:
    return QFontMetricsF(font(role))


@cache
def _family(mono: bool) -> str:
    for file in sorted(FONTS.glob("*.otf")):
        QFontDatabase.addApplicationFont(str(file))
    have = set(QFontDatabase.families())
    return next((name for name in (t.MONO if mono else t.SANS) if name in have), QFont().family())


def apply(app: QApplication, mode: ColourMode) -> None:
    """Set the palette and the style sheet; `QStyleHints.setColorScheme` has no effect offscreen."""
    global _colours
    dark = mode is ColourMode.DARK
    if mode is ColourMode.SYSTEM:
        dark = app.styleHints().colorScheme() is Qt.ColorScheme.Dark
    _colours = t.DARK if dark else t.LIGHT
    colour.cache_clear()
    template = Template(STYLE_SHEET.read_text(encoding="utf-8"))
    sheet = template.substitute(_colours, theme=STYLE_SHEET.parent.as_posix())
    if app.styleSheet() == sheet:
        return  # to set it again would polish every widget again
    if not app.styleSheet():
        app.setStyle(QStyleFactory.create("Fusion"))
    app.setFont(font("body"))
    app.setPalette(_palette())
    app.setStyleSheet(sheet)


_ROLES = {
    QPalette.ColorRole.Window: "surface",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "surface",
    QPalette.ColorRole.AlternateBase: "raised",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "surface",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "ink",
    QPalette.ColorRole.Highlight: "accent_soft",
    QPalette.ColorRole.HighlightedText: "ink",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.ToolTipBase: "ink",
    QPalette.ColorRole.ToolTipText: "paper",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Mid: "hair",
    QPalette.ColorRole.Dark: "edge",
}


def _palette() -> QPalette:
    palette = QPalette()
    for role, name in _ROLES.items():
        palette.setColor(role, colour(name))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, colour("faint"))
    return palette
