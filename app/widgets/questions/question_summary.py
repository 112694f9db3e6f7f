"""Sum up a turn for the head and the foot of the question panel. Pure."""

from __future__ import annotations

from app.presentation.card_words import card_quote
from app.presentation.decision_section import suspicious
from app.presentation.formatting import call_cost_text, duration, money, pending_cards
from core.episode_state import EpisodeState, Phase
from core.text.plural import plural

BEFORE = (Phase.IDLE, Phase.LOOKING, Phase.ASKING)  # of a turn's questions


def head_note(state: EpisodeState) -> tuple[str, str, str]:
    """Return what was asked or how many answers wait for a person, how bright that is, and a shorter form."""
    cards = state.cards
    if waiting := len(pending_cards(state)):
        return f"{waiting} to answer", "doubt" if any(map(suspicious, cards)) else "", f"{waiting} open"
    asked = plural(len(cards), "question") if cards else ""
    calls = f"{plural(len(state.consultations), 'call')} of the method" if state.consultations else ""
    none = "" if state.phase in BEFORE else "nothing asked"
    said = ", ".join(filter(None, (asked, calls))) or none
    late = "waiting" if any(card.model is None for card in cards) else ""
    return " · ".join(filter(None, (f"turn {state.turn}", said, late))), "", ""


def foot_note(state: EpisodeState) -> tuple[str, str]:
    """Return the last reply as it came, "" if a card shows all of it, and what it took."""
    if state.cards:
        last = state.cards[-1]
        said = " ".join(last.raw_reply.split())
        shown = {card_quote(card) for card in state.cards}  # one reply may answer several questions
        if said and (said in shown or shown >= {part.strip() for part in said.split(";")}):
            return "", ""
        took = duration(last.seconds) if last.seconds else ""
        return last.error or last.raw_reply, " · ".join(filter(None, (took, money(last.cost))))
    if state.consultations:
        event = state.consultations[-1].event
        return event.error or event.raw_reply, call_cost_text(event)
    return "", ""
