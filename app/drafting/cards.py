"""Put a repair, and a part that two changed, on the common card of proposals. Pure."""

from __future__ import annotations

from app.presentation.suggestions import ChangeViewModel, SuggestionViewModel
from core.drafting.desk import Findings
from core.drafting.edits import Conflict
from core.drafting.repair import Evidence, Repair
from core.state.causes import capitalised
from core.text.plural import plural
from core.text.untrusted_text import one_line

WORDS, MOST = 300, 6  # characters of a sentence, and repairs that are shown


def repair_face(found: Findings | None) -> SuggestionViewModel | None:
    """Return the card of the repair that is proposed, None if there is none."""
    if found is None or found.repair is None:
        return None
    repairs, after = found.repair.repairs, found.repair.comparison
    rows = tuple(_row(one) for one in repairs[:MOST])
    more = f" and {len(repairs) - MOST} more" if len(repairs) > MOST else ""
    tried = f"{plural(found.repair.tried, 'edit')} tried{more}"
    said = one_line(f"With it: {after.sentence}", WORDS) if after else ""
    head = "A repair, found by search: no model was asked"
    return SuggestionViewModel(head, tried, rows=rows, effect=said, icon="replan", waiting=True)


def _row(repair: Repair) -> ChangeViewModel:
    reasons = [f"{how} {_walks(walks)}" for how, walks in (
        ("needed by", repair.needed_by), ("forbidden by", repair.forbidden_by)
    ) if walks]  # fmt: skip
    words, pddl = capitalised(one_line(repair.edit.describe(), WORDS)), one_line(repair.edit.pddl, WORDS)
    return ChangeViewModel(words, pddl, one_line("; ".join(reasons) or "its neighbours have it", WORDS))


def _walks(walks: tuple[Evidence, ...]) -> str:
    first = ", ".join(min(walks, key=lambda one: len(one.words)).words)
    return f"{plural(len(walks), 'walk')}, such as {first}"


def conflict_face(conflict: Conflict) -> SuggestionViewModel:
    """Return the card of a part that a person edited and somebody else changed as well."""
    said = (("Before", conflict.before), ("Mine", conflict.mine), ("Theirs", conflict.theirs))
    rows = tuple(ChangeViewModel(head, one_line(words, WORDS), "") for head, words in said)
    sentence = f"You edited {one_line(conflict.what, 80)}, and it was changed otherwise: yours stands"
    return SuggestionViewModel(sentence, "mine, theirs and before", rows=rows, icon="person", waiting=True)
