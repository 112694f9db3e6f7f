"""Compute the sections of the decision bar: the next action, its reason, and doubts. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.presentation.formatting import (
    age,
    duration,
    ending,
    pending_cards,
    plural,
    rows_ahead,
    verdict_change,
    verdict_text,
)
from app.presentation.vocabulary import Vocabulary
from core import events as ev
from core.arm.arm_capabilities import PreflightCheck
from core.belief import Answer, Atom, BeliefSource, Contradiction, Purpose, Verdict
from core.episode_state import EpisodeState, Phase, PlanRowState, QuestionCard
from core.operator import PlanChange
from core.planning_model import Step
from core.supervision import SupervisionLevel


@dataclass(frozen=True)
class DecisionSection:
    """One third of the bar: a caption, a main line, and up to two muted lines."""

    word: str
    head: str
    lines: tuple[str, ...] = ()
    level: str = ""
    icon: str = "arrow"


@dataclass(frozen=True)
class DecisionSummary:
    next: DecisionSection
    because: DecisionSection
    doubt: DecisionSection


def decision_summary(
    state: EpisodeState,
    vocabulary: Vocabulary,
    breakpoints: frozenset[str] = frozenset(),
    wrong: tuple[PreflightCheck, ...] = (),
) -> DecisionSummary:
    """Return the sections. `wrong` are an arm's failed preflight checks, shown while a stop is in force."""
    return DecisionSummary(
        _next_section(state, vocabulary, breakpoints),
        _because_section(state, vocabulary),
        _doubt_section(state, vocabulary, wrong),
    )


# --- NEXT ---------------------------------------------------------------------------------------------


def _next_section(
    state: EpisodeState, vocabulary: Vocabulary, breakpoints: frozenset[str]
) -> DecisionSection:
    waited = f"WAITING {age(state.now - state.since).upper()}"
    plan = f"plan {state.plan_count}" if state.plan_count else ""
    match state.phase:
        case Phase.WAITING if state.proposal and state.proposal.step:
            where = _where(state, PlanRowState.NEXT)
            then = _then(state, vocabulary, breakpoints, skip=1)
            word = f"NEXT, IF YOU APPROVE  ·  {waited}"
            if state.proposal.failing:
                word = f"NEEDS YOU  ·  {waited}"
                then = "approve it to try once more"
            if state.paused:
                word = f"PAUSED  ·  {waited}"
            return DecisionSection(word, vocabulary.describe_step(state.proposal.step), (then, where))
        case Phase.ACTING if state.acting:
            word = f"NOW  ·  {duration(state.now - state.acting_since).upper()}"
            lines = (_then(state, vocabulary, breakpoints), _where(state, PlanRowState.RUNNING))
            return DecisionSection(word, vocabulary.describe_step(state.acting), lines, icon="play")
        case Phase.REVIEWING if pending_cards(state):
            return _review_section(state, f"REVIEW  ·  {waited}")
        case Phase.OFFERED if state.offered_change:
            old, new = state.offered_change.old_steps, state.offered_change.new_plan.steps
            fresh = len([s for s in new if s not in old])
            first = f"starts with {vocabulary.describe_step(new[0])}" if new else ""
            size = f"{len(old)} → {len(new)} steps, {fresh} new"
            head = f"Accept plan {state.plan_count + 1}?"
            return DecisionSection(f"REVIEW  ·  {waited}", head, (size, first), icon="replan")
        case Phase.HELP_NEEDED:
            undo = "Undo your correction, correct" if state.undo_count else "Correct"
            lines = (f"{undo} the belief, choose a step, or end", plan)
            return DecisionSection(f"NEEDS YOU  ·  {waited}", "No plan found", lines, icon="pause")
        case Phase.STOPPED:
            lines = ("Hold to resume: what the step affects is asked again", "or end the episode")
            return DecisionSection("NEXT", "nothing moves", lines, icon="pause")
        case Phase.ENDED:
            c = state.counts
            counted = ((c.steps, "step"), (c.questions, "question"), (c.replans, "re-plan"))
            figures = ", ".join(plural(n, thing) for n, thing in counted)
            stops = plural(c.stops, "stop") if c.stops else ""
            mine = f"{plural(c.overrides, 'override')} by you" if c.overrides else ""
            yours = ", ".join(filter(None, (mine, stops, f"{age(state.now)} in all")))
            head = "goal reached" if state.ended and state.ended.believed_goal else "ended"
            return DecisionSection("ENDED", head, (figures, yours), icon="flag")
    busy = {
        Phase.LOOKING: ("looking", "camera") if state.turn else ("making the first plan", "list"),
        Phase.ASKING: ("asking the model", "eye"),
        Phase.REVIEWING: ("reading the answers", "eye"),
        Phase.PLANNING: ("planning", "list"),
    }
    head, icon = busy.get(state.phase, (state.phase.value, "play"))
    questions = sum(c.model is None for c in state.cards)
    about = f"{plural(questions, 'question')} on one picture" if state.phase is Phase.ASKING else ""
    return DecisionSection("NOW", head, (about or _then(state, vocabulary, breakpoints), plan), icon=icon)


def _where(state: EpisodeState, row: PlanRowState) -> str:
    """Return the number of the step in this state, and of the plan."""
    number = next((ln.number for ln in state.plan_rows if ln.state is row), 0)
    plan = f"plan {state.plan_count}" if state.plan_count else ""
    return " · ".join(filter(None, (f"step {number}" if number else "", plan)))


def _review_section(state: EpisodeState, word: str) -> DecisionSection:
    """Return the answer under review, or the number of answers."""
    cards, unapplied = pending_cards(state), "not applied until you confirm"
    keys = "Y, N or U changes a wrong answer; Enter confirms"
    if state.supervision.ask is SupervisionLevel.MANUAL:
        head, first = f"Answer {plural(len(cards), 'question')}", "Y, N or U answers; Enter confirms"
    elif len(cards) == 1 and cards[0].model is not None:
        verdict = cards[0].query.text_verdict(cards[0].model.verdict)
        head, first = f"Model says {verdict_text(verdict)}", f"“{cards[0].query.text}”"
    else:
        head, first = f"Review {plural(len(cards), 'answer')}", keys
    return DecisionSection(word, head, (first, unapplied), icon="eye")


def _then(state: EpisodeState, vocabulary: Vocabulary, breakpoints: frozenset[str], skip: int = 0) -> str:
    """Return the next few steps, up to a breakpoint."""
    words = []
    for line in rows_ahead(state)[skip : skip + 3]:
        held = line.step.name in breakpoints or str(line.step) in breakpoints
        words.append(vocabulary.describe_step(line.step) + (" (stops there: breakpoint)" if held else ""))
        if held:
            break
    return f"then {', '.join(words)}" if words else "then the goal is checked"


# --- BECAUSE ------------------------------------------------------------------------------------------


def _because_section(state: EpisodeState, vocabulary: Vocabulary) -> DecisionSection:
    word = "BECAUSE"
    match state.phase:
        case Phase.REVIEWING if pending_cards(state):
            return DecisionSection(word, _review_reason(state, vocabulary), _asked_for(state, vocabulary))
        case Phase.OFFERED if state.offered_change:
            return _plan_change_section(state, vocabulary, state.offered_change)
        case Phase.HELP_NEEDED:
            why = state.proposal.explanation if state.proposal else ""
            causes = (why, _cause_line(state, vocabulary))
            return DecisionSection(word, "No plan reaches the goal", causes, "doubt")
        case Phase.STOPPED:
            stop = state.stop
            ago = f"{age(state.now - stop.requested_at)} ago" if stop else ""
            head, *rest = re.split("[.;] ", state.proposal.explanation if state.proposal else "", maxsplit=1)
            lines = ("".join(rest).rstrip("."), ago, "a stop ends the motion, not the episode")
            return DecisionSection(word, _capitalised(head.rstrip(".")) or "You stopped it", lines)
        case Phase.ENDED:
            head, why = ending(state)
            crashed = bool(state.ended and state.ended.result is ev.EpisodeResult.CRASHED)
            return DecisionSection(word, head, (why,) if why != head else (), "fault" if crashed else "")
    if state.phase is Phase.WAITING and state.proposal and (failing := state.proposal.failing):
        said = failing.sentence(vocabulary.describe_step, vocabulary.describe_literal)
        head, _, reason = said.partition(": ")
        return DecisionSection(word, _capitalised(head), (_capitalised(reason),), "doubt")
    if state.started and state.turn == 0:
        goal = ", ".join(vocabulary.describe_literal(g) for g in state.started.goal)
        return DecisionSection(word, "The episode begins", (f"goal: {goal}",))
    revision = state.plan_change
    if revision and state.plan_count > 1 and revision.turn == state.turn and state.phase is not Phase.LOOKING:
        return _plan_change_section(state, vocabulary, revision)
    needed = [c for c in state.cards if c.query.purpose is Purpose.PRECONDITION and c.final]
    made = "the first plan"
    if revision and state.plan_count > 1:
        made = f"plan {state.plan_count}, made in turn {revision.turn}"
    if not state.plan_count:
        return DecisionSection(word, "No plan yet", ())
    if needed:
        last = needed[-1]
        return DecisionSection(word, "Its preconditions are believed", (_said(last), made))
    return DecisionSection(word, "It is next in the plan", (made,))


def _review_reason(state: EpisodeState, vocabulary: Vocabulary) -> str:
    """Return why a person is asked to review the answers."""
    if state.supervision.ask is SupervisionLevel.MANUAL:
        return "The model is not asked: you answer"
    if state.supervision.believe >= SupervisionLevel.APPROVE:
        return "You review every call"
    suspects = [c for c in pending_cards(state) if suspicious(c)]
    if not suspects:
        return "An answer contradicts the belief"
    first = suspects[0]
    if first.model is not None and first.model.verdict is Verdict.UNKNOWN:
        return "The model answers unknown"
    if first.query.purpose is Purpose.EFFECT and state.last_step:
        return f"Contradicts what “{vocabulary.describe_step(state.last_step.step)}” should do"
    step = _next_step(state)
    if first.query.purpose is Purpose.PRECONDITION and step:
        return f"“{vocabulary.describe_step(step)}” needs the opposite"
    return "Not the expected answer"


def _plan_change_section(
    state: EpisodeState, vocabulary: Vocabulary, revision: PlanChange
) -> DecisionSection:
    """Return the answer that caused the new plan, and what it made impossible."""
    answer = revision.trigger
    if answer is None:
        return DecisionSection("BECAUSE", revision.reason.sentence, (_broken(state, vocabulary, revision),))
    who = {
        BeliefSource.MODEL: "says the model",
        BeliefSource.OPERATOR: "you said so",
        BeliefSource.SENSOR: "sensed",
        BeliefSource.ASSUMED: "assumed",
    }.get(answer.source, "believed")
    card = _card(state, answer)
    which = f"Q{card.number}, {_ago(state, answer)}" if card else f"{who}, {_ago(state, answer)}"
    fact = vocabulary.describe_literal(answer.atom, answer.verdict is Verdict.YES)
    asked = vocabulary.describe_query(answer.atom)
    quoted = asked and answer.source is not BeliefSource.SENSOR
    detail = f"{which}: {vocabulary.answer_with_question(answer)}" if quoted else which
    return DecisionSection("BECAUSE", _capitalised(fact), (detail, _broken(state, vocabulary, revision)))


def _broken(state: EpisodeState, vocabulary: Vocabulary, revision: PlanChange) -> str:
    """Return what the causes changed in the old plan."""
    if not revision.discrepancies:
        return ""
    last, atoms = state.last_step, {c.atom for c in revision.discrepancies}
    failed = f"so {vocabulary.describe_step(last.step)} did not have its effect" if last else ""
    if failed and atoms & _effects(state):
        return failed
    if not revision.old_steps:
        return ""
    step = revision.old_steps[0]
    needed = vocabulary.preconditions(step)
    if not needed or atoms & needed:
        return f"so {vocabulary.describe_step(step)} cannot be done"
    return failed


def _effects(state: EpisodeState) -> frozenset[Atom]:
    return frozenset(c.query.atom for c in state.cards if c.query.purpose is Purpose.EFFECT)


def _cause_line(state: EpisodeState, vocabulary: Vocabulary) -> str:
    if state.plan_change and state.plan_change.trigger:
        return vocabulary.answer_with_question(state.plan_change.trigger)
    return ""


def _card(state: EpisodeState, answer: Answer) -> QuestionCard | None:
    return next((c for c in state.cards if c.query.atom == answer.atom and c.turn == answer.turn), None)


def _ago(state: EpisodeState, answer: Answer) -> str:
    return f"{age(state.now - state.changed_at.get(answer.atom, state.now))} ago"


def _said(card: QuestionCard) -> str:
    answer = card.final or card.model
    verdict = card.query.text_verdict(answer.verdict).value if answer else "?"
    return f"Q{card.number}: “{card.query.text}” {verdict}"


def _asked_for(state: EpisodeState, vocabulary: Vocabulary) -> tuple[str, ...]:
    step = _next_step(state)
    why = f"asked before {vocabulary.describe_step(step)}" if step else ""
    levels, assist = state.supervision, SupervisionLevel.ASSIST
    if levels.believe is assist and levels.ask is not SupervisionLevel.MANUAL:
        return (why, "you review contradictions and uncertain answers")
    return (why,)


def _next_step(state: EpisodeState) -> Step | None:
    return next((ln.step for ln in state.plan_rows if ln.state is PlanRowState.NEXT), None)


# --- DOUBT --------------------------------------------------------------------------------------------


def describe_failed_checks(wrong: tuple[PreflightCheck, ...], word: str, *more: str) -> DecisionSection:
    """Return the number of failed checks of an arm, and the first one with its remedy."""
    first = wrong[0]
    said = ": ".join(filter(None, (first.name, first.reason, first.remedy)))
    return DecisionSection(word, f"{plural(len(wrong), 'check')} not ready", (said, *more), "doubt")


def _doubt_section(
    state: EpisodeState, vocabulary: Vocabulary, wrong: tuple[PreflightCheck, ...]
) -> DecisionSection:
    word = "DOUBT"
    if wrong and state.phase is Phase.STOPPED:
        again = _facts(vocabulary, state, state.belief.uncertain_atoms)
        return describe_failed_checks(wrong, word, f"asked again first: {again}" if again else "")
    ended = state.ended
    if ended:
        if ended.true_goal is None:
            return DecisionSection(word, "Not verified", ("this robot has no ground truth to compare with",))
        if ended.true_goal:
            return DecisionSection(word, "Confirmed by simulator", ("the goal is reached",))
        missing = ", ".join(vocabulary.describe_literal(a) for a in ended.missing)
        head = "The simulator disagrees" if ended.believed_goal else "Goal not reached"
        return DecisionSection(word, head, (f"missing: {missing}",), "doubt" if ended.believed_goal else "")
    if state.phase is Phase.HELP_NEEDED and state.corrections:
        last = state.corrections[-1][-1]
        said = f"you say: {vocabulary.describe_answer(last)}"
        return DecisionSection(word, "Is the belief right?", (said,))
    if state.contradictions:
        first = state.contradictions[0]
        more = len(state.contradictions) - 1
        rest = f"and {plural(more, 'more contradiction')}" if more else _skipped(state, vocabulary)
        head, line = _contradiction_text(state, vocabulary, first)
        return DecisionSection(word, head, (line, rest), "doubt")
    suspects = [c for c in pending_cards(state) if suspicious(c)]
    if suspects:
        card = suspects[0]
        expected = card.query.text_verdict(card.query.expected).value
        rest = f"and {len(suspects) - 1} more" if len(suspects) > 1 else ""
        lines = (f"expected {expected}, {_said(card)}", rest)
        return DecisionSection(word, card.query.text, lines, "doubt")
    doubtful = state.belief.uncertain_atoms
    if doubtful:
        n = plural(len(doubtful), "atom")
        about = f"asked again first: {_facts(vocabulary, state, doubtful)}"
        return DecisionSection(word, f"Halted step: {n} uncertain", (about,), "doubt")
    skipped = _skipped(state, vocabulary)
    return DecisionSection(word, "No doubts about this step", (skipped,) if skipped else ())


def _contradiction_text(
    state: EpisodeState, vocabulary: Vocabulary, contradiction: Contradiction
) -> tuple[str, str]:
    """Return the expected and the given answer, or the atoms that exclude each other and why."""
    change = verdict_change(contradiction.reason)
    if change is None or len(contradiction.atoms) != 1:
        head = _facts(vocabulary, state, contradiction.atoms)
        return f"{_capitalised(head)}?", _capitalised(contradiction.reason)
    atom, (held, now) = contradiction.atoms[0], change
    expected, answered = (vocabulary.describe_literal(atom, verdict == "yes") for verdict in (held, now))
    return f"Expected: {expected}", f"answered: {answered}"


def suspicious(card: QuestionCard) -> bool:
    """Return True if a person should check the answer: it is UNKNOWN or not as expected."""
    model = card.model
    if model is None:
        return False
    expected = card.query.expected
    return model.verdict is Verdict.UNKNOWN or (
        expected is not Verdict.UNKNOWN and model.verdict is not expected
    )


def _skipped(state: EpisodeState, vocabulary: Vocabulary) -> str:
    skipped = [c.query.atom for c in state.cards if c.final and c.final.verdict is Verdict.UNKNOWN]
    return f"unknown, old value kept: {_facts(vocabulary, state, tuple(skipped))}" if skipped else ""


def _facts(vocabulary: Vocabulary, state: EpisodeState, atoms: tuple[Atom, ...]) -> str:
    """Return these atoms as they are believed now, as text."""
    said = [vocabulary.describe_literal(a, state.belief.verdict(a) is not Verdict.NO) for a in atoms[:3]]
    return ", ".join(said) + (f" and {len(atoms) - 3} more" if len(atoms) > 3 else "")


def _capitalised(words: str) -> str:
    """Return the text with a capital first letter."""
    return words[:1].upper() + words[1:]
