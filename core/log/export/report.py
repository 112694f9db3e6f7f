"""An episode as one HTML file to read or print: no script, no link, embedded pictures."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from core import events as ev
from core.belief import Answer, Atom, Query, Verdict
from core.domains import DomainSpec
from core.episode_state import EpisodeState
from core.errors import BadFile, LogError
from core.knowledge.changes import describe_change
from core.knowledge.suggestion import Suggestion
from core.log.export.answers import SIGNS, answer_list, answer_table, recorded_truth
from core.log.export.consulted import consulted
from core.log.export.domain_html import DomainHtml
from core.log.export.suggested import learnt_list, situation_html, suggestion_html
from core.log.export.timeline import timeline
from core.log.rerun_settings import domain_spec_of, vocabulary_of
from core.log.store import EpisodeSummary, Store
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
from core.planning_model import PlanStatus, Step
from core.ports import Frame
from core.reason import RepeatedFailure
from core.state.causes import Explanation, evidence, explain, is_confirmed, result_words
from core.state.state_reducer import apply_record, fold_records
from core.text.html_page import page as html_page
from core.text.plural import plural
from core.text.untrusted_text import sanitise
from core.text.vocabulary import Vocabulary
from core.text.written_pddl import in_words


def export(store: Store, episode: str, to: Path) -> None:
    """Write the report. Raises UnknownName, LogError, BadFile."""
    text = report(store, episode)
    try:
        to.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        reason = f"cannot be written ({error.strerror})"
        raise BadFile(to, reason, remedy="Choose another file") from error


def report(store: Store, episode: str) -> str:
    """Return the whole page. Raises UnknownName, LogError."""
    summary = store.summary(episode)
    records = list(store.records(summary.episode))
    html = DomainHtml(_folder(summary, records))
    page = _ReportPage(store, html, records[0].monotonic if records else 0.0)
    state = fold_records(records)
    marks = [replace(mark, label=in_words(html.folder, mark.label)) for mark in state.marks]
    started = records[0].event if records else None
    settings = started.settings if isinstance(started, ev.EpisodeStarted) else {}
    top = (*_header(summary, html), *_fork(settings))
    body = [*top, timeline(marks, state.now), *page.sections(records)]
    return html_page(f"{summary.task} · {summary.episode}", body)


def _folder(summary: EpisodeSummary, records: Sequence[ev.Record]) -> DomainSpec:
    """Return the domain folder for its words; what a log names outside the program is not opened."""
    first = records[0].event if records else None
    return domain_spec_of(
        first if isinstance(first, ev.EpisodeStarted) else ev.EpisodeStarted(summary.task, "", (), (), ())
    )


def _header(summary: EpisodeSummary, html: DomainHtml) -> Iterator[str]:
    result = result_words(summary.result, summary.true_goal)
    began = datetime.fromtimestamp(summary.began, UTC)
    yield f"<h1>{escape(summary.task)}: {escape(result)}</h1>"
    yield f'<p class="dim">{escape(summary.episode)} · began {began:%Y-%m-%d %H:%M:%S} UTC'
    yield f"· {escape(summary.domain)} · {html.text(summary.reason or '')}</p>"
    cost = "not known" if summary.cost is None else f"${summary.cost:.4f}"
    tiles = {
        "goal believed": _goal_sign(summary.believed_goal),
        "goal true": _goal_sign(summary.true_goal),
        "steps": summary.steps,
        "re-plans": summary.replans,
        "questions": summary.questions,
        "calls": summary.calls,
        "overrides": summary.overrides,
        "stops": summary.stops,
        "seconds": None if summary.seconds is None else f"{summary.seconds:.1f}",
        "cost": cost,
    }
    named = ((name.removesuffix("s") if value == 1 else name, value) for name, value in tiles.items())
    shown = (f"<div><b>{'–' if v is None else escape(str(v))}</b>{name}</div>" for name, v in named)
    yield f'<div class="tiles">{"".join(shown)}</div>'


def _fork(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield what an episode was forked from, and what was changed in it."""
    if parent := settings.get("parent"):
        changed = settings.get("purpose") or settings.get("changed")
        what = escape(changed) if changed else "with the same belief"
        moment = escape(settings.get("moment", "?"))
        yield f'<p class="you"><b>Fork</b> of {escape(parent)}, after record {moment}, {what}</p>'


def _goal_sign(value: bool | None) -> str:
    return "not known" if value is None else SIGNS[Verdict.from_bool(value)]


class _ReportPage:
    """State kept from one record to the next: the questions, until they are answered."""

    def __init__(self, store: Store, html: DomainHtml, origin: float) -> None:
        self._store, self._html, self._origin = store, html, origin
        self._state, self._vocabulary = EpisodeState(), Vocabulary()
        self._queries: tuple[Query, ...] = ()
        self._call: tuple[Answer, ...] = ()
        self._truth: dict[Atom, bool] = {}  # for the next call

    def sections(self, records: Sequence[ev.Record]) -> Iterator[str]:
        yield '<section><h2>Beginning</h2><div class="told">'
        turns = 0
        for place, record in enumerate(records):
            if isinstance(record.event, ev.AnswersReceived):
                self._truth = recorded_truth(records[place + 1 :])
            if isinstance(record.event, ev.FrameCaptured):
                yield "</div></div></section>" if turns else "</div></section>"
                turns += 1
                yield f'<section><h2>Turn {record.event.turn}</h2><div class="turn">'
            self._state = apply_record(self._state, record)
            yield from self._describe(record)
        yield "</div></div></section>" if turns else "</div></section>"

    def _describe(self, record: ev.Record) -> Iterator[str]:
        html = self._html
        at = f"<time>{record.monotonic - self._origin:.1f} s</time>"
        match event := record.event:
            case ev.EpisodeStarted():
                yield from self._started(event)
            case ev.FrameCaptured(_, frame):
                yield self._figure(frame) + '<div class="told">'
            case ev.QuestionsAsked(_, _, queries):
                self._queries = queries
            case ev.AnswersReceived(_, _, call):
                self._call = call.answers
                by = f"{call.by or 'nobody'}, {call.seconds:.1f} s"
                yield f"<p>{at}Asked: {escape(by)}</p>"
                yield answer_table(html, self._queries, call.answers, self._truth)
                yield f'<p class="said">“{escape(call.raw_reply)}”</p>' if call.raw_reply else ""
            case ev.AnswersReviewed(_, answers):
                said = {a.atom: a.verdict for a in self._call}
                other = answer_list(html, (a for a in answers if said.get(a.atom) is not a.verdict))
                yield f'<p class="you">{at}Reviewed by a person: {other or "all let stand"}</p>'
            case ev.BeliefChanged(_, _, contradictions) if contradictions:
                for odd in contradictions:
                    what = f"{html.facts(odd.atoms)} ({html.text(odd.reason)})"
                    yield f'<p class="fault">{at}Contradiction: {what}</p>'
            case ev.PlanMade(revision, accepted):
                because = explain(revision.reason, self._state, self._vocabulary, revision.old_steps)
                yield from _planned(at, html, revision, accepted, because)
            case ev.ActionProposed(Proposal(failing=RepeatedFailure() as failing)):
                yield f'<p class="fault">{at}Keeps failing: {html.text(failing.sentence())}</p>'
            case ev.SituationNoticed():
                yield from situation_html(at, event)
            case ev.ActionProposed(Proposal(suggestion=Suggestion() as suggestion)):
                yield from suggestion_html(at, suggestion)
            case ev.ActionProposed(Proposal(kind=need, explanation=why)) if need is not ProposalKind.STEP:
                yield f'<p class="fault">{at}Waiting for a person: {html.text(why)}</p>'
            case ev.DecisionMade(_, _, decision) if by := getattr(decision, "by", ""):
                yield f'<p class="you">{at}{escape(by)}: {_decision(html, decision)}</p>'
            case ev.StepFinished(_, step, outcome, situation):
                note = " · ".join(html.text(n) for n in (outcome.detail, situation) if n)
                ending = f"{outcome.status.value}, {outcome.seconds:.1f} s"
                yield f"<p>{at}{html.step(step)}: {ending} <span class='said'>{note}</span></p>"
            case ev.DomainChanged(_, difference, _, accepted, reason):
                done = "was changed" if accepted else "was not changed"
                yield f"<p>{at}The domain {done}: {html.text(difference)} ({escape(reason.sentence)})</p>"
            case ev.ModelConsulted():
                yield from consulted(at, event)
            case ev.EpisodeEnded():
                yield f"<p>{at}{self._ended(event)}</p>"
            case ev.StopRequested(number, why, by):
                who = f" by {escape(by)}" if by else ""
                yield f'<p class="fault">{at}Stop {number} requested{escape(who)} ({escape(why)})</p>'
            case ev.StandstillMeasured(number, seconds):
                yield f"<p>{at}Stop {number}: standstill after {seconds:.2f} s</p>"
            case ev.Bookmarked(note, by):
                yield f'<p class="you">{at}Bookmark {escape(by and f"of {by}")}: {escape(note)}</p>'
            case ev.ArmHandover():
                yield f'<p class="you">{at}{escape(event.sentence)}</p>'
            case ev.Notice(level, text):
                yield f'<p class="{"fault" if level == "fault" else "said"}">{at}{escape(text)}</p>'

    def _started(self, event: ev.EpisodeStarted) -> Iterator[str]:
        self._vocabulary = vocabulary_of(event)
        if event.knowledge:
            yield "<p>Learnt in earlier episodes:</p>"
            yield from learnt_list(event.knowledge)
        yield f"<p>Goal: {self._html.facts(event.goal)}</p>"
        yield f"<p>Objects: {', '.join(self._html.object(o.name) for o in event.objects)}</p>"
        rows = "".join(f"<tr><th>{escape(k)}<td>{escape(v)}" for k, v in event.settings.items() if v)
        yield f"<details><summary>Settings</summary><table>{rows}</table></details>"

    def _ended(self, event: ev.EpisodeEnded) -> str:
        html, belief = self._html, self._state.belief
        goal = self._state.started.goal if self._state.started else ()
        ended = result_words(event.result, event.true_goal, is_confirmed(belief, goal))
        known = f" Goal: {evidence(belief, goal)}." if event.believed_goal else ""
        lacks = f" In truth missing: {html.facts(event.missing)}." if event.missing else ""
        return f"<b>{escape(ended)}</b>: {html.text(event.reason)}{known}{lacks}"

    def _figure(self, frame: Frame) -> str:
        if not frame.id:
            return ""
        caption = f"{escape(frame.camera)}, {frame.id[:12]}"
        try:
            png = base64.b64encode(self._store.picture(frame.id)).decode()
        except LogError:  # the rest can still be read
            return f"<figure><figcaption>{caption}: it is no longer in the log</figcaption></figure>"
        return (
            f'<figure><img alt="what the robot saw" src="data:image/png;base64,{png}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )


def _planned(
    at: str, html: DomainHtml, revision: PlanChange, accepted: bool, because: Explanation
) -> Iterator[str]:
    plan = revision.new_plan
    reason = escape(because.whole)
    if plan.status is not PlanStatus.FOUND:
        failed = html.text(plan.reason or plan.status.value)
        yield f'<p class="fault">{at}No plan: {failed}. Cause: {reason}.</p>'
        return
    taken = "" if accepted else " A person kept the old plan."
    count = plural(len(plan.steps), "step")
    yield f"<p>{at}Plan of {count}, {escape(plan.engine)}. Cause: {reason}.{taken}</p>"
    first = not revision.old_steps
    steps = (_step(html, step, first or step in revision.old_steps) for step in plan.steps)
    yield f"<ol>{''.join(steps)}</ol>"


def _step(html: DomainHtml, step: Step, known: bool) -> str:
    return f"<li>{html.step(step)}{'' if known else ' <b>new</b>'}"


def _decision(html: DomainHtml, decision: object) -> str:
    match decision:
        case Correct(answers):
            return f"corrected {answer_list(html, answers)}"
        case Choose(step):
            return f"chose {html.step(step)}"
        case End(reason):
            return f"ended the episode ({escape(reason)})"
        case AcceptEdited(changes):
            return f"accepted it as edited: {escape(sanitise('; '.join(map(describe_change, changes))))}"
        case TellSituation(sentence):
            return f"told a situation: “{escape(sanitise(sentence))}”"
    return _WORDS.get(type(decision), "")


_WORDS = {Approve: "approved", Undo: "took the last correction back", Replan: "asked for a new plan"} | {
    Proceed: "continued after the stop",
    RefuseSuggestion: "refused the change",
}
