"""In the review: which test and version stood behind a placement, and whether it was so afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core import events as ev
from core.belief import Answer, Atom, BeliefSource, Query, QueryTopic, Verdict
from core.errors import BadValue
from core.planning_model import Step
from core.ports import ModelCall, StepResult, StepStatus
from core.scene import Scene
from core.stop_token import StopToken
from core.wishes.authoring import Request, after, write_wish
from core.wishes.logged import logged_wish
from core.wishes.sheet import replies_of, write_sheet
from core.wishes.word_sources import WordSource
from tests.core.wishes.conftest import ask
from tests.core.wishes.test_authoring import BRIEF, REGION, SCENE, SPEC

pytest.importorskip("pydantic_monty")
DONE = StepResult(StepStatus.DONE)


def test_that_a_logged_wish_shows_its_versions_and_what_became_of_each_placement() -> None:
    sheet = write_sheet(BRIEF, ask)
    edited = sheet.with_version(1, replace(sheet.rows[1].latest, by="Anna", at="02:11"))
    source, said, events = (
        WordSource("the sheet", lambda _: replies_of(edited)),
        list[str](),
        list[ev.Event](),
    )
    while isinstance(latest := after(write_wish(BRIEF), said), Request):
        said.append(source.ask(latest.messages, (), StopToken()).text)
        events.append(ev.ModelConsulted(1, latest.purpose, latest.messages, "", said[-1], "", "the sheet"))
    there = replace(SCENE.things[0], pose=(0.5, 0.0, 0.017, 0, 0, 0))
    after_it = Scene((there, *SCENE.things[1:]), "")
    query = Query(Atom("on", ("strawberry", REGION)), "Is it so?", topic=QueryTopic.STEP_SUCCEEDED)
    answer = Answer(query.atom, Verdict.YES, BeliefSource.MODEL)
    events = [ev.SceneSeen(1, SCENE), *events]
    events += [ev.StepFinished(2, Step("pick", ("strawberry",)), DONE)]
    events += [
        ev.StepFinished(3, Step("place_ontop", ("strawberry", REGION)), DONE),
        ev.SceneSeen(3, after_it),
    ]
    events += [ev.QuestionsAsked(3, "", (query,)), ev.AnswersReceived(3, "", ModelCall((answer,), by="eye"))]
    records = [ev.Record("e", n, 0.0, float(n), event) for n, event in enumerate(events)]
    found = logged_wish(records, SPEC, BRIEF.problem, BRIEF.words, None)
    assert found.sheet.steps == sheet.steps and set(found.befores) == {0, 1}
    row = found.sheet.rows[1]
    assert (
        row.latest.by == "Anna, version 2"
        and row.latest.source.strip() == sheet.rows[1].latest.source.strip()
    )
    assert row.description.endswith("Afterwards: so by its tests, yes by eye's answer")
    with pytest.raises(BadValue, match="Nobody had made a wish"):
        logged_wish(records[:2], SPEC, BRIEF.problem, BRIEF.words, None)
