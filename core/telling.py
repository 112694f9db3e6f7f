"""Folding records into a story. Pure: live and replay are the same stream."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core import events as ev
from core.deciding import Continue, Correct, Interrupted, Need, Revision, Undo
from core.dials import Dials, Level
from core.facts import Answer, Atom, Belief
from core.ports import Ending
from core.problem import PlanStatus, Step
from core.story import Card, Consultation, Lane, Line, LineState, Mark, Phase, StopState, Story
from core.wire import kind_of

CHOSEN = "chosen by you"


def told(records: Iterable[ev.Record]) -> Story:
    """The story of these records."""
    story = Story()
    for record in records:
        story = after(story, record)
    return story


def after(story: Story, record: ev.Record) -> Story:
    """The story after one more record."""
    if isinstance(record.event, ev.Started):
        return _started(record, record.event)
    now = record.monotonic - story.origin
    new = _after(replace(story, now=now), record.event, record.number)
    fresh = new.phase is not story.phase or isinstance(record.event, ev.Proposed | ev.Offered | ev.Answered)
    return replace(new, since=now) if fresh else new


def _started(record: ev.Record, event: ev.Started) -> Story:
    belief = Belief().holding(event.belief)
    return Story(
        record.episode,
        event,
        Phase.LOOKING,
        belief=belief,
        ages=dict.fromkeys((e.atom for e in event.belief), 0.0),
        origin=record.monotonic,
    )


def _after(story: Story, event: ev.Event, number: int) -> Story:
    match event:
        case ev.Started():
            return story
        case ev.Observed(turn, frame, boxes) if turn == story.turn:  # from another viewpoint
            return replace(story, frame=frame, boxes=boxes, phase=Phase.LOOKING)
        case ev.Observed(turn, frame, boxes):
            return _marked(
                replace(
                    story,
                    turn=turn,
                    frame=frame,
                    boxes=boxes,
                    cards=(),
                    consultations=(),
                    contradictions=(),
                    offered=None,
                    phase=Phase.LOOKING,
                ),
                Mark(Lane.TURN, "turn", story.now, None, turn, f"Turn {turn}", number),
            )
        case ev.Sensed():
            return story
        case ev.Consulted():
            return _consulted(story, event, number)
        case ev.Asked(turn, frame_id, queries):
            first = story.counts.questions + 1
            cards = tuple(Card(first + i, turn, q, frame_id) for i, q in enumerate(queries))
            counts = replace(story.counts, questions=story.counts.questions + len(queries))
            return replace(
                story, cards=story.cards + cards, rounds=story.rounds + 1, counts=counts, phase=Phase.ASKING
            )
        case ev.Answered():
            return _answered(story, event, number)
        case ev.Revealed():
            return story
        case ev.Reviewed(turn, answers):
            return _reviewed(story, answers, number)
        case ev.Believed():
            return _believed(story, event)
        case ev.Offered(revision):
            return replace(story, offered=revision, offers=story.offers + 1, phase=Phase.OFFERED)
        case ev.Planned(revision, accepted):
            return _planned(story, revision, accepted, number)
        case ev.Proposed(proposal):
            phase = {Need.HELP: Phase.HELPLESS, Need.RELEASE: Phase.STOPPED}
            return replace(story, proposal=proposal, phase=phase.get(proposal.need, Phase.WAITING))
        case ev.Decided():
            return _decided(story, event, number)
        case ev.Acting(_, step):
            return replace(
                story,
                acting=step,
                acting_since=story.now,
                phase=Phase.ACTING,
                corrections=(),
                lines=_running(story, step),
            )
        case ev.Acted():
            return _acted(story, event, number)
        case ev.DomainChanged(turn, difference, _, accepted):
            label = difference if accepted else f"refused: {difference}"
            return _marked(story, Mark(Lane.PLAN, "revised", story.now, None, turn, label, number))
        case ev.Ended():
            return replace(story, ended=event, phase=Phase.ENDED, proposal=None, offered=None, acting=None)
        case ev.StopRequested(stop, why):
            counts = replace(story.counts, stops=story.counts.stops + 1)
            marked = _marked(story, Mark(Lane.YOU, "stop", story.now, None, story.turn, why, number))
            return replace(marked, stop=StopState(stop, story.now), counts=counts)
        case ev.StopMeasured(stop, seconds, speed):
            if story.stop is None or story.stop.number != stop:
                return story
            return replace(story, stop=replace(story.stop, seconds=seconds, speed=speed))
        case ev.Dialled(ask, believe, replan, move):
            return replace(story, dials=Dials(Level[ask], Level[believe], Level[replan], Level[move]))
        case ev.Paused():
            return replace(story, paused=True)
        case ev.Resumed():
            return replace(story, paused=False)
        case ev.Bookmarked(note):
            return _marked(story, Mark(Lane.YOU, "bookmark", story.now, None, story.turn, note, number))
        case ev.Noted():
            return replace(story, notes=(*story.notes[-99:], event))


def _marked(story: Story, *marks: Mark) -> Story:
    return replace(story, marks=story.marks + marks)


def _answered(story: Story, event: ev.Answered, number: int) -> Story:
    call = event.call
    by_atom = {a.atom: a for a in call.answers}
    raw = dict(zip(by_atom, call.confidences, strict=False))
    cards = tuple(
        replace(
            c,
            model=by_atom[c.query.atom],
            raw=raw.get(c.query.atom),
            seconds=call.seconds,
            cost=call.cost,
            said=call.said,
        )
        if c.model is None and c.query.atom in by_atom
        else c
        for c in story.cards
    )
    counts = replace(
        story.counts,
        calls=story.counts.calls + (call.by != "nobody"),
        tokens=story.counts.tokens + call.tokens,
        cost=story.counts.cost + (call.cost or 0.0),
        model_seconds=story.counts.model_seconds + call.seconds,
    )
    start = max(0.0, story.now - call.seconds)
    marks = [Mark(Lane.QUESTION, "call", start, story.now, event.turn, call.by, number)]
    marks += [
        Mark(Lane.QUESTION, a.verdict.value, story.now, None, event.turn, str(a.atom), number)
        for a in call.answers
    ]
    return _marked(replace(story, cards=cards, counts=counts, phase=Phase.REVIEWING), *marks)


def _reviewed(story: Story, answers: tuple[Answer, ...], number: int) -> Story:
    by_atom = {a.atom: a for a in answers}
    cards = tuple(
        replace(c, final=by_atom[c.query.atom]) if c.query.atom in by_atom and c.pending else c
        for c in story.cards
    )
    changed = sum(c.overridden for c in cards) - sum(c.overridden for c in story.cards)
    counts = replace(story.counts, overrides=story.counts.overrides + changed)
    mark = Mark(Lane.YOU, "override" if changed else "check", story.now, None, story.turn, "reviewed", number)
    return _marked(replace(story, cards=cards, counts=counts), mark)


def _consulted(story: Story, event: ev.Consulted, number: int) -> Story:
    counts = replace(
        story.counts,
        consultations=story.counts.consultations + 1,
        calls=story.counts.calls + bool(event.by),  # without a model there was none
        tokens=story.counts.tokens + event.tokens,
        cost=story.counts.cost + (event.cost or 0.0),
        model_seconds=story.counts.model_seconds + event.seconds,
    )
    start = max(0.0, story.now - event.seconds)
    label = f"{event.by or 'no model'} ({event.purpose})"
    mark = Mark(Lane.QUESTION, "call", start, story.now, event.turn, label, number)
    latest = Consultation(counts.consultations, event)
    return _marked(replace(story, counts=counts, consultations=(*story.consultations, latest)), mark)


def _believed(story: Story, event: ev.Believed) -> Story:
    changes, contradictions = event.changes, event.contradictions
    belief = story.belief.holding(changes)
    if event.hypotheses is not None:
        belief = replace(belief, hypotheses=event.hypotheses)
    cards = tuple(replace(c, final=c.model) if c.final is None and c.model else c for c in story.cards)
    ages = dict(story.ages)
    ages.update((e.atom, story.now) for e in changes)
    counts = replace(story.counts, contradictions=story.counts.contradictions + len(contradictions))
    return replace(
        story,
        belief=belief,
        ages=ages,
        cards=cards,
        contradictions=story.contradictions + contradictions,
        counts=counts,
        phase=Phase.LOOKING if story.phase is Phase.ACTING else Phase.PLANNING,
    )


def _planned(story: Story, revision: Revision, accepted: bool, number: int) -> Story:
    kind = "plan" if revision.new.status is PlanStatus.FOUND else "no plan"
    label = str(story.plans + 1) if accepted else "kept"
    marked = _marked(story, Mark(Lane.PLAN, kind, story.now, None, revision.turn, label, number))
    if not accepted:
        return replace(marked, offered=None)
    counts = replace(story.counts, replans=story.counts.replans + (1 if story.plans else 0))
    plans = story.plans + 1
    lines = revised(story.lines, revision, plans)
    return replace(marked, offered=None, revision=revision, plans=plans, lines=lines, counts=counts)


def revised(lines: tuple[Line, ...], revision: Revision, plan: int) -> tuple[Line, ...]:
    """What was done stays; of the old plan what is not in the new one is struck through."""
    past = tuple(ln for ln in lines if ln.state not in (LineState.TODO, LineState.NEXT, LineState.DROPPED))
    ahead = [ln for ln in lines if ln.state in (LineState.TODO, LineState.NEXT)]
    done = sum(1 for ln in past)
    fresh: list[Line] = []
    for i, step in enumerate(revision.new.steps):
        old = next((ln for ln in ahead if ln.step == step), None)
        if old is not None:
            ahead.remove(old)
        state = LineState.NEXT if i == 0 else LineState.TODO
        number = done + i + 1
        fresh.append(
            Line(
                step,
                state,
                old.plan if old else plan,
                number,
                old.number if old and old.number != number else None,
            )
        )
    dropped = tuple(replace(ln, state=LineState.DROPPED, old_number=ln.number) for ln in ahead)
    return past + dropped + tuple(fresh)


def _running(story: Story, step: Step) -> tuple[Line, ...]:
    lines = list(story.lines)
    for i, line in enumerate(lines):
        if line.state in (LineState.NEXT, LineState.TODO) and line.step == step:
            lines[i] = replace(line, state=LineState.RUNNING)
            return tuple(lines)
    place = next((i for i, ln in enumerate(lines) if ln.state is LineState.NEXT), len(lines))
    lines.insert(place, Line(step, LineState.RUNNING, story.plans, place + 1, note=CHOSEN))
    return tuple(lines)


def _acted(story: Story, event: ev.Acted, number: int) -> Story:
    state = {
        Ending.DONE: LineState.DONE,
        Ending.FAILED: LineState.FAILED,
        Ending.HALTED: LineState.HALTED,
    }[event.outcome.ending]
    seconds = story.now - story.acting_since
    lines = list(story.lines)
    for i, line in enumerate(lines):
        if line.state is LineState.RUNNING:
            lines[i] = replace(line, state=state, seconds=seconds, note=event.outcome.detail)
            if state is LineState.HALTED and line.note != CHOSEN:  # it is still the next one of the plan
                later = [replace(ln, number=ln.number + 1) for ln in lines[i + 1 :]]
                again = replace(line, state=LineState.TODO, number=line.number + 1, old_number=None)
                lines = [*lines[: i + 1], again, *later]
            break
    following = next((i for i, ln in enumerate(lines) if ln.state is LineState.TODO), None)
    if following is not None:
        lines[following] = replace(lines[following], state=LineState.NEXT)
    mark = Mark(Lane.ACTION, state.value, story.acting_since, story.now, event.turn, str(event.step), number)
    counts = replace(story.counts, steps=story.counts.steps + 1)
    return _marked(replace(story, acting=None, last=event, lines=tuple(lines), counts=counts), mark)


def _decided(story: Story, event: ev.Decided, number: int) -> Story:
    decision = event.decision
    by = getattr(decision, "by", "")
    story = replace(story, proposal=None)
    match decision:
        case Correct(answers):
            counts = replace(story.counts, overrides=story.counts.overrides + len(answers))
            story = replace(
                story,
                counts=counts,
                corrections=(*story.corrections, answers),
                cards=_corrected(story.cards, answers),
            )
        case Undo():
            story = _undone(story)
        case Interrupted():
            return story
    if story.stop and not story.stop.released and isinstance(decision, Continue):
        story = replace(story, stop=replace(story.stop, released=True))
    if not by:
        return story
    kind = "override" if isinstance(decision, Correct | Undo) else "check"
    label = kind_of(type(decision)).lower()
    if isinstance(decision, Correct):
        label = ", ".join(f"{a.atom.predicate} set to {a.verdict.value}" for a in decision.answers)
    return _marked(story, Mark(Lane.YOU, kind, story.now, None, story.turn, label, number))


def _corrected(cards: tuple[Card, ...], answers: tuple[Answer, ...]) -> tuple[Card, ...]:
    """A person's word about an atom also counts on its card, which keeps what the model said."""
    by_atom = {a.atom: a for a in answers}
    return tuple(replace(c, final=by_atom.get(c.query.atom, c.final)) for c in cards)


def _undone(story: Story) -> Story:
    if not story.corrections:
        return story
    *kept, gone = story.corrections
    back: dict[Atom, Answer | None] = {a.atom: None for a in gone}
    back.update((a.atom, a) for answers in kept for a in answers if a.atom in back)
    cards = tuple(
        replace(c, final=back[c.query.atom] or c.model) if c.query.atom in back else c for c in story.cards
    )
    return replace(story, cards=cards, corrections=tuple(kept))
