"""The score of a version: both ways by length, EW beside what was tried, the plan, and what is proven."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from app.controls.list_picker import ListPicker, PickerItem
from app.controls.painted import Painted
from app.controls.text_rows import TextRow
from app.theme import paint
from app.theme import tokens as t
from core.drafting.desk import TWO_MODELS, Findings
from core.drafting.rounds import MODEL, REPAIR, Version
from core.drafting.score import EACH, LENGTHS, Score
from core.text.plural import plural
from core.text.untrusted_text import one_line

HIGH = 40  # px
ICON = {MODEL: "eye", REPAIR: "replan"}
FEW, WORDS = 4, 400  # words that are named, `ew` prints them all; characters of a sentence


class LengthBars(Painted):
    """Two rows of bars: for walks of each length, the share that the other side can do."""

    def __init__(self) -> None:
        super().__init__()
        self._score: Score | None = None
        self.setFixedHeight(2 * HIGH + t.S)
        self.setAccessibleName("Shares of walks by length")

    def show_score(self, score: Score | None) -> None:
        self._score = score
        self.setAccessibleDescription(f"{score.of_world:.0%} and {score.of_draft:.0%}" if score else "")
        self.update()

    def draw(self, p: QPainter) -> None:
        score, wide = self._score, (self.width() - 2 * t.M) / len(LENGTHS)
        wholes = (score.of_world, score.of_draft) if score else (None, None)
        for row, (side, whole) in enumerate(zip(("world", "draft"), wholes, strict=True)):
            y, said = row * HIGH + t.XS, "none tried" if whole is None else f"{whole:.0%} can be done"
            paint.text(
                p, t.M, y, self.width() - 2 * t.M, 14, f"the {side}'s walks: {said}", "caption", "muted"
            )
            for n, shares in enumerate(score.by_length if score else ()):
                x, share = t.M + n * wide, shares[row] or 0.0
                paint.fill(p, x, y + 16, wide - 3, 18, "raised")
                paint.fill(
                    p, x, y + 34 - 18 * share, wide - 3, 18 * share, "muted" if share == 1 else "doubt_fill"
                )
                if share < 1:
                    said = "" if shares[row] is None else f"{100 * share:.0f}"
                    paint.text(p, x, y + 16, wide - 3, 18, said, "micro", "ink", paint.CENTRE)


def score_rows(found: Findings | None, busy: str) -> tuple[TextRow, ...]:
    """Return what is told of a version; `busy` says what is being done, "" nothing."""
    if found is None:
        return (TextRow(busy or "no version yet", "EW"),)
    version, score = found.version, found.version.score
    if score is None:
        why = one_line((version.faults or ("It cannot be read.",))[0], WORDS)
        return (_row("EW", "none: the draft cannot be read", False), TextRow(why, "why"))
    never, more = ", ".join(score.untried[:FEW]), len(score.untried) - FEW
    tried = f"In no walk: {never}" if never else "every word was in some walk; not in every state"
    tried += f" and {more} more" if more > 0 else ""
    plan = "none" if version.plan is None else plural(len(version.plan), "step")
    plan += ", reaches the goal" if version.valid else ", does not reach the goal" if version.plan else ""
    proof = found.compared or ("comparing…" if busy else "not compared")
    rows = [
        _row("EW", f"{score.ew:.3f} of 1, on {EACH * len(LENGTHS)} walks each way", score.exact),
        _row("tried", tried, not never, "" if never else "info"),
        _row("plan", plan, version.valid),
        _row(
            "proof", proof, found.agrees and found.compared != TWO_MODELS, "" if found.compared else "clock"
        ),
    ]
    rows += (
        [TextRow(one_line(found.overruled, WORDS), "yours", "person", "accent")] if found.overruled else []
    )
    rows += [TextRow(one_line(fault, WORDS), "fault", "fault", "fault") for fault in version.faults[:3]]
    return tuple(rows)


def _row(name: str, words: str, good: bool, icon: str = "") -> TextRow:
    icon = icon or ("check" if good else "diamond")
    return TextRow(one_line(words, WORDS), name, icon, "ink" if good else "doubt")


class VersionList(ListPicker):
    """All versions, the latest first: who made each, and how good it is."""

    def __init__(self) -> None:
        super().__init__("Versions")

    def show_versions(self, versions: tuple[Version, ...], current: Version | None) -> None:
        items = tuple(_item(version) for version in reversed(versions))
        self.show_items(items, current.number if current else None)


def _item(version: Version) -> PickerItem:
    by = {MODEL: "the model", REPAIR: "a repair"}.get(version.by, one_line(version.by, 40))
    origin = f" from {version.parent}" if version.parent and version.parent != version.number - 1 else ""
    plan = "plan valid" if version.valid else "no valid plan"
    score = f"EW {version.score.ew:.3f}, {plan}" if version.score else "cannot be read"
    words, why = f"{version.number}  {by}{origin}", one_line("; ".join(version.repairs), 200)
    icon = ICON.get(version.by, "person")
    return PickerItem(words, version.number, why, icon, trailing_text=score, set_by_person=icon == "person")
