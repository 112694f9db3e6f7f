"""What nobody could see and the step still needed: doubted when its visible effect stays away.

A mug that was filled while the tap was shut looks like a full one. The water then never boils, however often
the microwave is started: what was only ever predicted must be wrong. Ours, not the paper's.
"""

from __future__ import annotations

from core.domains import Folder, Perception
from core.facts import Answer, Belief, Entry, Source, Verdict
from core.methods.expectations import Expectations
from core.policy import Context
from core.problem import Literal


def doubt_unseen(
    folder: Folder,
    expectations: Expectations,
    context: Context,
    answers: tuple[Answer, ...],
    belief: Belief,
) -> Belief:
    """The belief with the opposite ASSUMED of what the step needed and was only predicted, where all that
    could be seen of its preconditions held and an effect was answered not to be there."""
    promised = {e.atom: e for e in expectations.promised(context)}
    stayed_away = any(
        a.atom in promised and a.verdict is Verdict.of(not promised[a.atom].positive) for a in answers
    )
    if not stayed_away or context.done is None or context.before is None:
        return belief
    needed = expectations.preconditions(context.done.step)
    before = context.before
    if any(_can_be_seen(folder, c) and (c.atom in before.state) != c.positive for c in needed):
        return belief
    return belief.holding(
        Entry(c.atom, Verdict.of(not c.positive), Source.ASSUMED, context.turn)
        for c in needed
        if belief.source(c.atom) is Source.PREDICTED
        and not _can_be_seen(folder, c)
        and c.predicate in expectations.direct_effects
        and c.predicate not in folder.bookkeeping
    )


def _can_be_seen(folder: Folder, literal: Literal) -> bool:
    return folder.perception(literal.predicate) is not Perception.NONE
