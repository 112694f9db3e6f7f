"""What the decision strip says: what comes next, why, and what is in doubt. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.naming import Naming
from app.words import age, ahead, count, ending, pending, short, supervision
from core import events as ev
from core.arm_capabilities import PreflightCheck
from core.belief import Answer, Atom, BeliefSource, Purpose, Verdict
from core.episode_state import EpisodeState, Phase, PlanRowState, QuestionCard
from core.operator import PlanChange
from core.planning_model import Step
from core.supervision import SupervisionLevel


@dataclass(frozen=True)
class Reason:
    """One third of the strip: a small word, one strong line, up to two quiet ones."""

    word: str
    head: str
    lines: tuple[str, ...] = ()
    level: str = ""
    glyph: str = "arrow"


@dataclass(frozen=True)
class Strip:
    next: Reason
    because: Reason
    doubt: Reason


def strip(
    story: EpisodeState,
    naming: Naming,
    breakpoints: frozenset[str] = frozenset(),
    wrong: tuple[PreflightCheck, ...] = (),
) -> Strip:
    """`wrong`: what is not as it must be before an arm may move; told while a stop is in force."""
    return Strip(
        _next(story, naming, breakpoints),
        _because(story, naming),
        _doubt(story, naming, wrong),
    )


# --- NEXT ---------------------------------------------------------------------------------------------


def _next(story: EpisodeState, naming: Naming, breakpoints: frozenset[str]) -> Reason:
    waited = f"WAITING {age(story.now - story.since).upper()}"
    plan = f"plan {story.plan_count}" if story.plan_count else ""
    match story.phase:
        case Phase.WAITING if story.proposal and story.proposal.step:
            number = next((ln.number for ln in story.plan_rows if ln.state is PlanRowState.NEXT), 0)
            where = " · ".join(filter(None, (f"step {number}" if number else "", plan)))
            then = _then(story, naming, breakpoints, skip=1)
            word = f"NEXT, IF YOU APPROVE  ·  {waited}"
            if story.paused:
                word = f"PAUSED  ·  {waited}"
            return Reason(word, naming.say(story.proposal.step), (then, where))
        case Phase.ACTING if story.acting:
            running = next((ln.number for ln in story.plan_rows if ln.state is PlanRowState.RUNNING), 0)
            where = " · ".join(filter(None, (f"step {running}" if running else "", plan)))
            since = short(story.now - story.acting_since).upper()
            then = _then(story, naming, breakpoints)
            return Reason(f"NOW  ·  {since}", naming.say(story.acting), (then, where), glyph="play")
        case Phase.REVIEWING if pending(story):
            n = len(pending(story))
            lines = (
                "Y, N or U on a card that is wrong, then Use answers",
                "nothing is believed of them before that",
            )
            return Reason(f"YOUR LOOK  ·  {waited}", f"look at {count(n, 'answer')}", lines, glyph="eye")
        case Phase.OFFERED if story.offered_change:
            old, new = story.offered_change.old_steps, story.offered_change.new_plan.steps
            fresh = len([s for s in new if s not in old])
            first = f"starts with {naming.say(new[0])}" if new else ""
            size = f"{len(old)} → {len(new)} steps, {fresh} new"
            return Reason(
                f"YOUR LOOK  ·  {waited}", f"take plan {story.plan_count + 1}?", (size, first), glyph="replan"
            )
        case Phase.HELP_NEEDED:
            undo = "Undo what you set, correct" if story.undo_count else "Correct"
            lines = (f"{undo} the belief, choose a step, or end", plan)
            return Reason(f"YOUR HELP  ·  {waited}", "nothing: there is no plan", lines, glyph="pause")
        case Phase.STOPPED:
            lines = ("Hold to go on: what it touched is asked again", "or end the episode")
            return Reason("NEXT", "nothing moves", lines, glyph="pause")
        case Phase.ENDED:
            c = story.counts
            figures = (
                f"{count(c.steps, 'step')}, {count(c.questions, 'question')}, {count(c.replans, 're-plan')}"
            )
            stops = count(c.stops, "stop") if c.stops else ""
            mine = f"{count(c.overrides, 'override')} by you" if c.overrides else ""
            yours = ", ".join(filter(None, (mine, stops, f"{age(story.now)} in all")))
            head = "goal reached" if story.ended and story.ended.believed_goal else "ended"
            return Reason("ENDED", head, (figures, yours), glyph="flag")
    busy = {
        Phase.LOOKING: ("looking", "camera") if story.turn else ("making the first plan", "list"),
        Phase.ASKING: ("asking the model", "eye"),
        Phase.REVIEWING: ("reading the answers", "eye"),
        Phase.PLANNING: ("planning", "list"),
    }
    head, glyph = busy.get(story.phase, (story.phase.value, "play"))
    questions = sum(c.model is None for c in story.cards)
    about = f"{count(questions, 'question')} on one picture" if story.phase is Phase.ASKING else ""
    return Reason("NOW", head, (about or _then(story, naming, breakpoints), plan), glyph=glyph)


def _then(story: EpisodeState, naming: Naming, breakpoints: frozenset[str], skip: int = 0) -> str:
    """The next few steps; a breakpoint among them ends the sentence."""
    words = []
    for line in ahead(story)[skip : skip + 3]:
        held = line.step.name in breakpoints or str(line.step) in breakpoints
        words.append(naming.say(line.step) + (" (stops there: breakpoint)" if held else ""))
        if held:
            break
    return f"then {', '.join(words)}" if words else "then the goal is checked"


# --- BECAUSE ------------------------------------------------------------------------------------------


def _because(story: EpisodeState, naming: Naming) -> Reason:
    word = "BECAUSE"
    match story.phase:
        case Phase.REVIEWING if pending(story):
            return Reason(word, supervision(story), _asked_for(story, naming))
        case Phase.OFFERED if story.offered_change:
            return _cause(story, naming, story.offered_change)
        case Phase.HELP_NEEDED:
            why = story.proposal.explanation if story.proposal else ""
            return Reason(word, "No plan reaches the goal", (why, _cause_line(story, naming)), "doubt")
        case Phase.STOPPED:
            stop = story.stop
            ago = f"{age(story.now - stop.requested_at)} ago" if stop else ""
            head, *rest = re.split("[.;] ", story.proposal.explanation if story.proposal else "", maxsplit=1)
            lines = ("".join(rest).rstrip("."), ago, "a stop ends the motion, not the episode")
            return Reason(word, _begun(head.rstrip(".")) or "You stopped it", lines)
        case Phase.ENDED:
            head, why = ending(story)
            crashed = bool(story.ended and story.ended.result is ev.EpisodeResult.CRASHED)
            return Reason(word, head, (why,) if why != head else (), "fault" if crashed else "")
    if story.started and story.turn == 0:
        goal = ", ".join(naming.fact(g) for g in story.started.goal)
        return Reason(word, "The episode begins", (f"goal: {goal}",))
    revision = story.plan_change
    if revision and story.plan_count > 1 and revision.turn == story.turn and story.phase is not Phase.LOOKING:
        return _cause(story, naming, revision)
    needed = [c for c in story.cards if c.query.purpose is Purpose.PRECONDITION and c.final]
    made = (
        f"plan {story.plan_count}, made in turn {revision.turn}"
        if revision and story.plan_count > 1
        else "the first plan"
    )
    if not story.plan_count:
        return Reason(word, "There is no plan yet", ())
    if needed:
        last = needed[-1]
        return Reason(word, "What it needs is believed", (_said(story, naming, last), made))
    return Reason(word, "It is next in the plan", (made,))


def _cause(story: EpisodeState, naming: Naming, revision: PlanChange) -> Reason:
    """The answer that brought the plan about, and what it made impossible."""
    answer = revision.trigger
    if answer is None:
        return Reason("BECAUSE", revision.reason.sentence, (_broken(story, naming, revision),))
    who = {
        BeliefSource.MODEL: "says the model",
        BeliefSource.OPERATOR: "you said so",
        BeliefSource.SENSOR: "sensed",
        BeliefSource.ASSUMED: "assumed",
    }.get(answer.source, "believed")
    card = _card(story, answer)
    which = f"Q{card.number}, {_ago(story, answer)}" if card else f"{who}, {_ago(story, answer)}"
    fact = naming.fact(answer.atom, answer.verdict is Verdict.YES)
    asked = naming.query(answer.atom)
    detail = (
        f"{which}: {naming.asked(answer)}" if asked and answer.source is not BeliefSource.SENSOR else which
    )
    return Reason("BECAUSE", _begun(fact), (detail, _broken(story, naming, revision)))


def _broken(story: EpisodeState, naming: Naming, revision: PlanChange) -> str:
    """What the causes did to the old plan."""
    if not revision.discrepancies:
        return ""
    step: Step | None = revision.old_steps[0] if revision.old_steps else None
    if story.last_step and any(c.atom in _effects(story) for c in revision.discrepancies):
        return f"so {naming.say(story.last_step.step)} did not do what it should"
    if step is None:
        return ""
    needed = naming.needs(step)
    if not needed or any(c.atom in needed for c in revision.discrepancies):
        return f"so {naming.say(step)} cannot be done"
    return f"so {naming.say(story.last_step.step)} did not do what it should" if story.last_step else ""


def _effects(story: EpisodeState) -> frozenset:
    return frozenset(c.query.atom for c in story.cards if c.query.purpose is Purpose.EFFECT)


def _cause_line(story: EpisodeState, naming: Naming) -> str:
    if story.plan_change and story.plan_change.trigger:
        return naming.asked(story.plan_change.trigger)
    return ""


def _card(story: EpisodeState, answer: Answer) -> QuestionCard | None:
    return next((c for c in story.cards if c.query.atom == answer.atom and c.turn == answer.turn), None)


def _ago(story: EpisodeState, answer: Answer) -> str:
    return f"{age(story.now - story.changed_at.get(answer.atom, story.now))} ago"


def _said(story: EpisodeState, naming: Naming, card: QuestionCard) -> str:
    answer = card.final or card.model
    verdict = card.query.text_verdict(answer.verdict).value if answer else "?"
    return f"Q{card.number}: “{card.query.text}” {verdict}"


def _asked_for(story: EpisodeState, naming: Naming) -> tuple[str, ...]:
    step = next((ln.step for ln in story.plan_rows if ln.state is PlanRowState.NEXT), None)
    why = f"asked before {naming.say(step)}" if step else ""
    if (
        story.supervision.believe is SupervisionLevel.ASSIST
        and story.supervision.ask is not SupervisionLevel.MANUAL
    ):
        return (why, "Believe asks you on contradiction or doubt")
    return (why,)


# --- DOUBT --------------------------------------------------------------------------------------------


def unready(wrong: tuple[PreflightCheck, ...], word: str, *more: str) -> Reason:
    """How many checks of an arm are not ready, and the first of them with its way out."""
    first = wrong[0]
    said = ": ".join(filter(None, (first.name, first.reason, first.remedy)))
    return Reason(word, f"{count(len(wrong), 'check')} not ready", (said, *more), "doubt")


def _doubt(story: EpisodeState, naming: Naming, wrong: tuple[PreflightCheck, ...]) -> Reason:
    word = "DOUBT"
    if wrong and story.phase is Phase.STOPPED:
        again = _facts(naming, story, story.belief.uncertain_atoms)
        return unready(wrong, word, f"asked again first: {again}" if again else "")
    ended = story.ended
    if ended:
        if ended.true_goal is None:
            return Reason(
                word, "Nobody knows whether it is true", ("this robot has no truth to compare with",)
            )
        if ended.true_goal:
            return Reason(word, "None: the simulator agrees", ("the goal holds in truth",))
        missing = ", ".join(naming.fact(a) for a in ended.missing)
        head = "It is not so in truth" if ended.believed_goal else "The goal does not hold in truth"
        return Reason(word, head, (f"missing: {missing}",), "doubt" if ended.believed_goal else "")
    if story.phase is Phase.HELP_NEEDED and story.corrections:
        last = story.corrections[-1][-1]
        return Reason(word, "Is the belief right?", (f"you say: {naming.told(last)}",))
    if story.contradictions:
        first = story.contradictions[0]
        more = len(story.contradictions) - 1
        rest = f"and {count(more, 'more contradiction')}" if more else _skipped(story, naming)
        head = _facts(naming, story, first.atoms)
        return Reason(word, f"{_begun(head)}?", (_begun(first.reason), rest), "doubt")
    suspects = [c for c in pending(story) if suspicious(c)]
    if suspects:
        card = suspects[0]
        expected = card.query.text_verdict(card.query.expected).value
        rest = f"and {len(suspects) - 1} more" if len(suspects) > 1 else ""
        return Reason(
            word, f"{card.query.text}", (f"expected {expected}, {_said(story, naming, card)}", rest), "doubt"
        )
    doubtful = story.belief.uncertain_atoms
    if doubtful:
        n = count(len(doubtful), "atom")
        about = f"asked again first: {_facts(naming, story, doubtful)}"
        return Reason(word, f"A step was cut short: {n}", (about,), "doubt")
    if skipped := _skipped(story, naming):
        return Reason(word, "Nothing that this step needs", (skipped,))
    return Reason(word, "Nothing that this step needs", ())


def suspicious(card: QuestionCard) -> bool:
    """Whether a person should look twice: it is unknown, or not as expected."""
    model = card.model
    if model is None:
        return False
    expected = card.query.expected
    return model.verdict is Verdict.UNKNOWN or (
        expected is not Verdict.UNKNOWN and model.verdict is not expected
    )


def _skipped(story: EpisodeState, naming: Naming) -> str:
    skipped = [c.query.atom for c in story.cards if c.final and c.final.verdict is Verdict.UNKNOWN]
    return f"skipped, old value kept: {_facts(naming, story, tuple(skipped))}" if skipped else ""


def _facts(naming: Naming, story: EpisodeState, atoms: tuple[Atom, ...]) -> str:
    """These atoms as they are believed now, in words."""
    said = [naming.fact(a, story.belief.verdict(a) is not Verdict.NO) for a in atoms[:3]]
    return ", ".join(said) + (f" and {len(atoms) - 3} more" if len(atoms) > 3 else "")


def _begun(words: str) -> str:
    """With a capital letter at the front."""
    return words[:1].upper() + words[1:]
