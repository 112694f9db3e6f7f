"""A child goes on from its parent's moment: the same world, a changed answer, its own log."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import main
from core import events as ev
from core.belief import Atom, BeliefSource, Hypothesis, Verdict
from core.config import Settings
from core.episode import run_components
from core.errors import BadValue, RobotError
from core.log.codec import read_record, write_record
from core.log.recorder import Recorder
from core.log.rerun_settings import domain_spec_of, settings_of
from core.log.store import Store
from core.loop.gate import AutoOperator
from core.loop.permit_issuer import PermitIssuer
from core.permit import Permit, PermitLedger
from core.ports import Embodiment, StepResult, StepStatus
from core.review.fork import RENAMED, Fork, fork_at_answer, fork_at_record, fork_factory, restore_world
from core.state.state_reducer import fold_records
from core.stop_token import StopToken
from tests.permitted import do

SETTINGS = Settings("halve_egg", robot="symbolic", seed=4, openness=1.5, answerer="gpt-4.1-household")


def run(settings: Settings, path: Path) -> list[ev.Record]:
    with closing(fork_factory(main.make_components)(settings)) as p, Recorder.open(path) as recorder:
        return list(recorder.record_events(run_components(p, AutoOperator(Embodiment.SIM), StopToken())))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fork") / "log.db"


@pytest.fixture(scope="module")
def parent(log: Path) -> list[ev.Record]:
    return run(replace(SETTINGS, max_steps=12), log)


def acted(records: list[ev.Record]) -> list[ev.Record]:
    return [r for r in records if isinstance(r.event, ev.StepFinished)]


def test_that_an_episode_names_the_settings_it_was_run_with(parent: list[ev.Record]) -> None:
    started = parent[0].event
    assert isinstance(started, ev.EpisodeStarted)
    assert settings_of(started) == replace(SETTINGS, max_steps=12)
    assert domain_spec_of(started).tasks["halve_egg"]


def test_that_the_world_of_a_moment_is_restored_step_by_step(parent: list[ev.Record]) -> None:
    moment = acted(parent)[5]
    fork = fork_at_record(parent, moment.number)
    assert len(fork.steps) == 6
    whole = fork_at_record(parent, acted(parent)[-1].number)
    with (
        closing(fork_factory(main.make_components)(fork)) as parts,
        closing(fork_factory(main.make_components)(whole)) as last,
    ):
        again = main.make_components(fork)
        for record in acted(parent)[:6]:
            do(again.robot, record.event.step)  # type: ignore[union-attr]
        assert parts.robot.truth() == again.robot.truth()  # type: ignore[attr-defined]
        assert parts.first_belief is not None
        assert parts.first_belief.state == fold_records(parent[: moment.number]).belief.state
        missing = parent[-1].event.missing  # type: ignore[union-attr]
        assert not set(missing) & last.robot.truth()  # type: ignore[attr-defined]
        again.close()


def test_that_a_child_runs_on_with_the_changed_answer_and_names_its_parent(
    parent: list[ev.Record], log: Path
) -> None:
    asked = next(r for r in parent if isinstance(r.event, ev.AnswersReceived) and r.event.turn > 1)
    model = asked.event.call.answers[0]  # type: ignore[union-attr]
    other = Verdict.from_bool(model.verdict is not Verdict.YES)
    fork = fork_at_answer(parent, asked.number, 0, other, "ada", max_steps=3)
    child = run(fork, log)
    started = child[0].event
    assert isinstance(started, ev.EpisodeStarted)
    assert started.settings["parent"] == parent[0].episode
    assert str(model.atom) in started.settings["changed"]
    entry = fold_records(child[:1]).belief.entry(model.atom)
    assert (entry.verdict, entry.source) == (other, BeliefSource.OPERATOR)
    with Store.open(log, read_only=True) as store:
        assert store.summary(child[0].episode).parent == parent[0].episode
        assert list(store.records(parent[0].episode)) == parent  # untouched


def test_that_a_world_that_does_not_come_back_is_not_run_on(parent: list[ev.Record]) -> None:
    fork = fork_at_record(parent, acted(parent)[3].number)
    first = fork.steps[0]
    wrong = replace(first, result=StepResult(StepStatus.FAILED), situation="a meteor")
    with pytest.raises(RobotError, match="cannot be restored"):
        fork_factory(main.make_components)(replace(fork, steps=(wrong, *fork.steps[1:])))


def test_that_a_situation_may_have_had_another_name(
    parent: list[ev.Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = fork_at_record(parent, acted(parent)[-1].number)
    name = next(step.situation for step in fork.steps if step.situation)
    monkeypatch.setitem(RENAMED, "as it was", name)
    older = (replace(s, situation="as it was") if s.situation == name else s for s in fork.steps)
    fork_factory(main.make_components)(replace(fork, steps=tuple(older))).close()


def test_that_restoring_says_how_far_it_is_and_can_be_stopped(parent: list[ev.Record]) -> None:
    fork = fork_at_record(parent, acted(parent)[3].number)
    said: list[str] = []

    def told(words: str) -> None:
        said.append(words)
        if "step 2" in words:
            fork.cancel.end("You stopped it.")

    with pytest.raises(RobotError, match=r"^The world was not restored\. You stopped it\.$"):
        fork_factory(main.make_components)(fork, told)
    assert said == [f"Restoring the world: step {n} of 4." for n in (1, 2)]


def test_that_a_real_robot_a_halted_step_and_no_beginning_are_refused(parent: list[ev.Record]) -> None:
    started = parent[0].event
    real = replace(parent[0], event=replace(started, settings={**started.settings, "world": "REAL"}))  # type: ignore[type-var,union-attr]
    with pytest.raises(BadValue, match="REAL"):
        fork_at_record([real, *parent[1:]], 50)
    step = acted(parent)[0]
    halted = replace(step, event=replace(step.event, result=StepResult(StepStatus.HALTED)))  # type: ignore[type-var]
    cut = [halted if r is step else r for r in parent]
    assert isinstance(fork_at_record(cut, step.number - 1), Fork)
    with pytest.raises(BadValue, match="stopped on its way"):
        fork_at_record(cut, step.number)
    with pytest.raises(BadValue, match="had not begun"):
        fork_at_record(parent, 0)
    with pytest.raises(BadValue, match="is no answer"):
        fork_at_answer(parent, 1, 0, Verdict.YES, "ada")


def test_that_a_fork_takes_up_the_hypotheses_of_its_moment(parent: list[ev.Record]) -> None:
    state = (Hypothesis(0.75), Hypothesis(0.25, (Atom("filled", ("mug",)),), {"persists": 0.5}))
    believed = next(r for r in parent if isinstance(r.event, ev.BeliefChanged))
    told_of = replace(believed, event=replace(believed.event, hypotheses=state))
    assert read_record(write_record(told_of)) == told_of
    kept = [told_of if r is believed else r for r in parent]
    assert fork_at_record(kept, parent[-2].number).belief.hypotheses == state


def test_that_a_log_cannot_move_what_is_no_simulator(parent: list[ev.Record]) -> None:
    """The log says SIM; the robot that was made says what it is."""

    class Arm:
        name, embodiment = "ur5e", Embodiment.EMULATED
        permits = PermitLedger(lambda: 0)
        moved = 0

        def do(self, step: object, permit: Permit, cancel: StopToken) -> StepResult:
            self.moved += 1
            return StepResult(StepStatus.DONE)

    arm = Arm()
    issuer = PermitIssuer(arm.permits, Embodiment.SIM)
    with pytest.raises(RobotError, match="ur5e is EMULATED"):
        restore_world(arm, issuer, fork_at_record(parent, parent[-2].number).steps, StopToken())
    assert arm.moved == 0


def test_that_a_forked_method_has_every_protocol_of_the_original(tmp_path: Path) -> None:
    options = {"robot.situation": "the cup is dirty", "robot.stock": "bowl"}
    records = run(Settings("serve_water", method="cowp", pictures=False, options=options), tmp_path / "a.db")
    first = next(r for r in records if isinstance(r.event, ev.DomainChanged))
    with closing(fork_factory(main.make_components)(fork_at_record(records, first.number))) as parts:
        static = vars(type(parts.method)) | vars(type(parts.method).__mro__[1])  # as Python 3.12 looks it up
        assert {"read_situation", "interpret_reply", "update"} <= static.keys()
        assert parts.first_belief is not None and parts.knowledge.changes
        events = list(run_components(parts, AutoOperator(Embodiment.SIM), StopToken()))
    assert isinstance(events[-1], ev.EpisodeEnded) and events[-1].true_goal
