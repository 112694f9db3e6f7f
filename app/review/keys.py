"""The keys of the review, for its help. They act while it has the focus."""

from __future__ import annotations

KEYS = (
    ("Ctrl+L", "Episodes", "Open the review; back to the live panels"),
    ("Space", "Play", "Play and pause; + and - change the speed"),
    (", .", "A record", "One record back or on, also with Left and Right; Home and End go to the ends"),
    ("O D X H R", "Next moment", "Override, contradiction, failed step, stop, re-plan; with Shift back"),
    ("J K", "Question", "The next question, the one before; Enter is J"),
    ("Y N U", "Your answer", "Yes, no, cannot tell, to the question on the card; it is kept as your label"),
    ("Backspace", "Undo", "Back to the question that you answered last; your last word counts"),
    ("B", "Blind review", "Answer before you see model, operator and belief"),
    ("F", "Fork", "Run on from here in the simulator, as it was or with an answer changed"),
    ("M", "Note", "A note at this moment"),
    ("/", "Search", "Search the list"),
)
