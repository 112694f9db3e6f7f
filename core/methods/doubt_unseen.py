"""Doubt invisible preconditions of a step if its visible effect did not occur.

A mug that was filled while the tap was closed looks like a full one, but the water never boils, however often
the microwave is started: something that was only predicted must be wrong. This is ours, not the paper's.
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
    """Return the belief with the opposite ASSUMED of invisible preconditions that were only predicted.

    This applies if all visible preconditions of the step held and an effect was answered to be absent.
    """
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
    return domain_spec.perception(literal.predicate) in (Perception.VISION, Perception.SENSE)
