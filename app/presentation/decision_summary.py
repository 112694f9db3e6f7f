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
    story: EpisodeState,
    vocabulary: Vocabulary,
    breakpoints: frozenset[str] = frozenset(),
    wrong: tuple[PreflightCheck, ...] = (),
) -> DecisionSummary:
    """Return the sections. `wrong` are an arm's failed preflight checks, shown while a stop is in force."""
    return DecisionSummary(
        _next_section(story, vocabulary, breakpoints),
        _because_section(story, vocabulary),
        _doubt_section(story, vocabulary, wrong),
    )


# --- NEXT ---------------------------------------------------------------------------------------------


def _next_section(
    story: EpisodeState, vocabulary: Vocabulary, breakpoints: frozenset[str]
) -> DecisionSection:
    waited = f"WAITING {age(story.now - story.since).upper()}"
    plan = f"plan {story.plan_count}" if story.plan_count else ""
    match story.phase:
        case Phase.WAITING if story.proposal and story.proposal.step:
            number = next((ln.number for ln in story.plan_rows if ln.state is PlanRowState.NEXT), 0)
            where = " · ".join(filter(None, (f"step {number}" if number else "", plan)))
            then = _then(story, vocabulary, breakpoints, skip=1)
            word = f"NEXT, IF YOU APPROVE  ·  {waited}"
            if story.proposal.failing:
                word = f"NEEDS YOU  ·  {waited}"
                then = "approve it to try once more"
            if story.paused:
                word = f"PAUSED  ·  {waited}"
            return DecisionSection(word, vocabulary.describe_step(story.proposal.step), (then, where))
        case Phase.ACTING if story.acting:
            running = next((ln.number for ln in story.plan_rows if ln.state is PlanRowState.RUNNING), 0)
            where = " · ".join(filter(None, (f"step {running}" if running else "", plan)))
            since = duration(story.now - story.acting_since).upper()
            then = _then(story, vocabulary, breakpoints)
            return DecisionSection(
                f"NOW  ·  {since}", vocabulary.describe_step(story.acting), (then, where), icon="play"
            )
        case Phase.REVIEWING if pending_cards(story):
            return _review_section(story, f"REVIEW  ·  {waited}")
        case Phase.OFFERED if story.offered_change:
            old, new = story.offered_change.old_steps, story.offered_change.new_plan.steps
            fresh = len([s for s in new if s not in old])
            first = f"starts with {vocabulary.describe_step(new[0])}" if new else ""
            size = f"{len(old)} → {len(new)} steps, {fresh} new"
            return DecisionSection(
                f"REVIEW  ·  {waited}", f"Accept plan {story.plan_count + 1}?", (size, first), icon="replan"
            )
        case Phase.HELP_NEEDED:
            undo = "Undo your correction, correct" if story.undo_count else "Correct"
            lines = (f"{undo} the belief, choose a step, or end", plan)
            return DecisionSection(f"NEEDS YOU  ·  {waited}", "No plan found", lines, icon="pause")
        case Phase.STOPPED:
            lines = ("Hold to resume: what the step affects is asked again", "or end the episode")
            return DecisionSection("NEXT", "nothing moves", lines, icon="pause")
        case Phase.ENDED:
            c = story.counts
            figures = (
                f"{plural(c.steps, 'step')}, {plural(c.questions, 'question')}, "
                f"{plural(c.replans, 're-plan')}"
            )
            stops = plural(c.stops, "stop") if c.stops else ""
            mine = f"{plural(c.overrides, 'override')} by you" if c.overrides else ""
            yours = ", ".join(filter(None, (mine, stops, f"{age(story.now)} in all")))
            head = "goal reached" if story.ended and story.ended.believed_goal else "ended"
            return DecisionSection("ENDED", head, (figures, yours), icon="flag")
    busy = {
        Phase.LOOKING: ("looking", "camera") if story.turn else ("making the first plan", "list"),
        Phase.ASKING: ("asking the model", "eye"),
        Phase.REVIEWING: ("reading the answers", "eye"),
        Phase.PLANNING: ("planning", "list"),
    }
    head, icon = busy.get(story.phase, (story.phase.value, "play"))
    questions = sum(c.model is None for c in story.cards)
    about = f"{plural(questions, 'question')} on one picture" if story.phase is Phase.ASKING else ""
    return DecisionSection("NOW", head, (about or _then(story, vocabulary, breakpoints), plan), icon=icon)


def _review_section(story: EpisodeState, word: str) -> DecisionSection:
    """Return the answer under review, or the number of answers."""
    cards, unapplied = pending_cards(story), "not applied until you confirm"
    keys = "Y, N or U changes a wrong answer; Enter confirms"
    if story.supervision.ask is SupervisionLevel.MANUAL:
        head, first = f"Answer {plural(len(cards), 'question')}", "Y, N or U answers; Enter confirms"
    elif len(cards) == 1 and cards[0].model is not None:
        verdict = cards[0].query.text_verdict(cards[0].model.verdict)
        head, first = f"Model says {verdict_text(verdict)}", f"“{cards[0].query.text}”"
    else:
        head, first = f"Review {plural(len(cards), 'answer')}", keys
    return DecisionSection(word, head, (first, unapplied), icon="eye")


def _then(story: EpisodeState, vocabulary: Vocabulary, breakpoints: frozenset[str], skip: int = 0) -> str:
    """Return the next few steps, up to a breakpoint."""
    words = []
    for line in rows_ahead(story)[skip : skip + 3]:
        held = line.step.name in breakpoints or str(line.step) in breakpoints
        words.append(vocabulary.describe_step(line.step) + (" (stops there: breakpoint)" if held else ""))
        if held:
            break
    return f"then {', '.join(words)}" if words else "then the goal is checked"


# --- BECAUSE ------------------------------------------------------------------------------------------


def _because_section(story: EpisodeState, vocabulary: Vocabulary) -> DecisionSection:
    word = "BECAUSE"
    match story.phase:
        case Phase.REVIEWING if pending_cards(story):
            return DecisionSection(word, _review_reason(story, vocabulary), _asked_for(story, vocabulary))
        case Phase.OFFERED if story.offered_change:
            return _plan_change_section(story, vocabulary, story.offered_change)
        case Phase.HELP_NEEDED:
            why = story.proposal.explanation if story.proposal else ""
            return DecisionSection(
                word, "No plan reaches the goal", (why, _cause_line(story, vocabulary)), "doubt"
            )
        case Phase.STOPPED:
            stop = story.stop
            ago = f"{age(story.now - stop.requested_at)} ago" if stop else ""
            head, *rest = re.split("[.;] ", story.proposal.explanation if story.proposal else "", maxsplit=1)
            lines = ("".join(rest).rstrip("."), ago, "a stop ends the motion, not the episode")
            return DecisionSection(word, _capitalised(head.rstrip(".")) or "You stopped it", lines)
        case Phase.ENDED:
            head, why = ending(story)
            crashed = bool(story.ended and story.ended.result is ev.EpisodeResult.CRASHED)
            return DecisionSection(word, head, (why,) if why != head else (), "fault" if crashed else "")
    if story.phase is Phase.WAITING and story.proposal and (failing := story.proposal.failing):
        said = failing.sentence(vocabulary.describe_step, vocabulary.describe_literal)
        head, _, reason = said.partition(": ")
        return DecisionSection(word, _capitalised(head), (_capitalised(reason),), "doubt")
    if story.started and story.turn == 0:
        goal = ", ".join(vocabulary.describe_literal(g) for g in story.started.goal)
        return DecisionSection(word, "The episode begins", (f"goal: {goal}",))
    revision = story.plan_change
    if revision and story.plan_count > 1 and revision.turn == story.turn and story.phase is not Phase.LOOKING:
        return _plan_change_section(story, vocabulary, revision)
    needed = [c for c in story.cards if c.query.purpose is Purpose.PRECONDITION and c.final]
    made = (
        f"plan {story.plan_count}, made in turn {revision.turn}"
        if revision and story.plan_count > 1
        else "the first plan"
    )
    if not story.plan_count:
        return DecisionSection(word, "No plan yet", ())
    if needed:
        last = needed[-1]
        return DecisionSection(word, "Its preconditions are believed", (_said(story, vocabulary, last), made))
    return DecisionSection(word, "It is next in the plan", (made,))


def _review_reason(story: EpisodeState, vocabulary: Vocabulary) -> str:
    """Return why a person is asked to review the answers."""
    if story.supervision.ask is SupervisionLevel.MANUAL:
        return "The model is not asked: you answer"
    if story.supervision.believe >= SupervisionLevel.APPROVE:
        return "You review every call"
    suspects = [c for c in pending_cards(story) if suspicious(c)]
    if not suspects:
        return "An answer contradicts the belief"
    first = suspects[0]
    if first.model is not None and first.model.verdict is Verdict.UNKNOWN:
        return "The model answers unknown"
    if first.query.purpose is Purpose.EFFECT and story.last_step:
        return f"Contradicts what “{vocabulary.describe_step(story.last_step.step)}” should do"
    step = next((ln.step for ln in story.plan_rows if ln.state is PlanRowState.NEXT), None)
    if first.query.purpose is Purpose.PRECONDITION and step:
        return f"“{vocabulary.describe_step(step)}” needs the opposite"
    return "Not the expected answer"


def _plan_change_section(
    story: EpisodeState, vocabulary: Vocabulary, revision: PlanChange
) -> DecisionSection:
    """Return the answer that caused the new plan, and what it made impossible."""
    answer = revision.trigger
    if answer is None:
        return DecisionSection("BECAUSE", revision.reason.sentence, (_broken(story, vocabulary, revision),))
    who = {
        BeliefSource.MODEL: "says the model",
        BeliefSource.OPERATOR: "you said so",
        BeliefSource.SENSOR: "sensed",
        BeliefSource.ASSUMED: "assumed",
    }.get(answer.source, "believed")
    card = _card(story, answer)
    which = f"Q{card.number}, {_ago(story, answer)}" if card else f"{who}, {_ago(story, answer)}"
    fact = vocabulary.describe_literal(answer.atom, answer.verdict is Verdict.YES)
    asked = vocabulary.describe_query(answer.atom)
    detail = (
        f"{which}: {vocabulary.answer_with_question(answer)}"
        if asked and answer.source is not BeliefSource.SENSOR
        else which
    )
    return DecisionSection("BECAUSE", _capitalised(fact), (detail, _broken(story, vocabulary, revision)))


def _broken(story: EpisodeState, vocabulary: Vocabulary, revision: PlanChange) -> str:
    """Return what the causes changed in the old plan."""
    if not revision.discrepancies:
        return ""
    step: Step | None = revision.old_steps[0] if revision.old_steps else None
    if story.last_step and any(c.atom in _effects(story) for c in revision.discrepancies):
        return f"so {vocabulary.describe_step(story.last_step.step)} did not have its effect"
    if step is None:
        return ""
    needed = vocabulary.preconditions(step)
    if not needed or any(c.atom in needed for c in revision.discrepancies):
        return f"so {vocabulary.describe_step(step)} cannot be done"
    return (
        f"so {vocabulary.describe_step(story.last_step.step)} did not have its effect"
        if story.last_step
        else ""
    )


def _effects(story: EpisodeState) -> frozenset[Atom]:
    return frozenset(c.query.atom for c in story.cards if c.query.purpose is Purpose.EFFECT)


def _cause_line(story: EpisodeState, vocabulary: Vocabulary) -> str:
    if story.plan_change and story.plan_change.trigger:
        return vocabulary.answer_with_question(story.plan_change.trigger)
    return ""


def _card(story: EpisodeState, answer: Answer) -> QuestionCard | None:
    return next((c for c in story.cards if c.query.atom == answer.atom and c.turn == answer.turn), None)


def _ago(story: EpisodeState, answer: Answer) -> str:
    return f"{age(story.now - story.changed_at.get(answer.atom, story.now))} ago"


def _said(story: EpisodeState, vocabulary: Vocabulary, card: QuestionCard) -> str:
    answer = card.final or card.model
    verdict = card.query.text_verdict(answer.verdict).value if answer else "?"
    return f"Q{card.number}: “{card.query.text}” {verdict}"


def _asked_for(story: EpisodeState, vocabulary: Vocabulary) -> tuple[str, ...]:
    step = next((ln.step for ln in story.plan_rows if ln.state is PlanRowState.NEXT), None)
    why = f"asked before {vocabulary.describe_step(step)}" if step else ""
    if (
        story.supervision.believe is SupervisionLevel.ASSIST
        and story.supervision.ask is not SupervisionLevel.MANUAL
    ):
        return (why, "you review contradictions and uncertain answers")
    return (why,)


# --- DOUBT --------------------------------------------------------------------------------------------


def describe_failed_checks(wrong: tuple[PreflightCheck, ...], word: str, *more: str) -> DecisionSection:
    """Return the number of failed checks of an arm, and the first one with its remedy."""
    first = wrong[0]
    said = ": ".join(filter(None, (first.name, first.reason, first.remedy)))
    return DecisionSection(word, f"{plural(len(wrong), 'check')} not ready", (said, *more), "doubt")


def _doubt_section(
    story: EpisodeState, vocabulary: Vocabulary, wrong: tuple[PreflightCheck, ...]
) -> DecisionSection:
    word = "DOUBT"
    if wrong and story.phase is Phase.STOPPED:
        again = _facts(vocabulary, story, story.belief.uncertain_atoms)
        return describe_failed_checks(wrong, word, f"asked again first: {again}" if again else "")
    ended = story.ended
    if ended:
        if ended.true_goal is None:
            return DecisionSection(word, "Not verified", ("this robot has no ground truth to compare with",))
        if ended.true_goal:
            return DecisionSection(word, "Confirmed by simulator", ("the goal is reached",))
        missing = ", ".join(vocabulary.describe_literal(a) for a in ended.missing)
        head = "The simulator disagrees" if ended.believed_goal else "Goal not reached"
        return DecisionSection(word, head, (f"missing: {missing}",), "doubt" if ended.believed_goal else "")
    if story.phase is Phase.HELP_NEEDED and story.corrections:
        last = story.corrections[-1][-1]
        return DecisionSection(
            word, "Is the belief right?", (f"you say: {vocabulary.describe_answer(last)}",)
        )
    if story.contradictions:
        first = story.contradictions[0]
        more = len(story.contradictions) - 1
        rest = f"and {plural(more, 'more contradiction')}" if more else _skipped(story, vocabulary)
        head, line = _contradiction_text(story, vocabulary, first)
        return DecisionSection(word, head, (line, rest), "doubt")
    suspects = [c for c in pending_cards(story) if suspicious(c)]
    if suspects:
        card = suspects[0]
        expected = card.query.text_verdict(card.query.expected).value
        rest = f"and {len(suspects) - 1} more" if len(suspects) > 1 else ""
        return DecisionSection(
            word,
            f"{card.query.text}",
            (f"expected {expected}, {_said(story, vocabulary, card)}", rest),
            "doubt",
        )
    doubtful = story.belief.uncertain_atoms
    if doubtful:
        n = plural(len(doubtful), "atom")
        about = f"asked again first: {_facts(vocabulary, story, doubtful)}"
        return DecisionSection(word, f"Halted step: {n} uncertain", (about,), "doubt")
    if skipped := _skipped(story, vocabulary):
        return DecisionSection(word, "No doubts about this step", (skipped,))
    return DecisionSection(word, "No doubts about this step")


def _contradiction_text(
    story: EpisodeState, vocabulary: Vocabulary, contradiction: Contradiction
) -> tuple[str, str]:
    """Return the expected and the given answer, or the atoms that exclude each other and why."""
    change = re.fullmatch(r"\w+ (yes|no), now (yes|no)", contradiction.reason)
    if change is None or len(contradiction.atoms) != 1:
        head = _facts(vocabulary, story, contradiction.atoms)
        return f"{_capitalised(head)}?", _capitalised(contradiction.reason)
    atom, (held, now) = contradiction.atoms[0], change.groups()
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


def _skipped(story: EpisodeState, vocabulary: Vocabulary) -> str:
    skipped = [c.query.atom for c in story.cards if c.final and c.final.verdict is Verdict.UNKNOWN]
    return f"unknown, old value kept: {_facts(vocabulary, story, tuple(skipped))}" if skipped else ""


def _facts(vocabulary: Vocabulary, story: EpisodeState, atoms: tuple[Atom, ...]) -> str:
    """Return these atoms as they are believed now, as text."""
    said = [vocabulary.describe_literal(a, story.belief.verdict(a) is not Verdict.NO) for a in atoms[:3]]
    return ", ".join(said) + (f" and {len(atoms) - 3} more" if len(atoms) > 3 else "")


def _capitalised(words: str) -> str:
    """Return the text with a capital first letter."""
    return words[:1].upper() + words[1:]
