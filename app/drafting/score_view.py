"""The score of a version: both ways by length, EW beside what was tried, the plan, and what is proven."""

from __future__ import annotations

from PySide6.QtGui import QPainter

from app.controls.layout import Surface, column
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.painted import Painted
from app.controls.text_rows import TextRow, TextRows
from app.theme import paint
from app.theme import tokens as t
from core.drafting.desk import TWO_MODELS, Findings
from core.drafting.rounds import MODEL, REPAIR, Version
from core.drafting.score import EACH, LENGTHS, Score
from core.text.untrusted_text import one_line

NAMES = 62  # px
ICON = {MODEL: "eye", REPAIR: "replan"}
FEW = 4  # words that are named; `ew` prints them all
WORDS = 400  # characters of a sentence


class LengthBars(Painted):
    """Two rows of bars: for walks of each length, the share that the other side can do."""

    ROWS = ("the world's walks", "the draft's walks")

    def __init__(self) -> None:
        super().__init__()
        self._score: Score | None = None
        self.setFixedHeight(2 * 40 + t.S)
        self.setAccessibleName("Shares of walks by length")

    def show_score(self, score: Score | None) -> None:
        self._score = score
        shares = score.by_length if score else ()
        said = (f"{n}: {a:.0%} and {b:.0%}" for n, (a, b) in enumerate(shares, 1))
        self.setAccessibleDescription(", ".join(said))
        self.update()

    def draw(self, p: QPainter) -> None:
        wide = (self.width() - 2 * t.M) / len(LENGTHS)
        for row, words in enumerate(self.ROWS):
            y = row * 40 + t.XS
            whole = (self._score.of_world, self._score.of_draft)[row] if self._score else None
            said = f"{words}: {whole:.0%} can be done" if whole is not None else f"{words}: none tried"
            paint.text(p, t.M, y, self.width() - 2 * t.M, 14, said, "caption", "muted")
            for n, _ in enumerate(LENGTHS):
                x = t.M + n * wide
                paint.fill(p, x, y + 16, wide - 3, 18, "raised")
                if self._score is None or not self._score.by_length:
                    continue
                share = self._score.by_length[n][row]
                paint.fill(
                    p, x, y + 34 - 18 * share, wide - 3, 18 * share, "muted" if share == 1 else "doubt_fill"
                )
                if share < 1:
                    paint.text(p, x, y + 16, wide - 3, 18, f"{share:.0%}"[:-1], "micro", "ink", paint.CENTRE)


class ScoreView(Surface):
    """What is known of a version. EW is never shown without what no walk tried."""

    def __init__(self) -> None:
        super().__init__()
        self.bars, self.rows = LengthBars(), TextRows("Score", NAMES)
        self.setLayout(column(self.rows, self.bars))

    def display(self, found: Findings | None, busy: str) -> None:
        self.bars.show_score(found.version.score if found else None)
        self.rows.show_rows(score_rows(found, busy))


def score_rows(found: Findings | None, busy: str) -> tuple[TextRow, ...]:
    """Return what is told of a version; `busy` says what is being done, "" nothing."""
    if found is None:
        return (TextRow(busy or "no version yet", "EW"),)
    version, score = found.version, found.version.score
    if score is None:
        why = one_line((version.faults or ("It cannot be read.",))[0], WORDS)
        return (TextRow("none: the draft cannot be read", "EW", "diamond", "doubt"), TextRow(why, "why"))
    walks = f"{score.ew:.3f} of 1, on {EACH * len(LENGTHS)} walks each way"
    never, more = one_line(", ".join(score.untried[:FEW]), WORDS), len(score.untried) - FEW
    tried = f"In no walk: {never}" if never else "every word was in some walk; not in every state"
    tried += f" and {more} more" if more > 0 else ""
    steps = len(version.plan or ())
    plan = "none" if version.plan is None else f"{steps} step{'s' * (steps != 1)}"
    ends = ", reaches the goal" if version.valid else ", does not reach the goal" if version.plan else ""
    proof = one_line(found.compared, WORDS) or ("comparing…" if busy else "not compared")
    doubt = "" if found.agrees else "doubt"
    rows = [
        TextRow(walks, "EW", "check" if score.exact else "diamond", "ink" if score.exact else "doubt"),
        TextRow(tried, "tried", "info" if not never else "diamond", "ink" if not never else "doubt"),
        TextRow(
            plan + ends, "plan", "check" if version.valid else "diamond", "ink" if version.valid else "doubt"
        ),
    ]
    if found.compared == TWO_MODELS:
        rows.append(TextRow(TWO_MODELS, "proof", "diamond", "doubt"))
    else:
        rows.append(
            TextRow(
                proof,
                "proof",
                "clock" if not found.compared else (doubt and "diamond") or "check",
                doubt or "ink",
            )
        )
    rows += [TextRow(one_line(fault, WORDS), "fault", "fault", "fault") for fault in version.faults[:3]]
    return tuple(rows)


class VersionList(ListPicker):
    """All versions, the latest first: who made each, and how good it is."""

    def __init__(self) -> None:
        super().__init__("Versions")

    def show_versions(self, versions: tuple[Version, ...], current: Version | None) -> None:
        items = tuple(_item(version) for version in reversed(versions))
        self.show_items(items, current.number if current else None)


def _item(version: Version) -> PickerItem:
    score = f"EW {version.score.ew:.3f}" if version.score else "cannot be read"
    plan = "plan valid" if version.valid else "no valid plan"
    by = {MODEL: "the model", REPAIR: "a repair"}.get(version.by, one_line(version.by, 40))
    origin = f" from {version.parent}" if version.parent and version.parent != version.number - 1 else ""
    icon = ICON.get(version.by, "person")
    return PickerItem(
        f"{version.number}  {by}{origin}",
        version.number,
        one_line("; ".join(version.repairs), 200),
        icon,
        trailing_text=f"{score}, {plan}" if version.score else score,
        set_by_person=icon == "person",
    )
