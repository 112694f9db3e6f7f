"""What is told of a version: its score and proof, the card of what is proposed, and the list of all."""

from __future__ import annotations

from app.controls.list_picker import PickerItem
from app.controls.text_rows import TextRow
from app.presentation.suggestions import ChangeViewModel, SuggestionViewModel
from core.drafting.desk import Desk
from core.drafting.edits import Conflict
from core.drafting.findings import Findings
from core.drafting.record import TEMPLATE
from core.drafting.repair import Repair
from core.drafting.rounds import MODEL, REPAIR, Version
from core.state.causes import capitalised
from core.text.plural import plural
from core.text.untrusted_text import one_line

SEARCHED = "A repair, found by search: no model was asked"
BY = {MODEL: ("the model", "eye"), REPAIR: ("a repair", "replan"), TEMPLATE: ("the template", "page")}
SIDES = {"mine": "person", "theirs": "eye", "before": "undo"}  # of a conflict
WORDS, CARD, MOST = 400, 300, 6  # characters of a sentence, on a card, and repairs that are shown


def score_rows(found: Findings | None, busy: str) -> tuple[TextRow, ...]:
    """Return what is told of a version; `busy` says what is being done, or why not, "" nothing."""
    if found is None:
        return (TextRow(one_line(busy, WORDS), "") if busy else TextRow("no version yet", "EW"),)
    version, score = found.version, found.version.score
    if score is None:
        why = one_line((version.faults or ("It cannot be read.",))[0], WORDS)
        return (_row("EW", "none: the draft cannot be read", False), TextRow(why, "why"))
    plan = "none found" if version.plan is None else plural(len(version.plan), "step")
    plan += ", reaches the goal" if version.valid else ", does not reach the goal" if version.plan else ""
    exact = "info" if score.exact and not found.proven else ""  # EW 1 is not yet right
    proof = found.compared or ("comparing…" if busy else "not compared")
    rows = [
        _row("EW", f"{score.ew:.3f} of 1, on {score.drawn} walks each way", score.exact, exact),
        _row("tried", score.tried, not score.untried, "" if score.untried else "info"),
        _row("plan", plan, version.valid),
        _row("proof", proof, found.proven, "" if found.compared else "clock"),
        _row(f"{found.against.value}'s", score.shares(0), score.of_world == 1),
        _row("draft's", score.shares(1), score.of_draft == 1),
    ]
    if found.overruled:
        rows.append(TextRow(one_line(found.overruled, WORDS), "yours", "person", "accent", "accent"))
    rows += [TextRow(one_line(fault, WORDS), "fault", "fault", "fault") for fault in version.faults[:3]]
    return tuple(rows)


def _row(name: str, words: str, good: bool, icon: str = "") -> TextRow:
    icon = icon or ("check" if good else "diamond")
    return TextRow(one_line(words, WORDS), name, icon, "ink" if good else "doubt")


def version_item(version: Version, desk: Desk) -> PickerItem:
    """Return who made a version, and how good it is."""
    by, icon = BY.get(version.by, (one_line(version.by, 40), "person"))
    origin = f" from {version.parent}" if version.parent and version.parent != version.number - 1 else ""
    words, why = f"{version.number}  {by}{origin}", one_line(desk.about(version), 200)
    return PickerItem(words, version.number, why, icon, True, desk.verdict(version), version.by not in BY)


def proposal_face(desk: Desk | None, found: Findings | None) -> SuggestionViewModel | None:
    """Return the card of what a person should decide, None if there is nothing."""
    if desk is not None and desk.versions.conflicts and found is not None:
        return _conflict(desk.versions.conflicts[0], BY.get(found.version.by, BY[MODEL])[0])
    if found is None or (mended := found.repair) is None:
        return None
    rows, count = tuple(map(_change, mended.repairs[:MOST])), len(mended.repairs)
    tried = f"{plural(count, 'edit')} of {mended.tried} tried" + (f", {MOST} shown" if count > MOST else "")
    begins, then = "Then" if mended.agrees else "Still differs", mended.comparison
    said = f"{begins}: {one_line(then.sentence, CARD)}" if then else ""
    return SuggestionViewModel(SEARCHED, tried, "", rows, said, "replan", waiting=True, told=False)


def _change(repair: Repair) -> ChangeViewModel:
    words, pddl = capitalised(one_line(repair.edit.describe(), CARD)), one_line(repair.edit.pddl, CARD)
    icon = "dash" if " loses " in words else "plus"
    return ChangeViewModel(words, pddl, one_line(repair.reason, CARD), icon=icon)


def _conflict(conflict: Conflict, by: str) -> SuggestionViewModel:
    said = ((side, one_line(getattr(conflict, side), CARD)) for side in SIDES)
    rows = tuple(ChangeViewModel(side.capitalize(), words, "", icon=SIDES[side]) for side, words in said)
    sentence = f"You edited {one_line(conflict.what, 80)}, and {by} changed it otherwise: yours stands"
    return SuggestionViewModel(sentence, "", "", rows, icon="person", waiting=True, told=False)
