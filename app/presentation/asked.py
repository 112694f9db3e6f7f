"""Say what a person is asked now: one value, which strip, buttons, keys and cards all read. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from app.presentation.decision_section import to_judge
from app.presentation.formatting import offer_card, pending_cards, verdict_text
from core.belief import BeliefSource, Verdict
from core.episode_state import EpisodeState, Phase, QuestionCard

RESTS = "is what the plan on offer rests on: Enter accepts it, O keeps the old plan"


@dataclass(frozen=True)
class Asked:
    """`card` is the question that Yes, No and Can't tell answer; None: they answer nothing, for `reason`.

    `effective` are the verdicts about the question's text that would count; of the others `reason` says why.
    """

    card: QuestionCard | None = None
    reason: str = "no episode runs"
    effective: tuple[Verdict, ...] = ()

    def same_question(self, other: Asked) -> bool:
        mine, its = self.card, other.card
        if mine is None or its is None:
            return mine is its
        return (mine.number, mine.pending) == (its.number, its.pending)

    def refusal(self, verdict: Verdict) -> str:
        """Return why this verdict would not count, "" if it would."""
        if self.card is None:
            return self.reason
        if verdict in self.effective:
            return ""
        if verdict is Verdict.UNKNOWN:
            return "“can't tell” would change nothing, as the answer counts already"
        return f"“{verdict_text(verdict)}” to “{self.card.query.text}” {self.reason}"


def asked(state: EpisodeState, focused: QuestionCard | None, chosen: bool = False) -> Asked:
    """Return what is asked. `focused` is the card that has the focus; `chosen` is True if a person gave it
    the focus since the program last began to wait for one.

    What waits for a person comes first; only what they chose themselves comes before it.
    """
    if not state.is_running:
        return Asked()
    pending = pending_cards(state)
    if pending:
        numbers = {card.number for card in pending}
        if focused is None or not (focused.number in numbers or (chosen and is_correctable(focused, state))):
            focused = to_judge(pending)[0]
    elif state.phase is Phase.OFFERED and not chosen:
        focused = offer_card(state)
        if focused is None:
            return Asked(
                None,
                f"plan {state.plan_count + 1} is on offer: Enter accepts it, O keeps the old one; to correct "
                "an answer, choose its card with J first",
            )
    if focused is None:
        return Asked(None, "nothing has been asked yet")
    if focused.model is None:
        return Asked(None, f"the model has not answered “{focused.query.text}” yet")
    if not is_correctable(focused, state):
        return Asked(None, f"the answer to “{focused.query.text}” no longer counts")
    counts = RESTS if state.phase is Phase.OFFERED else "counts already"
    return Asked(focused, counts, _effective(focused, state))


def is_correctable(card: QuestionCard, state: EpisodeState) -> bool:
    """Return True if an answer to this question would change what is believed because of it."""
    return card.turn == state.turn or card.counts_in(state.belief)


def _effective(card: QuestionCard, state: EpisodeState) -> tuple[Verdict, ...]:
    if card.pending:
        return (Verdict.YES, Verdict.NO, Verdict.UNKNOWN)
    counts = card.query.text_verdict(card.final.verdict) if card.final else Verdict.UNKNOWN
    entry = state.belief.entry(card.query.atom)
    sure = entry.probability is None or entry.source is BeliefSource.OPERATOR
    is_said = sure and card.query.text_verdict(entry.verdict) is counts
    if counts is not Verdict.UNKNOWN and (state.phase is Phase.OFFERED or is_said):
        return (counts.opposite,)  # to agree would only make the plan anew
    return (Verdict.YES, Verdict.NO)
