"""What the decision strip says: what comes next, why, and what is in doubt. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.naming import Naming
from app.words import age, ahead, count, ending, pending, short, supervision
from core import events as ev
from core.arms import Check
from core.deciding import Revision
from core.dials import Level
from core.facts import Answer, Atom, Purpose, Source, Verdict
from core.problem import Step
from core.story import Card, LineState, Phase, Story


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
    story: Story,
    naming: Naming,
    breakpoints: frozenset[str] = frozenset(),
    wrong: tuple[Check, ...] = (),
) -> Strip:
    """`wrong`: what is not as it must be before an arm may move; told while a stop is in force."""
    return Strip(
        _next(story, naming, breakpoints),
        _because(story, naming),
        _doubt(story, naming, wrong),
    )


# --- NEXT ---------------------------------------------------------------------------------------------


def _next(story: Story, naming: Naming, breakpoints: frozenset[str]) -> Reason:
    waited = f"WAITING {age(story.now - story.since).upper()}"
    plan = f"plan {story.plans}" if story.plans else ""
    match story.phase:
        case Phase.WAITING if story.proposal and story.proposal.step:
            number = next((ln.number for ln in story.lines if ln.state is LineState.NEXT), 0)
            where = " · ".join(filter(None, (f"step {number}" if number else "", plan)))
            then = _then(story, naming, breakpoints, skip=1)
            word = f"NEXT, IF YOU APPROVE  ·  {waited}"
            if story.paused:
                word = f"PAUSED  ·  {waited}"
            return Reason(word, naming.say(story.proposal.step), (then, where))
        case Phase.ACTING if story.acting:
            running = next((ln.number for ln in story.lines if ln.state is LineState.RUNNING), 0)
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
        case Phase.OFFERED if story.offered:
            old, new = story.offered.old, story.offered.new.steps
            fresh = len([s for s in new if s not in old])
            first = f"starts with {naming.say(new[0])}" if new else ""
            size = f"{len(old)} → {len(new)} steps, {fresh} new"
            return Reason(
                f"YOUR LOOK  ·  {waited}", f"take plan {story.plans + 1}?", (size, first), glyph="replan"
            )
        case Phase.HELPLESS:
            undo = "Undo what you set, correct" if story.undoable else "Correct"
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


def _then(story: Story, naming: Naming, breakpoints: frozenset[str], skip: int = 0) -> str:
    """The next few steps; a breakpoint among them ends the sentence."""
    words = []
    for line in ahead(story)[skip : skip + 3]:
        held = line.step.name in breakpoints or str(line.step) in breakpoints
        words.append(naming.say(line.step) + (" (stops there: breakpoint)" if held else ""))
        if held:
            break
    return f"then {', '.join(words)}" if words else "then the goal is checked"


# --- BECAUSE ------------------------------------------------------------------------------------------


def _because(story: Story, naming: Naming) -> Reason:
    word = "BECAUSE"
    match story.phase:
        case Phase.REVIEWING if pending(story):
            return Reason(word, supervision(story), _asked_for(story, naming))
        case Phase.OFFERED if story.offered:
            return _cause(story, naming, story.offered)
        case Phase.HELPLESS:
            why = story.proposal.why if story.proposal else ""
            return Reason(word, "No plan reaches the goal", (why, _cause_line(story, naming)), "doubt")
        case Phase.STOPPED:
            stop = story.stop
            ago = f"{age(story.now - stop.requested)} ago" if stop else ""
            head, *rest = re.split("[.;] ", story.proposal.why if story.proposal else "", maxsplit=1)
            lines = ("".join(rest).rstrip("."), ago, "a stop ends the motion, not the episode")
            return Reason(word, _begun(head.rstrip(".")) or "You stopped it", lines)
        case Phase.ENDED:
            head, why = ending(story)
            crashed = bool(story.ended and story.ended.result is ev.Result.CRASHED)
            return Reason(word, head, (why,) if why != head else (), "fault" if crashed else "")
    if story.started and story.turn == 0:
        goal = ", ".join(naming.fact(g) for g in story.started.goal)
        return Reason(word, "The episode begins", (f"goal: {goal}",))
    revision = story.revision
    if revision and story.plans > 1 and revision.turn == story.turn and story.phase is not Phase.LOOKING:
        return _cause(story, naming, revision)
    needed = [c for c in story.cards if c.query.purpose is Purpose.PRECONDITION and c.final]
    made = (
        f"plan {story.plans}, made in turn {revision.turn}"
        if revision and story.plans > 1
        else "the first plan"
    )
    if not story.plans:
        return Reason(word, "There is no plan yet", ())
    if needed:
        last = needed[-1]
        return Reason(word, "What it needs is believed", (_said(story, naming, last), made))
    return Reason(word, "It is next in the plan", (made,))


def _cause(story: Story, naming: Naming, revision: Revision) -> Reason:
    """The answer that brought the plan about, and what it made impossible."""
    answer = revision.answer
    if answer is None:
        return Reason("BECAUSE", revision.reason.sentence, (_broken(story, naming, revision),))
    who = {
        Source.MODEL: "says the model",
        Source.OPERATOR: "you said so",
        Source.SENSOR: "sensed",
        Source.ASSUMED: "assumed",
    }.get(answer.source, "believed")
    card = _card(story, answer)
    which = f"Q{card.number}, {_ago(story, answer)}" if card else f"{who}, {_ago(story, answer)}"
    fact = naming.fact(answer.atom, answer.verdict is Verdict.YES)
    asked = naming.query(answer.atom)
    detail = f"{which}: {naming.asked(answer)}" if asked and answer.source is not Source.SENSOR else which
    return Reason("BECAUSE", _begun(fact), (detail, _broken(story, naming, revision)))


def _broken(story: Story, naming: Naming, revision: Revision) -> str:
    """What the causes did to the old plan."""
    if not revision.causes:
        return ""
    step: Step | None = revision.old[0] if revision.old else None
    if story.last and any(c.atom in _effects(story) for c in revision.causes):
        return f"so {naming.say(story.last.step)} did not do what it should"
    if step is None:
        return ""
    needed = naming.needs(step)
    if not needed or any(c.atom in needed for c in revision.causes):
        return f"so {naming.say(step)} cannot be done"
    return f"so {naming.say(story.last.step)} did not do what it should" if story.last else ""


def _effects(story: Story) -> frozenset:
    return frozenset(c.query.atom for c in story.cards if c.query.purpose is Purpose.EFFECT)


def _cause_line(story: Story, naming: Naming) -> str:
    if story.revision and story.revision.answer:
        return naming.asked(story.revision.answer)
    return ""


def _card(story: Story, answer: Answer) -> Card | None:
    return next((c for c in story.cards if c.query.atom == answer.atom and c.turn == answer.turn), None)


def _ago(story: Story, answer: Answer) -> str:
    return f"{age(story.now - story.ages.get(answer.atom, story.now))} ago"


def _said(story: Story, naming: Naming, card: Card) -> str:
    answer = card.final or card.model
    verdict = card.query.about_atom(answer.verdict).value if answer else "?"
    return f"Q{card.number}: “{card.query.text}” {verdict}"


def _asked_for(story: Story, naming: Naming) -> tuple[str, ...]:
    step = next((ln.step for ln in story.lines if ln.state is LineState.NEXT), None)
    why = f"asked before {naming.say(step)}" if step else ""
    if story.dials.believe is Level.ASSIST and story.dials.ask is not Level.MANUAL:
        return (why, "Believe asks you on contradiction or doubt")
    return (why,)


# --- DOUBT --------------------------------------------------------------------------------------------


def unready(wrong: tuple[Check, ...], word: str, *more: str) -> Reason:
    """How many checks of an arm are not ready, and the first of them with its way out."""
    first = wrong[0]
    said = ": ".join(filter(None, (first.name, first.reason, first.way_out)))
    return Reason(word, f"{count(len(wrong), 'check')} not ready", (said, *more), "doubt")


def _doubt(story: Story, naming: Naming, wrong: tuple[Check, ...]) -> Reason:
    word = "DOUBT"
    if wrong and story.phase is Phase.STOPPED:
        again = _facts(naming, story, story.belief.doubtful)
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
    if story.phase is Phase.HELPLESS and story.corrections:
        last = story.corrections[-1][-1]
        return Reason(word, "Is the belief right?", (f"you say: {naming.told(last)}",))
    if story.contradictions:
        first = story.contradictions[0]
        more = len(story.contradictions) - 1
        rest = f"and {count(more, 'more contradiction')}" if more else _skipped(story, naming)
        head = _facts(naming, story, first.atoms)
        return Reason(word, f"{_begun(head)}?", (_begun(first.why), rest), "doubt")
    suspects = [c for c in pending(story) if suspicious(c)]
    if suspects:
        card = suspects[0]
        expected = card.query.about_atom(card.query.expected).value
        rest = f"and {len(suspects) - 1} more" if len(suspects) > 1 else ""
        return Reason(
            word, f"{card.query.text}", (f"expected {expected}, {_said(story, naming, card)}", rest), "doubt"
        )
    doubtful = story.belief.doubtful
    if doubtful:
        n = count(len(doubtful), "atom")
        about = f"asked again first: {_facts(naming, story, doubtful)}"
        return Reason(word, f"A step was cut short: {n}", (about,), "doubt")
    if skipped := _skipped(story, naming):
        return Reason(word, "Nothing that this step needs", (skipped,))
    return Reason(word, "Nothing that this step needs", ())


def suspicious(card: Card) -> bool:
    """Whether a person should look twice: it is unknown, or not as expected."""
    model = card.model
    if model is None:
        return False
    expected = card.query.expected
    return model.verdict is Verdict.UNKNOWN or (
        expected is not Verdict.UNKNOWN and model.verdict is not expected
    )


def _skipped(story: Story, naming: Naming) -> str:
    skipped = [c.query.atom for c in story.cards if c.final and c.final.verdict is Verdict.UNKNOWN]
    return f"skipped, old value kept: {_facts(naming, story, tuple(skipped))}" if skipped else ""


def _facts(naming: Naming, story: Story, atoms: tuple[Atom, ...]) -> str:
    """These atoms as they are believed now, in words."""
    said = [naming.fact(a, story.belief.verdict(a) is not Verdict.NO) for a in atoms[:3]]
    return ", ".join(said) + (f" and {len(atoms) - 3} more" if len(atoms) > 3 else "")


def _begun(words: str) -> str:
    """With a capital letter at the front."""
    return words[:1].upper() + words[1:]
