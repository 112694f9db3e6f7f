"""What is not symbolic in a step, in words."""

from __future__ import annotations

from core.planning import domain_library
from core.planning_model import Json, Step
from core.text.step_values import values_in_words
from core.text.vocabulary import Vocabulary

WORDS = {"pose": "at {0:.2f}, {1:.2f} m", "force": "with {0:.0f} N"}


def said(**values: Json) -> list[str]:
    return list(values_in_words(values, WORDS))


def test_that_values_are_said_in_the_words_of_the_domain() -> None:
    assert said(pose=(0.4123, -0.1), force=5.0) == ["at 0.41, -0.10 m", "with 5 N"]


def test_that_a_value_without_words_is_said_by_its_name() -> None:
    assert said(grasp_width=0.0421, upright=True, tool="spoon", arm=None) == [
        "grasp width 0.0421", "upright yes", "tool spoon", "arm none"
    ]  # fmt: skip


def test_that_words_for_another_kind_of_value_are_left_aside() -> None:
    assert said(pose=(0.4,), force="much") == ["pose 0.4", "force much"]


def test_that_a_long_value_is_cut() -> None:
    assert said(joints=tuple(range(10))) == ["joints 0, 1, 2, 3, 4, 5, 6, 7 and 2 more"]


def test_that_a_step_is_described_with_and_without_its_values() -> None:
    folder = domain_library.load_domain_spec("tabletop")
    step = Step("pick", ("robot", "toy_block"), {"grasp": (0.41234, -0.1, 0.021, 1.5708, 0.035, 0.8)})
    assert folder.describe_step(step) == "pick up the red toy block"
    full = "pick up the red toy block, gripper at 0.41, -0.10, 0.02 m, turned 1.6 rad"
    assert folder.describe_in_full(step) == Vocabulary(folder).describe_in_full(step) == full
    assert Vocabulary().describe_in_full(Step("pick", ("mug",), {"pose": (0.5,)})) == "pick mug, pose 0.5"
