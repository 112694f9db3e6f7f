"""Say why a command cannot be done now; "" if it can. Pure."""

from __future__ import annotations

from collections.abc import Callable

from app.presentation.formatting import pending_cards
from app.presentation.suggestions import waiting_suggestion
from core.episode_state import EpisodeState, Phase

READ = 0.25  # seconds that something has to be on the screen before it can be agreed to
DisabledReason = Callable[[EpisodeState], str]  # why it cannot be done now, "" if it can


def always(_: EpisodeState) -> str:
    return ""


def live(state: EpisodeState) -> str:
    return "" if state.is_running else "no episode runs"


def not_live(state: EpisodeState) -> str:
    return "an episode runs: end it first" if state.is_running else ""


def just_appeared(state: EpisodeState) -> str:
    """Refuse while a proposal is so new that a double click meant for something else could answer it."""
    return "it has just appeared" if state.now - state.since < READ else ""


def in_phase(phase: Phase, otherwise: str) -> DisabledReason:
    return lambda state: live(state) or (just_appeared(state) if state.phase is phase else otherwise)


def stopped(state: EpisodeState) -> str:
    """Require a stop; `just_appeared` is not needed, as releasing it takes a hold."""
    return live(state) or ("" if state.phase is Phase.STOPPED else "no stop is in force")


def can_decide_change(state: EpisodeState) -> str:
    suggested = waiting_suggestion(state) is not None
    return live(state) or (just_appeared(state) if suggested else "no change of the domain is suggested")


def no_change_first(otherwise: DisabledReason) -> DisabledReason:
    """Put a waiting change before `otherwise`: Enter must not accept it in the name of a step."""
    first = "decide about the suggested change first"
    return lambda state: first if waiting_suggestion(state) is not None else otherwise(state)


def waiting_at_gate(state: EpisodeState) -> str:
    if state.phase in (Phase.WAITING, Phase.HELP_NEEDED):
        return ""
    return live(state) or "only while a step waits for approval"


def not_stopped(state: EpisodeState) -> str:
    return live(state) or ("release the stop first" if state.phase is Phase.STOPPED else "")


def can_reask(state: EpisodeState) -> str:
    return "" if any(c.model for c in state.cards) else "no question of this picture was answered"


def can_use(state: EpisodeState) -> str:
    return live(state) or (just_appeared(state) if pending_cards(state) else "no answers wait for review")


def can_answer(state: EpisodeState) -> str:
    """Require that what waits has been read, as a verdict counts at once."""
    waits = pending_cards(state) or state.phase is Phase.OFFERED
    return live(state) or (just_appeared(state) if waits else "")


def turned(state: EpisodeState) -> str:
    return "" if state.turn else "no turn has begun"


def can_undo(state: EpisodeState) -> str:
    return live(state) or ("" if state.undo_count else "no override since the last motion")


offered = in_phase(Phase.OFFERED, "no new plan is offered")
can_approve = no_change_first(in_phase(Phase.WAITING, "no step is proposed"))
can_choose = no_change_first(waiting_at_gate)
can_step = no_change_first(not_stopped)
