"""The wish of a logged episode, as a sheet: the tests behind each placement, and if it was so afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core import events as ev
from core.belief import QueryTopic
from core.domains import DomainSpec
from core.errors import BadValue
from core.log.rerun_settings import domain_spec_of, settings_of
from core.motion.frames import scene_bodies
from core.planning_model import Problem
from core.ports import Frame, StepStatus
from core.scene import Bodies, Scene
from core.wishes.authoring import Brief, code_of, read_partial_plan
from core.wishes.confinement import WrittenTest
from core.wishes.judging import Look
from core.wishes.sheet import Row, Sheet, Version, row_tests

_VERSION = re.compile(r"Version (\d+), by (.+), (\S*)\.")


@dataclass(frozen=True)
class Logged:
    """A sheet that nobody changes any more, what it was about, and where things were before each row."""

    look: Look
    sheet: Sheet
    befores: Mapping[int, Bodies]


def read_wish(records: Sequence[ev.Record], frame: Frame | None) -> Logged:
    """Return the wish as it stood after the records of an episode. Raises ConsoleError."""
    started = records[0].event
    assert isinstance(started, ev.EpisodeStarted)
    spec, words = domain_spec_of(started), settings_of(started).options_for("method").get("words", "")
    task = spec.tasks[started.task]
    return logged_wish(records, spec, task.problem, words or task.description, frame)


def logged_wish(
    records: Iterable[ev.Record], spec: DomainSpec, problem: Problem, words: str, frame: Frame | None
) -> Logged:
    """Return the wish as it stood after these records. Raises BadValue if no words were made one by then."""
    said, first, now = dict[str, ev.ModelConsulted](), None, None
    sheet: Sheet | None = None
    befores, outcomes, done = dict[int, Bodies](), dict[int, list[str]](), -1
    brief, after_step = Brief(words, spec, problem, Scene((), "")), False
    for record in records:
        match record.event:
            case ev.ModelConsulted(purpose=purpose, error="") as asked if purpose.startswith("wish "):
                said[purpose.partition(",")[0].removeprefix("wish ")] = asked
                sheet = _sheet(brief, said) if {"plan", "goal"} <= said.keys() else None
                outcomes, done = {}, -1
            case ev.SceneSeen(scene=scene):
                first, now = first or scene, scene_bodies(scene)
                brief = replace(brief, scene=first)
                if sheet and done >= 0 and (tests := _tests(sheet, done, brief)):
                    so = all(test(now) for test in tests)
                    outcomes.setdefault(done, []).append("so by its tests" if so else "not so by its tests")
                    done = -1
            case ev.StepFinished(step=step, result=result) if sheet and result.status is StepStatus.DONE:
                steps = range(len(sheet.rows) - 1)
                number = next((n for n in steps if sheet.rows[n].step == step and n not in befores), -1)
                if number >= 0 and now is not None:
                    befores[number] = now
                done = number if number >= 0 and sheet.rows[number].is_tested else -1
            case ev.QuestionsAsked(queries=queries):
                after_step = bool(queries) and queries[0].topic is QueryTopic.STEP_SUCCEEDED
            case ev.AnswersReceived(call=call) if after_step and befores and call.answers:
                said_so = f"{call.answers[0].verdict.value} by {call.by}'s answer"
                outcomes.setdefault(max(befores), []).append(said_so)
    if sheet is None or first is None:
        raise BadValue("Nobody had made a wish of words by then: it was written by hand, or none was meant.")
    rows = tuple(
        replace(row, description=_told(row, outcomes.get(n, ()))) for n, row in enumerate(sheet.rows)
    )
    return Logged(Look(spec, problem, first, frame), replace(sheet, rows=rows), befores)


def _told(row: Row, outcomes: Sequence[str]) -> str:
    by = f"By {row.latest.by}" if row.step and row.latest.by else ""
    after = f"Afterwards: {', '.join(outcomes)}" if outcomes else ""
    return ". ".join(filter(None, (row.description, by, after)))


def _tests(sheet: Sheet, number: int, brief: Brief) -> tuple[WrittenTest, ...]:
    try:
        return row_tests(sheet.rows[number], brief)
    except BadValue:
        return ()


def _sheet(brief: Brief, said: Mapping[str, ev.ModelConsulted]) -> Sheet | None:
    try:
        plan = read_partial_plan(said["plan"].raw_reply, brief)
    except BadValue:
        return None
    rows = [
        Row(step, words, (_version(said.get(f"step {n}")),))
        for n, (step, words) in enumerate(zip(plan.steps, plan.descriptions, strict=True))
    ]
    return Sheet(brief.words, plan.goal, (*rows, Row(None, "at the end", (_version(said["goal"]),))))


def _version(asked: ev.ModelConsulted | None) -> Version:
    if asked is None:
        return Version("", "")
    source = "\n\n\n".join(block.strip() for block in code_of(asked.raw_reply)) + "\n"
    known = _VERSION.match(asked.raw_reply)
    by, at = (f"{known[2]}, version {known[1]}", known[3]) if known else (asked.by, "")
    return Version(source, by, at, None, asked.messages[0].text, asked.raw_reply)
