"""The design tokens: colours (light and dark), spacing, sizes and the type scale."""

from __future__ import annotations

from dataclasses import dataclass

# One neutral ramp, one accent, two alarm colours, and one colour reserved for REAL: light, and dark.
COLOURS = {
    "window": ("#EEF0F2", "#0B0D10"),  # behind the panels
    "veil": ("#CCEEF0F2", "#CC0B0D10"),  # over the panels while a dialog is open
    "surface": ("#FFFFFF", "#14171B"),  # panels
    "raised": ("#F3F5F7", "#1E2228"),  # hover, key caps, tracks
    "sunken": ("#F7F8F9", "#101317"),  # inputs, wells
    "hair": ("#E4E7EB", "#23282F"),  # lines between panels and rows
    "edge": ("#CDD2D9", "#3A414B"),  # outlines of controls
    "faint": ("#828A96", "#6C7581"),  # disabled text (3:1), ticks; never carries meaning alone
    "muted": ("#606A77", "#8F99A6"),  # captions, ages, units
    "text": ("#363D47", "#C6CDD6"),  # body
    "ink": ("#12161C", "#F3F5F8"),  # titles, the value that matters, the fill of STOP
    "paper": ("#FFFFFF", "#0E1115"),  # text on ink
    "accent": ("#2E57D3", "#86A5FF"),  # "you": focus, selection, primary action, a person's word
    "accent_soft": ("#EAF0FE", "#1A2440"),
    "on_accent": ("#FFFFFF", "#0A1024"),
    "held": ("#2A2E57D3", "#3A86A5FF"),  # over a button, as far as it was held
    "held_light": ("#40FFFFFF", "#330A1024"),  # the same over the accent, and a key cap there
    "doubt": ("#8A5700", "#F2B544"),  # contradiction, stale, not ready: text
    "doubt_fill": ("#E99B00", "#E9A21B"),  # the same: glyph and bar
    "doubt_soft": ("#FFF6E3", "#2A210F"),  # the same: ground
    "fault": ("#B03218", "#FF917A"),  # failed, lost, refused
    "fault_fill": ("#D4472C", "#E4593D"),
    "fault_soft": ("#FDECE8", "#321A15"),
    "real": ("#A1286F", "#E27AB8"),  # the REAL badge and its line; nothing else
    "on_real": ("#FFFFFF", "#2A0A1C"),
    "scrim": ("#101318", "#101318"),  # behind captions on pictures, the same in both themes
    "on_scrim": ("#FFFFFF", "#FFFFFF"),
    "scrim_doubt": ("#F2B544", "#F2B544"),
    "scrim_fault": ("#FF917A", "#FF917A"),
}
LIGHT, DARK = ({role: pair[dark] for role, pair in COLOURS.items()} for dark in (0, 1))

# Spacing, px: inside a control, between neighbours, panel margin, between groups, page margin.
XS, S, M, L, XL = 4, 8, 12, 16, 24
RADIUS = 4  # controls
RADIUS_BIG = 6  # decision buttons, STOP, pictures
BAR = 3  # the bar at the side of a focused card, a new step, a notice

# Heights, px.
H_TOP = 52
H_DECISION = 104
H_SUPERVISION = 44
H_HEADER = 36
H_ROW = 26
H_CONTROL = 28
H_BUTTON = 36
H_STATUS = 26
H_TRACK = 20
H_AXIS = 24
H_STOP = 40
W_STOP, W_STOP_COMPACT = 216, 196
COMPACT = 1400  # a window narrower than this is compact


@dataclass(frozen=True)
class Type:
    """One role of the type scale, in px."""

    size: int
    weight: int
    spacing: float
    line: int
    mono: bool = False


TYPE = {
    "display": Type(22, 600, -0.3, 28),  # one a window: the next action
    "title": Type(15, 600, -0.1, 20),  # a card's verdict, a dialog's heading
    "strong": Type(13, 600, 0.0, 20),
    "body": Type(13, 400, 0.0, 20),
    "label": Type(12, 500, 0.0, 16),  # buttons, panel headers, badges
    "small": Type(12, 400, 0.0, 16),
    "caption": Type(11, 500, 0.1, 16),  # column heads, units, hints
    "micro": Type(10, 600, 0.4, 12),  # upper case only: NEXT, BECAUSE, DOUBT
    "mono": Type(12, 400, 0.0, 16, mono=True),  # raw replies, PDDL
    "mono_small": Type(11, 400, 0.0, 16, mono=True),
}
SANS = ("Inter", "Noto Sans", "DejaVu Sans")
MONO = ("JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono")

HOLD = 1.0  # seconds that a hold takes
