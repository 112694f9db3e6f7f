"""Put situations that were told, the changes suggested because of them, and what was learnt, into cards."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.presentation.formatting import rows_ahead
from core.episode_state import EpisodeState, Phase, SuggestedChange, SuggestionState
from core.knowledge.changes import Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.log.knowledge_store import AdmittedChange, admitted_in
from core.operator import PlanChange
from core.planning_model import Plan, PlanStatus
from core.reason import Cause, Reason
from core.state.causes import capitalised
from core.text.plural import plural
from core.text.untrusted_text import one_line
from core.text.vocabulary import Vocabulary

WORDS = 300  # characters of a sentence, a change or a reply on a card
FIRST = 4  # steps of the plan that are named
OUTCOME = {
    SuggestionState.ACCEPTED: ("check", "Accepted by {by}"),
    SuggestionState.EDITED: ("pencil", "Edited and accepted by {by}"),
    SuggestionState.REFUSED: ("cross", "Refused by {by}: not suggested again"),
    SuggestionState.UNDONE: ("undo", "Taken back: the domain is as before"),
}


@dataclass(frozen=True)
class ChangeViewModel:
    """One change: in words, in PDDL, and what it rests on."""

    text: str
    pddl: str
    reason: str
    evidence: tuple[Evidence, ...] = ()
    icon: str = "plus"


@dataclass(frozen=True)
class SuggestionViewModel:
    """A situation with what came of it. `waiting` is True while a person must decide.

    `told` is False if the sentence is the program's own.
    """

    sentence: str
    by: str
    fault: str = ""
    rows: tuple[ChangeViewModel, ...] = ()
    effect: str = ""
    icon: str = ""
    outcome: str = ""
    waiting: bool = False
    told: bool = True


def waiting_suggestion(state: EpisodeState) -> Suggestion | None:
    """Return the suggestion that waits for a person, if there is one."""
    return state.proposal.suggestion if state.phase is Phase.WAITING and state.proposal else None


def suggestion_faces(state: EpisodeState, vocabulary: Vocabulary) -> tuple[SuggestionViewModel, ...]:
    """Return this turn's suggestions, the latest first; before them a situation of which nothing came yet."""
    ours = [s for s in state.suggestions if s.turn == state.turn]
    faces = [_suggested(s, state, vocabulary, s is ours[-1]) for s in reversed(ours)]
    told = any(m.kind == "situation" and m.turn == state.turn for m in reversed(state.marks))
    last = state.situations[-1] if told else None
    if last is not None and not any(s.suggestion.situation == last for s in ours):
        thinking = "" if last.fault or state.ended else "nothing has come of it yet"
        fault = one_line(last.fault, WORDS)
        told_ = one_line(last.sentence, WORDS), told_by(last, state)
        faces.insert(0, SuggestionViewModel(*told_, fault=fault, icon="clock", outcome=thinking))
    return tuple(faces)


def told_by(situation: SituationReport, state: EpisodeState) -> str:
    """Return who told a situation, "" if nobody did."""
    robot = state.started.settings.get("robot", "") if state.started else ""
    if situation.by and situation.by == robot:
        return "reported by the robot"
    return f"told by {one_line(situation.by, 60)}" if situation.by else ""


def _suggested(
    one: SuggestedChange, state: EpisodeState, vocabulary: Vocabulary, last: bool
) -> SuggestionViewModel:
    waiting = last and waiting_suggestion(state) is not None
    changes = one.changes or one.suggestion.changes
    shown = sorted(changes, key=lambda learnt: not learnt.change.lasting)  # of this episode only: last
    icon, outcome = OUTCOME.get(one.state, ("person", "" if waiting else "not decided"))
    if one.state is not SuggestionState.OPEN:
        outcome = outcome.format(by=one_line(one.by, 60) or "the levels of supervision, by nobody")
        outcome += "; Ctrl+Z takes it back until the robot moves" if one.changes and state.undo_count else ""
    return SuggestionViewModel(
        one_line(one.suggestion.situation.sentence, WORDS),
        told_by(one.suggestion.situation, state),
        rows=tuple(change_face(learnt, vocabulary) for learnt in shown),
        effect=plan_effect(state, vocabulary) if waiting else "",
        icon=icon,
        outcome=outcome,
        waiting=waiting,
    )


def change_face(learnt: LearntChange, vocabulary: Vocabulary) -> ChangeViewModel:
    words = capitalised(one_line(learnt.change.describe(vocabulary.object_name), WORDS))
    first = learnt.change.bars  # why not; then how it is named
    shown = learnt.evidence[: 1 if first else None] or (
        Evidence(interpretation="follows from the situation"),
    )
    return ChangeViewModel(
        words, one_line(learnt.change.pddl, WORDS), evidence_words(shown[-1]), learnt.evidence
    )


def evidence_words(evidence: Evidence) -> str:
    """Return who said it and how it was interpreted: "davinci says “Yes.”, taken as yes".

    Of a reply of several sentences it is the first one; all of it can be opened.
    """
    said, read = one_line(evidence.raw_reply, WORDS), one_line(evidence.interpretation, WORDS)
    by = one_line(evidence.by, 60)
    if not said:
        return f"{read}, {by}".strip(" ,")
    first = re.split(r"(?<=[.!?])\s", said, maxsplit=1)[0]
    quoted = f"{by or 'the model'} says “{first}{'' if first == said else ' …'}”"
    return f"{quoted}, taken as {read}" if read and read.lower() != said.lower() else quoted


def plan_effect(state: EpisodeState, vocabulary: Vocabulary, named: int = FIRST) -> str:
    """Return what the suggested changes would make of the plan, with its first `named` steps."""
    change = suggested_plan(state)
    if change is None:
        return "No plan is known with it: it only keeps the robot from what is not suitable."
    steps = change.new_plan.steps
    first = ", ".join(map(vocabulary.describe_step, steps[:named]))
    more = ", …" if len(steps) > named else ""
    return f"The plan with it: {change.size if change.old_steps else change.new_plan.size}: {first}{more}"


def suggested_plan(state: EpisodeState) -> PlanChange | None:
    """Return what the plan would become if the suggestion were accepted; None if no plan is known with it."""
    suggestion = waiting_suggestion(state)
    if suggestion is None or not suggestion.plan:
        return None
    old = tuple(row.step for row in rows_ahead(state))
    plan = Plan(PlanStatus.FOUND, suggestion.plan)
    return PlanChange(state.turn, old, plan, Reason(Cause.DOMAIN_CHANGED, turn=state.turn))


@dataclass(frozen=True)
class KnownChange:
    """A change as it stands in the domain's file, or would: later episodes begin with it while it is kept."""

    entry: AdmittedChange
    stored: bool
    in_force: bool  # in the episode that is shown

    @property
    def learnt(self) -> LearntChange:
        return self.entry.learnt

    @property
    def kept(self) -> bool:
        return self.stored and self.entry.kept

    @property
    def origin(self) -> str:
        """Return where it is from: "episode 2026…, admitted by ada"."""
        if not self.learnt.change.lasting:
            return "of this episode only"
        did = "refused" if self.stored and not self.kept and self.entry.refused else "admitted"
        did = "last counted" if self.learnt.robot else did
        who = f"{did} by {one_line(self.entry.by, 60) or 'nobody: not kept'}"
        where = f"episode {one_line(self.learnt.episode, 60)}" if self.learnt.episode else "this episode"
        return f"{where}, {who}"

    @property
    def counts(self) -> str:
        """Return how often it served and was refused, "" for what is not stored, or is a count."""
        if not self.stored or self.learnt.robot:
            return ""
        served, refused = plural(self.entry.served, "episode"), plural(self.entry.refused, "time")
        return f"served in {served}, refused {refused}"


def _rank(one: AdmittedChange) -> tuple[bool, bool]:
    return bool(one.learnt.robot), not one.kept


def known_changes(state: EpisodeState, kept: tuple[AdmittedChange, ...]) -> tuple[KnownChange, ...]:
    """Return what is stored, what is kept first, and counts last; then what is in force here only."""
    force = {learnt.change for learnt in state.knowledge}
    new = {one.learnt.change: one.by for one in admitted_in(state)}
    ours = {k.learnt.change for k in kept}
    first = (KnownChange(k, True, k.learnt.change in force) for k in sorted(kept, key=_rank))
    rest = (learnt for learnt in state.knowledge if learnt.change not in ours)
    here = (AdmittedChange(one, new.get(one.change, ""), kept=False) for one in rest)
    return (*first, *(KnownChange(one, False, True) for one in here))
