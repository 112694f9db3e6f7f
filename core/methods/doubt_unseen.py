"""What nobody could see and the step still needed: doubted when its visible effect stays away.

A mug that was filled while the tap was shut looks like a full one. The water then never boils, however often
the microwave is started: what was only ever predicted must be wrong. Ours, not the paper's.
"""

from __future__ import annotations

from core.belief import Answer, Belief, BeliefEntry, BeliefSource, Verdict
from core.domains import DomainSpec, Perception
from core.methods.expectations import Expectations
from core.planning_model import Literal
from core.policy import Context


def doubt_unseen(
    domain_spec: DomainSpec,
    expectations: Expectations,
    context: Context,
    answers: tuple[Answer, ...],
    belief: Belief,
) -> Belief:
    """The belief with the opposite ASSUMED of what the step needed and was only predicted, where all that
    could be seen of its preconditions held and an effect was answered not to be there."""
    promised = {e.atom: e for e in expectations.promised_effects(context)}
    stayed_away = any(
        a.atom in promised and a.verdict is Verdict.from_bool(not promised[a.atom].positive) for a in answers
    )
    if not stayed_away or context.last_step is None or context.belief_before is None:
        return belief
    needed = expectations.preconditions(context.last_step.step)
    before = context.belief_before
    if any(_can_be_seen(domain_spec, c) and (c.atom in before.state) != c.positive for c in needed):
        return belief
    return belief.with_entries(
        BeliefEntry(c.atom, Verdict.from_bool(not c.positive), BeliefSource.ASSUMED, context.turn)
        for c in needed
        if belief.source(c.atom) is BeliefSource.PREDICTED
        and not _can_be_seen(domain_spec, c)
        and c.predicate in expectations.direct_effects
        and c.predicate not in domain_spec.bookkeeping
    )


def _can_be_seen(domain_spec: DomainSpec, literal: Literal) -> bool:
    return domain_spec.perception(literal.predicate) is not Perception.NONE
