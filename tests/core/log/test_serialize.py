"""Every kind of event survives JSON, and what a newer version wrote is refused in one sentence."""

import dataclasses
import json
import math
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.belief import Answer, Atom, BeliefSource, Verdict
from core.errors import LogError
from core.events import (
    EVENT_TYPES,
    ActionProposed,
    DecisionMade,
    Event,
    FrameCaptured,
    Notice,
    Record,
    SensorsRead,
    StepStarted,
)
from core.log.codec import read_event, read_record, write_event, write_record
from core.operator import Approve, Proposal, ProposalKind
from core.planning_model import Step
from core.ports import BoundingBox, Frame
from tests.core.log.values import events


def there_and_back(event: Event) -> Event:
    return read_event(type(event).__name__, write_event(event))


@pytest.mark.parametrize("kind", EVENT_TYPES.values(), ids=EVENT_TYPES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_that_every_kind_of_event_survives_json(kind: type, data: st.DataObject) -> None:
    event = data.draw(events(kind))
    assert there_and_back(event) == event
    assert isinstance(json.loads(write_event(event)), dict)


@settings(max_examples=60, deadline=None)
@given(
    event=st.sampled_from(sorted(EVENT_TYPES)).flatmap(lambda k: events(EVENT_TYPES[k])),
    place=st.tuples(st.text(), st.integers(0, 10**15), st.floats(0, 1e12), st.floats(0, 1e12)),
)
def test_that_a_record_survives_as_one_line(event: Event, place: tuple[str, int, float, float]) -> None:
    record = Record(*place, event)
    line = write_record(record)
    assert read_record(line) == record
    assert "\n" not in line


def test_that_sql_finds_the_predicate_of_an_answer() -> None:
    event = SensorsRead(1, (Answer(Atom("inside", ("mug", "cabinet")), Verdict.YES, BeliefSource.SENSOR),))
    answer = json.loads(write_event(event))["answers"][0]
    assert answer["atom"] == ["inside", "mug", "cabinet"]
    assert (answer["verdict"], answer["source"]) == ("yes", "sensor")


def test_that_pixels_and_the_belief_beside_a_proposal_are_left_out() -> None:
    frame = Frame("f", "top", 1.0, rgb=np.zeros((2, 2, 3), np.uint8), png=b"bytes")
    assert set(json.loads(write_event(FrameCaptured(1, frame)))["frame"]) == {
        "id",
        "camera",
        "timestamp",
        "viewpoint",
    }
    assert (
        "belief" not in json.loads(write_event(ActionProposed(Proposal(1, 1, ProposalKind.STEP))))["proposal"]
    )


def test_that_a_decision_names_its_kind() -> None:
    form = json.loads(write_event(DecisionMade(1, 2, Approve("ada"))))
    assert form["decision"] == {"kind": "Approve", "by": "ada"}


def test_that_numbers_that_json_has_not_survive() -> None:
    step = Step("place", ("mug",), {"pose": (1.0, math.inf, (True, None, "x")), "force": -math.inf})
    assert there_and_back(StepStarted(1, step)) == StepStarted(1, step)
    back = there_and_back(
        SensorsRead(1, (Answer(Atom("hot"), Verdict.NO, BeliefSource.MODEL, confidence=math.nan),))
    )
    assert isinstance(back, SensorsRead) and math.isnan(back.answers[0].confidence or 0.0)


def test_that_numpy_numbers_become_plain_ones() -> None:
    box: Any = BoundingBox("mug", np.float32(1.5), np.float32(2), np.float32(3), np.float32(4))
    event = FrameCaptured(int(np.int64(3)), Frame("f"), (box,))
    assert there_and_back(dataclasses.replace(event, turn=np.int64(3))) == event


def test_that_half_a_surrogate_pair_in_a_reply_survives() -> None:
    assert there_and_back(Notice("info", "broken \ud83d here")) == Notice("info", "broken \ud83d here")


@pytest.mark.parametrize(
    ("kind", "text", "named"),
    [
        ("Dreamt", "{}", "'Dreamt'"),
        ("Notice", '{"level":"info","text":"a","colour":"red"}', "'colour'"),
        ("Notice", '{"level":"info"}', "'text'"),
        ("Notice", '{"level":3,"text":"a"}', "3"),
        ("Notice", "[]", "[]"),
        ("Notice", "{", "JSON"),
        ("Notice", "[" * 100_000, "JSON"),
        ("DecisionMade", '{"proposal":1,"turn":1,"decision":{"kind":"Pray"}}', "'Pray'"),
        ("DecisionMade", '{"proposal":1,"turn":1,"decision":[]}', "[]"),
        ("SensorsRead", '{"turn":1,"answers":[{"atom":[],"verdict":"yes","source":"model"}]}', "atom"),
        ("SensorsRead", '{"turn":1,"answers":[{"atom":["a"],"source":"model","verdict":"maybe"}]}', "maybe"),
        ("SensorsRead", '{"turn":true,"answers":[]}', "True"),
    ],
)
def test_that_what_cannot_be_read_is_named_in_one_sentence(kind: str, text: str, named: str) -> None:
    with pytest.raises(LogError) as caught:
        read_event(kind, text)
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line", ["{}", "3", "null", '{"episode":"e","number":"x","wall":0,"monotonic":0,"event":{}}']
)
def test_that_a_line_that_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(LogError):
        read_record(line)


def test_that_a_choice_of_no_kind_is_refused() -> None:
    form = json.dumps({"proposal": 1, "turn": 1, "decision": {"kind": [[[]]]}})
    with pytest.raises(LogError, match="unknown choice"):
        read_event("DecisionMade", form)


def test_that_a_field_that_an_older_version_had_not_takes_its_default() -> None:
    assert read_event("StopRequested", '{"number":1,"why":"key"}') == EVENT_TYPES["StopRequested"](1, "key")


def test_that_how_a_step_is_done_is_logged_although_it_makes_it_no_other_step() -> None:
    values = MappingProxyType({"grasp": (0.1, 0.2), "from": "above"})
    event = StepStarted(1, Step("pickup", ("mug",), values))
    assert event == StepStarted(1, Step("pickup", ("mug",)))
    again = read_event("StepStarted", write_event(event))
    assert isinstance(again, StepStarted) and again.step.values == values
