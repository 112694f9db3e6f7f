"""A child goes on from its parent's moment: the same world, a changed answer, its own log."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import main
from core import events as ev
from core.cancel import Cancel
from core.config import Settings
from core.errors import BadValue, RobotError
from core.facts import Atom, Hypothesis, Source, Verdict
from core.gate import Automatic
from core.log.codec import read_record, write_record
from core.log.recorder import Recorder
from core.log.repeat import folder_of, settings_of
from core.log.store import Store
from core.loop import run_episode
from core.ports import Ending, Outcome, World
from core.review.fork import Fork, at_answer, at_record, forking, restore
from core.telling import told

SETTINGS = Settings("halve_egg", robot="symbolic", seed=4, openness=1.5, answerer="gpt-4.1-household")


def run(settings: Settings, path: Path) -> list[ev.Record]:
    with closing(forking(main.make)(settings)) as p, Recorder.open(path) as recorder:
        events = run_episode(
            p.task.name, p.task.problem, p.robot, p.answerer, p.planner, p.method,
            Automatic(p.robot.world), Cancel(), p.settings.max_steps, p.settings.words(),
        )  # fmt: skip
        return list(recorder.record_events(events))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fork") / "log.db"


@pytest.fixture(scope="module")
def parent(log: Path) -> list[ev.Record]:
    return run(replace(SETTINGS, max_steps=12), log)


def acted(records: list[ev.Record]) -> list[ev.Record]:
    return [r for r in records if isinstance(r.event, ev.Acted)]


def test_that_an_episode_names_the_settings_it_was_run_with(parent: list[ev.Record]) -> None:
    started = parent[0].event
    assert isinstance(started, ev.Started)
    assert settings_of(started) == replace(SETTINGS, max_steps=12)
    assert folder_of(started).tasks["halve_egg"]


def test_that_the_world_of_a_moment_is_restored_step_by_step(parent: list[ev.Record]) -> None:
    moment = acted(parent)[5]
    fork = at_record(parent, moment.number)
    assert len(fork.steps) == 6
    whole = at_record(parent, acted(parent)[-1].number)
    with closing(forking(main.make)(fork)) as parts, closing(forking(main.make)(whole)) as last:
        again = main.make(fork)
        for record in acted(parent)[:6]:
            again.robot.do(record.event.step, Cancel())  # type: ignore[union-attr]
        assert parts.robot.truth() == again.robot.truth()  # type: ignore[attr-defined]
        assert parts.method.begin(parts.task.problem).state == told(parent[: moment.number]).belief.state
        missing = parent[-1].event.missing  # type: ignore[union-attr]
        assert not set(missing) & last.robot.truth()  # type: ignore[attr-defined]
        again.close()


def test_that_a_child_runs_on_with_the_changed_answer_and_names_its_parent(
    parent: list[ev.Record], log: Path
) -> None:
    asked = next(r for r in parent if isinstance(r.event, ev.Answered) and r.event.turn > 1)
    model = asked.event.call.answers[0]  # type: ignore[union-attr]
    other = Verdict.of(model.verdict is not Verdict.YES)
    fork = at_answer(parent, asked.number, 0, other, "ada", max_steps=3)
    child = run(fork, log)
    started = child[0].event
    assert isinstance(started, ev.Started)
    assert started.settings["parent"] == parent[0].episode
    assert str(model.atom) in started.settings["changed"]
    entry = told(child[:1]).belief.entry(model.atom)
    assert (entry.verdict, entry.source) == (other, Source.OPERATOR)
    with Store.open(log, read_only=True) as store:
        assert store.summary(child[0].episode).parent == parent[0].episode
        assert list(store.records(parent[0].episode)) == parent  # untouched


def test_that_a_world_that_does_not_come_back_is_not_run_on(parent: list[ev.Record]) -> None:
    fork = at_record(parent, acted(parent)[3].number)
    first = fork.steps[0]
    wrong = replace(first, outcome=Outcome(Ending.FAILED), situation="a meteor")
    with pytest.raises(RobotError, match="cannot be restored"):
        forking(main.make)(replace(fork, steps=(wrong, *fork.steps[1:])))


def test_that_a_real_robot_a_halted_step_and_no_beginning_are_refused(parent: list[ev.Record]) -> None:
    started = parent[0].event
    real = replace(parent[0], event=replace(started, settings={**started.settings, "world": "REAL"}))  # type: ignore[type-var,union-attr]
    with pytest.raises(BadValue, match="REAL"):
        at_record([real, *parent[1:]], 50)
    step = acted(parent)[0]
    halted = replace(step, event=replace(step.event, outcome=Outcome(Ending.HALTED)))  # type: ignore[type-var]
    cut = [halted if r is step else r for r in parent]
    assert isinstance(at_record(cut, step.number - 1), Fork)
    with pytest.raises(BadValue, match="stopped on its way"):
        at_record(cut, step.number)
    with pytest.raises(BadValue, match="had not begun"):
        at_record(parent, 0)
    with pytest.raises(BadValue, match="is no answer"):
        at_answer(parent, 1, 0, Verdict.YES, "ada")


def test_that_a_fork_takes_up_the_hypotheses_of_its_moment(parent: list[ev.Record]) -> None:
    story = (Hypothesis(0.75), Hypothesis(0.25, (Atom("filled", ("mug",)),), {"persists": 0.5}))
    believed = next(r for r in parent if isinstance(r.event, ev.Believed))
    told_of = replace(believed, event=replace(believed.event, hypotheses=story))
    assert read_record(write_record(told_of)) == told_of
    kept = [told_of if r is believed else r for r in parent]
    assert at_record(kept, parent[-2].number).belief.hypotheses == story


def test_that_a_log_cannot_move_what_is_no_simulator(parent: list[ev.Record]) -> None:
    """The log says SIM; the robot that was made says what it is."""

    class Arm:
        name, world = "ur5e", World.EMULATED
        moved = 0

        def do(self, step: object, cancel: Cancel) -> Outcome:
            self.moved += 1
            return Outcome(Ending.DONE)

    arm = Arm()
    with pytest.raises(RobotError, match="ur5e is EMULATED"):
        restore(arm, at_record(parent, parent[-2].number).steps)
    assert arm.moved == 0
