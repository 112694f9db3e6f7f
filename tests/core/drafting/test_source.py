"""What a person changes of what is drafted from can be taken back, and is there again the next time."""

from __future__ import annotations

from dataclasses import replace

from core.drafting.source import DraftSource
from core.ports import BoundingBox

TABLE = DraftSource("table", template="tabletop", objects="cpu-1 - container, toy-1 - toy", goal="Tidy.")
BOX = BoundingBox("", 0.1, 0.1, 0.4, 0.4)


def test_that_a_box_follows_a_corrected_name_is_taken_back_and_remembered() -> None:
    drawn = TABLE.with_box(BOX)
    assert drawn.before == TABLE and [box.name for box in drawn.boxes] == ["cpu-1"]
    given = {"map": "table", "objects": "cup-1 - container, toy-1 - toy", "goal": "Tidy."}
    named = drawn.changed("photograph", "", "tabletop", **given)
    assert named.boxes == (replace(BOX, name="cup-1"),) and named.before is None
    gone = drawn.changed("photograph", "", "tabletop", **given | {"objects": "toy-1 - toy"})
    assert gone.boxes == ()
    assert DraftSource.again(named.remembered) == named
    assert DraftSource.again({"map": "m", "drawn": "cup-1 x"}) == DraftSource.again({}) == DraftSource()
