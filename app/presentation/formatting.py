"""Format names, ages, durations, money and the current status as text. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.presentation.likelihood import fine_percent, goal_likelihood_text
from core import events as ev
from core.belief import Verdict
from core.episode_state import WAITING_PHASES, EpisodeState, Phase, PlanRow, PlanRowState, QuestionCard
from core.events import ModelConsulted
from core.methods.registry import METHODS
from core.ports import Embodiment
from core.reason import Cause
from core.state.causes import evidence, is_confirmed
from core.text.numbers import money
from core.text.plural import plural

SLOW = 10.0  # seconds that a call of a model may take
FRAME_LATE, FRAME_STALE = 0.2, 0.5  # seconds; delay hurts control from 0.2 s
AHEAD = (PlanRowState.NEXT, PlanRowState.TODO)


def clock(seconds: float) -> str:
    """Return minutes and seconds, such as "1:04"."""
    s = max(0, int(seconds))
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60}:{s % 60:02d}"


def age(seconds: float) -> str:
    """Return "9 s" below a minute, then "1:04"."""
    return f"{max(0, int(seconds))} s" if seconds < 60 else clock(seconds)


def duration(seconds: float) -> str:
    """Return a duration such as "1.8 s" or "34 ms"."""
    return f"{seconds * 1000:.0f} ms" if seconds < 0.1 else f"{seconds:.1f} s"


def frame_age_text(seconds: float) -> str:
    """Return the age of a live frame as text; an infinite one is not known."""
    if math.isinf(seconds):
        return "age unknown"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else duration(seconds)


def staleness_level(seconds: float) -> str:
    """Return the level of a live frame of this age in seconds."""
    return "fault" if seconds >= FRAME_STALE else "doubt" if seconds >= FRAME_LATE else ""


def worth_text(worth: float | None) -> str:
    """Return what an answer saves, such as "worth 2.1 steps", "" if the method does not say."""
    return "" if worth is None else f"worth {worth:.1f} steps"


def verdict_text(verdict: Verdict) -> str:
    """Return "yes", "no" or "unknown"."""
    return "unknown" if verdict is Verdict.UNKNOWN else verdict.value


def rows_ahead(state: EpisodeState) -> tuple[PlanRow, ...]:
    return tuple(ln for ln in state.plan_rows if ln.state in AHEAD)


def verdict_change(reason: str) -> tuple[str, str] | None:
    """Return the believed and the answered verdict in the reason of a contradiction, None if it has another
    form, such as a mutex."""
    change = re.fullmatch(r"\w+ (yes|no), now (yes|no)", reason)
    return (change[1], change[2]) if change else None


def pending_cards(state: EpisodeState) -> tuple[QuestionCard, ...]:
    """Return the cards whose answers wait for review."""
    if state.phase is not Phase.REVIEWING:
        return ()
    return tuple(c for c in state.cards if c.pending and c.model is not None)


def offer_card(state: EpisodeState) -> QuestionCard | None:
    """Return the card of the answer because of which a new plan is offered, if there is one."""
    answer = state.offered_change.reason.answer if state.offered_change else None
    if answer is None or state.phase is not Phase.OFFERED:
        return None
    cards = (*state.cards, *state.earlier_cards)
    return next((c for c in cards if (c.query.atom, c.turn) == (answer.atom, answer.turn) and c.final), None)


def waits_for_person(state: EpisodeState) -> bool:
    """Return True if the episode waits for a person."""
    return state.phase in WAITING_PHASES


def progress_text(state: EpisodeState) -> str:
    """Return the progress, such as "Turn 5 · step 5 of 12"; that of a fork says so."""
    if state.started is None:
        return "No episode"
    fork = "Fork · " if state.started.settings.get("parent") else ""
    return f"{fork}{_progress(state)}"


def _progress(state: EpisodeState) -> str:
    if state.ended:
        return f"Ended in turn {state.turn}"
    if state.turn == 0:
        return "Before the first turn"
    done = sum(
        ln.state in (PlanRowState.DONE, PlanRowState.FAILED, PlanRowState.HALTED) for ln in state.plan_rows
    )
    total = done + len(rows_ahead(state)) + (1 if state.acting else 0)
    return f"Turn {state.turn} · step {min(done + 1, total)} of {total}" if total else f"Turn {state.turn}"


@dataclass(frozen=True)
class StatusText:
    """One line about what the program does or waits for. `mine` is True if it waits for the person."""

    text: str
    icon: str
    level: str = ""
    mine: bool = False


def robot_text(settings: Mapping[str, str]) -> str:
    """Return the robot's name; of one that is not in this process, where it is and, if known, its name."""
    name, at = settings.get("robot", ""), settings.get("robot.at", "")
    if not at:
        return name
    return f"{name} at {at}" if ":" in at else f"{at}, own process"


def robot_link_text(settings: Mapping[str, str], world: Embodiment) -> str:
    """Return what is between this window and the robot."""
    at = settings.get("robot.at", "")
    if at:
        return "network" if ":" in at else "own process"
    return "local" if world is Embodiment.SIM else "open"


def link_text(state: EpisodeState) -> tuple[str, str] | None:
    """Return what is known of the way to the model and its level, None before the first answer."""
    if (silent := silent_seconds(state)) > SLOW:
        return f"no answer, {age(silent)}", "doubt"
    if any(card.error for card in state.cards):
        return "no answer", "fault"
    took = max((card.seconds for card in state.cards), default=0.0)
    if not took:
        return None
    return (f"model {duration(took)}, slow", "doubt") if took > SLOW else (f"model {duration(took)}", "")


def silent_seconds(state: EpisodeState) -> float:
    """Return how long the model has not answered what it is asked now."""
    return state.now - state.since if state.phase is Phase.ASKING else 0.0


def lacks_answers(state: EpisodeState) -> bool:
    """Return True if the episode waits at the gate because a model says nothing."""
    return state.proposal is not None and state.proposal.reason.cause is Cause.NO_ANSWER


def help_head(state: EpisodeState) -> str:
    """Return what a person is needed for; a plan that stands is not said to be missing."""
    if lacks_answers(state):
        return "The model does not answer"
    if not not_understood(state):
        return "No plan found"
    return "Situation not understood"


def not_understood(state: EpisodeState) -> str:
    """Return why the situation that was told in this turn is of no use, "" if it is or none was told."""
    told = any(m.kind == "situation" and m.turn == state.turn for m in state.marks)
    return state.situations[-1].fault if told and state.situations else ""


HELD_UP = "This computer did not keep up: run it again with less beside it."  # `EpisodeState.is_held_up`


def ending_text(state: EpisodeState) -> tuple[str, str]:
    """Return how the episode ended, in two sentences without their full stops."""
    ended = state.ended
    if ended is None:
        return "The episode is running", ""
    confirmed = is_confirmed(state.belief, state.started.goal if state.started else ())
    goal = "Goal believed" if confirmed else "Goal believed, never confirmed"
    if ended.true_goal:
        goal = "Goal reached" if confirmed else "Goal reached, though never seen"
    if ended.probability is not None:
        goal = f"Goal {goal_likelihood_text(ended.probability)}"
    if ended.result is ev.EpisodeResult.ENDED and state.is_held_up:
        return HELD_UP.rstrip("."), ended.reason.rstrip(".")
    unheard = any(card.error and card.error in ended.reason for card in state.cards)
    words = {
        ev.EpisodeResult.SUCCEEDED: goal,
        ev.EpisodeResult.NO_PLAN: "No plan was found",
        ev.EpisodeResult.STEP_LIMIT: "The step limit was reached",
        ev.EpisodeResult.ENDED: "No answer from the model" if unheard else "Ended by you",
        ev.EpisodeResult.CRASHED: "The episode failed with an error",
        ev.EpisodeResult.INTERRUPTED: "The episode was interrupted",
    }
    return words[ended.result], ended.reason.rstrip(".")


def goal_text(state: EpisodeState) -> str:
    """Return how the goal is known, such as "goal: 1 seen, 1 predicted", "" if it is not believed."""
    if state.started is None or state.ended is None:
        return ""
    probability = state.ended.probability
    figure = "" if probability is None else fine_percent(probability)
    if not state.ended.believed_goal:
        return "" if probability is None else f"the goal is {goal_likelihood_text(probability)}: {figure}"
    sure = f"{figure} sure" if figure and figure not in state.ended.reason else ""
    return ", ".join(filter(None, (f"goal: {evidence(state.belief, state.started.goal)}", sure)))


WHOLE = 200_000  # characters that are shown of a prompt or a reply


def call_title(event: ModelConsulted) -> str:
    """Return a title such as "Asked gpt-4.1: count"."""
    return f"Asked {event.by}: {event.purpose}" if event.by else f"Not asked: {event.purpose}"


def call_cost_text(event: ModelConsulted) -> str:
    """Return what the call took, such as "1.2 s · 412 tokens · $0.003 · with picture"."""
    parts = (
        duration(event.seconds) if event.seconds else "",
        plural(event.tokens, "token") if event.tokens else "",
        money(event.cost),
        "with picture" if event.frame else "",
    )
    return " · ".join(filter(None, parts))


def interpretation_text(event: ModelConsulted) -> str:
    """Return how the reply was interpreted, "" if it was not."""
    if event.error:
        return ""
    silent = "the method does not say how it read this"
    return f"taken as: {event.interpretation}" if event.interpretation else silent


def spaced(name: str) -> str:
    """Return an id of a task, a domain or an option in words, such as "boil water"."""
    return name.replace("_", " ")


def method_title(name: str) -> str:
    """Return a method's title, such as "Zero-shot planner" for `lmzsp`."""
    return METHODS[name].title if name in METHODS else spaced(name)


def answerer_name(name: str) -> str:
    """Return an answerer's name; of an eye, without its version, which is for tooltips."""
    return name.partition(" ")[0]
