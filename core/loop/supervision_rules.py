"""Decide what passes without a person at given supervision levels, in window and terminal."""

from __future__ import annotations

from core.belief import Purpose, Verdict
from core.operator import Addressee, AnswerReview, Proposal, ProposalKind
from core.reason import Cause
from core.supervision import SupervisionLevel, SupervisionLevels

MOTION_KINDS = (ProposalKind.STEP, ProposalKind.VIEWPOINT)


def needs_review(levels: SupervisionLevels, review: AnswerReview) -> bool:
    """Return True if a person must see the answers before they count."""
    if review.unavailable_reason or review.addressee is Addressee.OPERATOR:
        return True
    match levels.believe:
        case SupervisionLevel.WATCH:
            return levels.ask is SupervisionLevel.MANUAL
        case SupervisionLevel.ASSIST:
            needed = {q.atom for q in review.queries if q.purpose is not Purpose.EFFECT}
            unknown = any(a.verdict is Verdict.UNKNOWN and a.atom in needed for a in review.answers)
            return unknown or bool(review.contradictions)
        case _:
            return True


def passes(levels: SupervisionLevels, proposal: Proposal) -> bool:
    """Return True if the proposal needs no person, breakpoints and a pause left aside.

    A suggested change of the domain passes at the level WATCH of `believe`, which a real robot never has.
    """
    if proposal.kind is ProposalKind.DOMAIN_CHANGE and proposal.suggestion is not None:
        return levels.believe is SupervisionLevel.WATCH
    moves = proposal.kind in MOTION_KINDS and proposal.step is not None
    kept = proposal.reason.cause is Cause.KEPT and bool(proposal.reason.literals)  # believed impossible
    return moves and not kept and proposal.failing is None and levels.move < SupervisionLevel.APPROVE
