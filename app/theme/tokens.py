"""The design tokens: colours (light and dark), spacing, sizes and the type scale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Colours:
    """One neutral ramp, one accent, two alarm colours, and one colour reserved for REAL."""

    window: str  # behind the panels
    surface: str  # panels
    raised: str  # hover, key caps, tracks
    sunken: str  # inputs, wells
    hair: str  # lines between panels and rows
    edge: str  # outlines of controls
    faint: str  # disabled text (3:1), ticks; never carries meaning alone
    muted: str  # captions, ages, units
    text: str  # body
    ink: str  # titles, the value that matters, the fill of STOP
    paper: str  # text on ink
    accent: str  # "you": focus, selection, primary action, a person's word
    accent_soft: str
    on_accent: str
    doubt: str  # contradiction, stale, not ready: text
    doubt_fill: str  # the same: glyph and bar
    doubt_soft: str  # the same: ground
    fault: str  # failed, lost, refused
    fault_fill: str
    fault_soft: str
    real: str  # the REAL badge and its line; nothing else
    on_real: str
    scrim: str  # behind captions on pictures, the same in both themes
    on_scrim: str
    scrim_doubt: str
    scrim_fault: str


LIGHT = Colours(
    window="#EEF0F2",
    surface="#FFFFFF",
    raised="#F3F5F7",
    sunken="#F7F8F9",
    hair="#E4E7EB",
    edge="#CDD2D9",
    faint="#828A96",
    muted="#606A77",
    text="#363D47",
    ink="#12161C",
    paper="#FFFFFF",
    accent="#2E57D3",
    accent_soft="#EAF0FE",
    on_accent="#FFFFFF",
    doubt="#8A5700",
    doubt_fill="#E99B00",
    doubt_soft="#FFF6E3",
    fault="#B03218",
    fault_fill="#D4472C",
    fault_soft="#FDECE8",
    real="#A1286F",
    on_real="#FFFFFF",
    scrim="#101318",
    on_scrim="#FFFFFF",
    scrim_doubt="#F2B544",
    scrim_fault="#FF917A",
)

DARK = Colours(
    window="#0B0D10",
    surface="#14171B",
    raised="#1E2228",
    sunken="#101317",
    hair="#23282F",
    edge="#3A414B",
    faint="#6C7581",
    muted="#8F99A6",
    text="#C6CDD6",
    ink="#F3F5F8",
    paper="#0E1115",
    accent="#86A5FF",
    accent_soft="#1A2440",
    on_accent="#0A1024",
    doubt="#F2B544",
    doubt_fill="#E9A21B",
    doubt_soft="#2A210F",
    fault="#FF917A",
    fault_fill="#E4593D",
    fault_soft="#321A15",
    real="#E27AB8",
    on_real="#2A0A1C",
    scrim="#101318",
    on_scrim="#FFFFFF",
    scrim_doubt="#F2B544",
    scrim_fault="#FF917A",
)

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
