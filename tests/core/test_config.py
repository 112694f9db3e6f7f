"""Settings: each part's options under a dotted name, logged as they are and read back."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

import main
from core.config import Settings
from core.domains import DomainSpec
from core.errors import BadValue
from core.events import EpisodeStarted
from core.log.rerun_settings import settings_of
from core.methods.dkprompt import DKPrompt, DKPromptOptions
from core.planning_model import Problem
from core.policy import Policy
from core.registry import Entry, Options, Registry
from core.review.fork import Fork
from core.supervision import SUPERVISION_PRESETS

ARM = Settings("collect_toys", robot="ur5e", options={"robot.arm": "192.0.2.1", "answerer.skip": "0.5"})


def started(words: dict[str, str]) -> EpisodeStarted:
    return EpisodeStarted("collect_toys", "", (), (), (), words)


def test_that_each_part_gets_its_own_options_and_no_others() -> None:
    assert ARM.options_for("robot") == {"arm": "192.0.2.1"}
    assert ARM.options_for("answerer") == {"skip": "0.5"}
    assert ARM.options_for("method") == {}


@pytest.mark.parametrize("name", ["arm", "arm.robot", "robot.", "camera.arm"])
def test_that_an_option_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(BadValue, match="no option"):
        Settings(options={name: "1"})


def test_that_options_are_logged_as_they_are_and_read_back() -> None:
    words = dict(ARM.as_strings())
    assert words["robot.arm"] == "192.0.2.1" and "options" not in words
    assert settings_of(started(words)) == ARM
    assert Fork("collect_toys", options=ARM.options, parent="p").as_strings()["robot.arm"] == "192.0.2.1"


def test_that_the_arm_of_an_older_log_is_still_read() -> None:
    words = {"task": "collect_toys", "robot": "ur5e", "arm": "192.0.2.9", "seed": "3"}
    found = settings_of(started(words))
    assert found.options_for("robot") == {"arm": "192.0.2.9"} and found.seed == 3
    assert settings_of(started({**words, "arm": ""})).options == {}


def test_that_an_option_that_a_part_does_not_have_ends_the_making_in_a_sentence() -> None:
    symbolic = Settings("halve_egg", robot="symbolic", options={"robot.arm": "192.0.2.1"})
    with pytest.raises(BadValue, match="Symbolic robot has no option 'arm'"):
        main.make_components(symbolic)
    main.make_components(replace(symbolic, options={"answerer.skip": "0.5"})).close()


def test_that_the_methods_factory_gets_its_parts_and_the_operators_levels_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    got: dict[str, object] = {}

    def make(domain_spec: DomainSpec, problem: Problem, options: Options, **needs: object) -> Policy:
        got.update(needs, domain_spec=domain_spec, problem=problem)
        return DKPrompt(domain_spec, problem, DKPromptOptions())

    entry = Entry("curious", "Curious", "Wants to know what it gets.", make)
    monkeypatch.setattr("core.methods.registry.METHODS", Registry("method", (entry,)))
    levels = SUPERVISION_PRESETS["Approve"]
    settings = Settings("halve_egg", robot="symbolic", method="curious", pictures=False)
    with closing(main.make_components(settings, supervision=levels)) as parts:
        assert got["domain_spec"] is parts.domain_spec and got["problem"] is parts.task.problem
        assert got["planner"] is parts.planner and got["answerer"] is parts.answerer
        assert got["model"] is parts.model and got["supervision"] == levels
