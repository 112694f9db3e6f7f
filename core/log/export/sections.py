"""Tell each event of an episode for its report, turn by turn."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from core import events as ev
from core.belief import Answer, Atom, Query
from core.episode_state import EpisodeState
from core.errors import LogError
from core.knowledge.suggestion import Suggestion
from core.log.export.report_parts import (
    DomainHtml,
    answer_list,
    answer_table,
    consulted,
    learnt_list,
    recorded_truth,
    situation_html,
    suggestion_html,
)
from core.log.rerun_settings import vocabulary_of
from core.log.store import Store
from core.operator import (
    AcceptEdited,
    Approve,
    Choose,
    Correct,
    End,
    PlanChange,
    Proceed,
    Proposal,
    ProposalKind,
    RefuseSuggestion,
    Replan,
    TellSituation,
    Undo,
)
from core.planning_model import PlanStatus
from core.ports import Frame
from core.reason import RepeatedFailure
from core.state.causes import Explanation, evidence, explain, is_confirmed, result_words
from core.state.state_reducer import apply_record
from core.text.html_page import joined, macros, markup
from core.text.vocabulary import Vocabulary

_DONE = {
    Approve: "approved",
    Undo: "took the last correction back",
    Replan: "asked for a new plan",
    Proceed: "continued after the stop",
    RefuseSuggestion: "refused the change",
}


@dataclass
class Section:
    """The beginning, or a turn with its picture."""

    heading: str
    figure: Markup | None = None
    lines: list[Markup] = field(default_factory=list)


def sections(store: Store, html: DomainHtml, records: Sequence[ev.Record]) -> Iterator[Section]:
    """Yield what the report tells, in order."""
    text = _EpisodeText(html, records[0].monotonic if records else 0.0)
    section = Section("Beginning")
    for place, record in enumerate(records):
        if isinstance(record.event, ev.AnswersReceived):
            text.truth = recorded_truth(records[place + 1 :])
        if isinstance(record.event, ev.FrameCaptured):
            yield section
            section = Section(f"Turn {record.event.turn}", _figure(store, record.event.frame))
        section.lines += text.describe(record)
    yield section


class _EpisodeText:
    """State kept from one record to the next: the questions, until they are answered."""

    def __init__(self, html: DomainHtml, origin: float) -> None:
        self._html, self._origin, self._parts = html, origin, macros("log/export/events.html")
        self._state, self._vocabulary = EpisodeState(), Vocabulary()
        self._queries: tuple[Query, ...] = ()
        self._call: tuple[Answer, ...] = ()
        self.truth: dict[Atom, bool] = {}  # for the next call

    def describe(self, record: ev.Record) -> Iterator[Markup]:
        self._state = apply_record(self._state, record)
        html, line, at = self._html, self._parts.line, f"{record.monotonic - self._origin:.1f} s"
        match event := record.event:
            case ev.EpisodeStarted():
                yield from self._started(event)
            case ev.QuestionsAsked(_, _, queries):
                self._queries = queries
            case ev.AnswersReceived(_, _, call):
                self._call = call.answers
                yield line(at, f"Asked: {call.by or 'nobody'}, {call.seconds:.1f} s")
                yield answer_table(html, self._queries, call.answers, self.truth)
                if call.raw_reply:
                    yield line("", f"“{call.raw_reply}”", "said")
            case ev.AnswersReviewed(_, answers):
                said = {a.atom: a.verdict for a in self._call}
                other = answer_list(html, (a for a in answers if said.get(a.atom) is not a.verdict))
                yield line(at, markup("Reviewed by a person: {}", other or "nothing changed"), "you")
            case ev.BeliefChanged(_, _, contradictions):
                for odd in contradictions:
                    what = markup("Contradiction: {} ({})", html.facts(odd.atoms), html.text(odd.reason))
                    yield line(at, what, "fault")
            case ev.PlanMade(change, accepted):
                because = explain(change.reason, self._state, self._vocabulary, change.old_steps)
                yield from self._planned(at, change, accepted, because)
            case ev.ActionProposed(Proposal(failing=RepeatedFailure() as failing)):
                yield line(at, f"Keeps failing: {html.text(failing.sentence())}", "fault")
            case ev.SituationNoticed():
                yield from situation_html(at, event)
            case ev.ActionProposed(Proposal(suggestion=Suggestion() as suggestion)):
                yield from suggestion_html(at, suggestion)
            case ev.ActionProposed(Proposal(kind=need, explanation=why)) if need is not ProposalKind.STEP:
                yield line(at, f"Waiting for a person: {html.text(why)}", "fault")
            case ev.DecisionMade(_, _, decision) if by := getattr(decision, "by", ""):
                yield line(at, markup("{}: {}", by, _decision(html, decision)), "you")
            case ev.StepFinished(_, step, outcome, situation):
                note = " · ".join(html.text(n) for n in (outcome.detail, situation) if n)
                ending = f"{outcome.status.value}, {outcome.seconds:.1f} s"
                yield line(at, markup('{}: {} <span class="said">{}</span>', html.step(step), ending, note))
            case ev.DomainChanged(_, difference, _, accepted, reason):
                done = "was changed" if accepted else "was not changed"
                yield line(at, f"The domain {done}: {html.text(difference)} ({reason.sentence})")
            case ev.ModelConsulted():
                yield from consulted(at, event)
            case ev.EpisodeEnded():
                yield line(at, self._ended(event))
            case ev.StopRequested(number, why, by):
                yield line(at, f"Stop {number} requested{f' by {by}' if by else ''} ({why})", "fault")
            case ev.StandstillMeasured(number, seconds):
                yield line(at, f"Stop {number}: standstill after {seconds:.2f} s")
            case ev.Bookmarked(note, by):
                yield line(at, f"Bookmark {f'of {by}' if by else ''}: {note}", "you")
            case ev.ArmHandover():
                yield line(at, event.sentence, "you")
            case ev.Notice(level, text):
                yield line(at, text, "fault" if level == "fault" else "said")

    def _started(self, event: ev.EpisodeStarted) -> Iterator[Markup]:
        line = self._parts.line
        self._vocabulary = vocabulary_of(event)
        if event.knowledge:
            yield line("", "Learnt in earlier episodes:")
            yield learnt_list(event.knowledge)
        yield line("", markup("Goal: {}", self._html.facts(event.goal)))
        objects = (self._html.object(o.name) for o in event.objects)
        yield line("", markup("Objects: {}", joined(objects, ", ")))
        yield self._parts.settings([(k, v) for k, v in event.settings.items() if v])

    def _planned(self, at: str, change: PlanChange, accepted: bool, because: Explanation) -> Iterator[Markup]:
        plan, line = change.new_plan, self._parts.line
        if plan.status is not PlanStatus.FOUND:
            failed = self._html.text(plan.reason or plan.status.value)
            yield line(at, f"No plan: {failed}. Cause: {because.whole}.", "fault")
            return
        taken = "" if accepted else " A person kept the old plan."
        yield line(at, f"Plan of {plan.size}, {plan.engine}. Cause: {because.whole}.{taken}")
        new = change.added_steps if change.old_steps else ()
        yield self._parts.plan(
            [(self._html.step(step), any(step is one for one in new)) for step in plan.steps]
        )

    def _ended(self, event: ev.EpisodeEnded) -> Markup:
        html, belief = self._html, self._state.belief
        goal = self._state.started.goal if self._state.started else ()
        ended = result_words(event.result, event.true_goal, is_confirmed(belief, goal))
        known = f" Goal: {evidence(belief, goal)}." if event.believed_goal else ""
        told = markup("<b>{}</b>: {}{}", ended, html.text(event.reason), known)
        return told + markup(" In truth missing: {}.", html.facts(event.missing)) if event.missing else told


def _figure(store: Store, frame: Frame) -> Markup:
    if not frame.id:
        return Markup()
    try:
        png = Markup(base64.b64encode(store.picture(frame.id)).decode())
    except LogError:  # the rest can still be read
        png = Markup()
    drawn: Markup = macros("log/export/events.html").figure(f"{frame.camera}, {frame.id[:12]}", png)
    return drawn


def _decision(html: DomainHtml, decision: object) -> Markup | str:
    match decision:
        case Correct(answers):
            return markup("corrected {}", answer_list(html, answers))
        case Choose(step):
            return markup("chose {}", html.step(step))
        case End(reason):
            return f"ended the episode ({reason})"
        case AcceptEdited(changes):
            return f"accepted it as edited: {'; '.join(change.describe() for change in changes)}"
        case TellSituation(sentence):
            return f"told a situation: “{sentence}”"
    return _DONE.get(type(decision), "")
