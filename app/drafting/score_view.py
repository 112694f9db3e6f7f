"""What is told of a version: its score and proof, the card of what is proposed, and the list of all."""

from __future__ import annotations

from app.controls.list_picker import PickerItem
from app.controls.text_rows import TextRow
from app.presentation.suggestions import ChangeViewModel, SuggestionViewModel
from core.drafting.desk import TWO_MODELS, Desk, Findings
from core.drafting.edits import Conflict
from core.drafting.repair import Evidence, Repair, Repaired
from core.drafting.rounds import MODEL, REPAIR, Version
from core.drafting.score import EACH, LENGTHS, Score
from core.state.causes import capitalised
from core.text.plural import plural
from core.text.untrusted_text import one_line

BY = {MODEL: ("the model", "eye"), REPAIR: ("a repair", "replan")}
FEW, WORDS = 4, 400  # words that are named, `ew` prints them all; characters of a sentence
CARD, MOST = 300, 6  # characters of a sentence on a card, and repairs that are shown


def score_rows(found: Findings | None, busy: str) -> tuple[TextRow, ...]:
    """Return what is told of a version; `busy` says what is being done, "" nothing."""
    if found is None:
        return (TextRow(busy or "no version yet", "EW"),)
    version, score = found.version, found.version.score
    if score is None:
        why = one_line((version.faults or ("It cannot be read.",))[0], WORDS)
        return (_row("EW", "none: the draft cannot be read", False), TextRow(why, "why"))
    never, more = ", ".join(score.untried[:FEW]), len(score.untried) - FEW
    tried = f"In no walk: {never}{f' and {more} more' if more > 0 else ''}"
    tried = tried if never else "every word was in some walk; not in every state"
    plan = "none" if version.plan is None else plural(len(version.plan), "step")
    plan += ", reaches the goal" if version.valid else ", does not reach the goal" if version.plan else ""
    proof = found.compared or ("comparing…" if busy else "not compared")
    proven = found.agrees and found.compared != TWO_MODELS
    rows = [
        _row("EW", f"{score.ew:.3f} of 1, on {EACH * len(LENGTHS)} walks each way", score.exact),
        _row("tried", tried, not never, "" if never else "info"),
        _row("plan", plan, version.valid),
        _row("proof", proof, proven, "" if found.compared else "clock"),
        _row("world's", _by_length(score, 0), score.of_world == 1),
        _row("draft's", _by_length(score, 1), score.of_draft == 1),
    ]
    if found.overruled:
        rows.append(TextRow(one_line(found.overruled, WORDS), "yours", "person", "accent", "accent"))
    rows += [TextRow(one_line(fault, WORDS), "fault", "fault", "fault") for fault in version.faults[:3]]
    return tuple(rows)


def _by_length(score: Score, side: int) -> str:
    """Return which share of a side's walks the other can do: of all, and of those of 1, 2, ... words."""
    whole, shares = (score.of_world, score.of_draft)[side], [pair[side] for pair in score.by_length]
    each = " ".join("-" if share is None else f"{100 * share:.0f}" for share in shares)
    return "all walks can be done" if whole == 1 else f"{whole:.0%} can be done; by length {each or 'none'}"


def _row(name: str, words: str, good: bool, icon: str = "") -> TextRow:
    icon = icon or ("check" if good else "diamond")
    return TextRow(one_line(words, WORDS), name, icon, "ink" if good else "doubt")


def version_items(desk: Desk | None) -> tuple[PickerItem, ...]:
    """Return all versions, the latest first: who made each, and how good it is."""
    return tuple(map(_item, reversed(desk.versions))) if desk is not None else ()


def _item(version: Version) -> PickerItem:
    by, icon = BY.get(version.by, (one_line(version.by, 40), "person"))
    origin = f" from {version.parent}" if version.parent and version.parent != version.number - 1 else ""
    plan = "plan valid" if version.valid else "no valid plan"
    score = f"EW {version.score.ew:.3f}, {plan}" if version.score else "cannot be read"
    words, why = f"{version.number}  {by}{origin}", one_line("; ".join(version.repairs), 200)
    return PickerItem(words, version.number, why, icon, True, score, version.by not in BY)


def proposal_face(desk: Desk | None, found: Findings | None) -> SuggestionViewModel | None:
    """Return the card of what a person should decide, None if there is nothing."""
    if desk is not None and desk.conflicts:
        return _conflict(desk.conflicts[0])
    return _repair(found.repair) if found is not None and found.repair is not None else None


def _repair(mended: Repaired) -> SuggestionViewModel:
    rows, more = tuple(map(_change, mended.repairs[:MOST])), len(mended.repairs) - MOST
    tried = f"{plural(mended.tried, 'edit')} tried{f' and {more} more' if more > 0 else ''}"
    then = mended.comparison
    begins = "Still differs" if then and then.difference else "Then"
    said = f"{begins}: {one_line(then.sentence, CARD)}" if then else ""
    head = "A repair, found by search: no model was asked"
    return SuggestionViewModel(head, tried, "", rows, said, "replan", waiting=True, told=False)


def _change(repair: Repair) -> ChangeViewModel:
    said = {"needed by": repair.needed_by, "forbidden by": repair.forbidden_by}
    reasons = "; ".join(f"{how} {_walks(walks)}" for how, walks in said.items() if walks)
    words, pddl = capitalised(one_line(repair.edit.describe(), CARD)), one_line(repair.edit.pddl, CARD)
    return ChangeViewModel(words, pddl, one_line(reasons or "its neighbours have it", CARD))


def _walks(walks: tuple[Evidence, ...]) -> str:
    first = ", ".join(min(walks, key=lambda one: len(one.words)).words)
    return f"{plural(len(walks), 'walk')}, such as {first}"


def _conflict(conflict: Conflict) -> SuggestionViewModel:
    said = (("Before", conflict.before), ("Mine", conflict.mine), ("Theirs", conflict.theirs))
    rows = tuple(ChangeViewModel(head, one_line(words, CARD), "") for head, words in said)
    sentence = f"You edited {one_line(conflict.what, 80)}, and it was changed otherwise: yours stands"
    by = "mine, theirs and before"
    return SuggestionViewModel(sentence, by, rows=rows, icon="person", waiting=True, told=False)
