"""From words to a wish: a model's replies, good ones and others."""

from __future__ import annotations

import pytest

from core.errors import BadValue
from core.motion.frames import scene_bodies
from core.planning.domain_library import load_domain_spec
from core.planning_model import Literal, Step
from core.scene import Scene, SceneThing
from core.stop_token import StopToken
from core.wish import Wish
from core.wishes.authoring import Brief, Refused, Request, after, read_partial_plan, read_tests, write_wish
from core.wishes.word_sources import word_source

SPEC = load_domain_spec("tabletop-wishes")
PROBLEM = SPEC.tasks["berry_1"].problem
REGION = "light_grey_region"
SCENE = Scene(
    (
        SceneThing("strawberry", (0.4, 0.1, 0.016, 0, 0, 0), (0.016,) * 3, "ball"),
        SceneThing(REGION, (0.5, 0, 0, 0, 0, 0), (0.028, 0.028, 0.0008), "mark", False),
        SceneThing("table_surface", (0.52, 0, -0.02, 0, 0, 0), (0.4, 0.52, 0.02), "table", False),
    ),
    "",
)
BRIEF = Brief("Put the strawberry onto the light-grey region.", SPEC, PROBLEM, SCENE)
PLAN = f"""First I think of pick(strawberry).
Plan:
pick(strawberry); grasp it
place_ontop(strawberry, {REGION}); it rests on the region
achieve_goal(strawberry, {REGION}); the strawberry is on the region
Goal: on(strawberry, {REGION})"""
TEST = """```python
def goal_check0() -> bool:
    on = modify_pose_bounds_to_be_ontop_of_object("strawberry", "light_grey_region")
    return position_within_bounds(strawberry.pose, on)
```"""


@pytest.fixture
def sandbox() -> None:
    pytest.importorskip("pydantic_monty")


def test_that_a_reply_becomes_steps_with_words_and_a_goal() -> None:
    plan = read_partial_plan(PLAN, BRIEF)
    assert [s.name for s in plan.steps] == ["pick", "place_ontop"]
    assert plan.descriptions == ("grasp it", "it rests on the region")
    assert plan.goal == (Literal("on", ("strawberry", REGION)),) and plan.end.startswith("the strawberry")


def test_that_other_forms_of_a_reply_are_read_as_well() -> None:
    marked = """**Plan:**
1. `Pick(strawberry)`; grasp it
2. `Place_Ontop(strawberry, table)`; it lies (gently) on the table
3. `achieve_goal(strawberry, table)`; it is on the table
**Goal:** on(strawberry, table)"""
    plan = read_partial_plan(marked, BRIEF)
    assert plan.steps[1].args == ("strawberry", "table_surface") and plan.end.startswith("it is on")
    assert plan.descriptions == ("grasp it", "it lies (gently) on the table")
    assert plan.goal == (Literal("on", ("strawberry", "table_surface")),)


def test_that_forms_nobody_asked_for_are_read_the_same_way() -> None:
    steps = ("pick(strawberry)", f"place_ontop(strawberry, {REGION})")
    said, fact = ("the strawberry is held", "it lies on the region"), f"on(strawberry, {REGION})"
    one, two = steps
    for reply in (
        f"## Plan\n```text\n{one}; {said[0]}\n{two}; {said[1]}\n```\n## Goal\n- {fact}\n\nShall I go on?",
        f"My final plan:\n1. {one} -> {said[0]}\n2. {two} → {said[1]}\n**Goal facts:**\n```\n{fact}\n```",
        f"Goal: {fact} and handempty()\nPlan:\n{one}\n   - {said[0]}\n{two}\n   - {said[1]}",
        f"Plan:\n| # | step | after |\n|---|---|---|\n| 1 | {one} | {said[0]} |\n| 2 | {two} | {said[1]} |\n"
        f'Goal: on("strawberry", "{REGION}")',
        f"PLAN:\n(pick strawberry) ; {said[0]}\n(place_ontop strawberry {REGION}) ; {said[1]}\n"
        f"(achieve_goal strawberry) ; so\nGOAL: (and (on strawberry {REGION}) (handempty))",
    ):
        plan = read_partial_plan(reply, BRIEF)
        assert plan.steps == (Step("pick", ("strawberry",)), Step("place_ontop", ("strawberry", REGION)))
        assert plan.descriptions == said and plan.goal == (Literal("on", ("strawberry", REGION)),), reply


@pytest.mark.usefixtures("sandbox")
def test_that_tests_are_found_by_what_they_are_not_by_how_they_are_laid_out() -> None:
    for reply, names in (
        (
            "NEAR = 1\n\ndef goal_check0():\n    return far(1)\n\nFAR = 2\n\ndef far(a):\n    return a < FAR",
            1,
        ),
        (
            "import math as m\ndef goal_check0(by: float = 1.0):\n    return m.pi > by\nprint(goal_check0())",
            1,
        ),
        ("def is_there():\n    return True\n\ndef is_so():\n    return strawberry.pose.z < 1", 2),
        (
            "def goal_check0():\n    b = modify_pose_bounds_to_be_near_object(bounds=init_bounds, "
            "name='strawberry', closeness_thresh=0.1)\n"
            "    return position_within_bounds(pose=strawberry.pose, bounds=b)",
            1,
        ),
    ):
        block = "\n".join(f"   {line}" for line in ("```python", *reply.split("\n"), "```"))
        found = read_tests(f"1. As asked:\n{block}", BRIEF)
        assert len(found) == names and all(test(scene_bodies(SCENE)) for test in found)
    assert read_tests("No further test is needed: None.", BRIEF, "strawberry") == ()


def test_that_a_plan_that_cannot_be_used_is_refused_in_a_sentence() -> None:
    twice = PLAN.replace("pick(strawberry); grasp it", "pick(strawberry); a\npick(strawberry); b")
    for reply, why in (
        ("", "empty"),
        ("I would put it there.", "no step"),
        (PLAN.replace("pick(strawberry)", "pick(unicorn)"), "no object named 'unicorn'"),
        (PLAN.replace("pick(strawberry)", "fly(strawberry)"), "no action named 'fly'"),
        (f"{PLAN}\n{PLAN}", "two plans"),
        (twice, "stands twice"),
        ("x" * 50_000, "longer than 40000"),
        (PLAN.replace(f"Goal: on(strawberry, {REGION})", "Goal: on(strawberry, moon)"), "no fact of these"),
        ("Plan:\npour(strawberry, table_surface); it is out", "of type 'movable'"),
    ):
        with pytest.raises(BadValue, match=why):
            read_partial_plan(reply, BRIEF)
    with pytest.raises(Refused, match="not possible or not understood: it is glued"):
        read_partial_plan("Not possible: it is glued to the table.", BRIEF)


@pytest.mark.usefixtures("sandbox")
def test_that_tests_that_cannot_be_used_are_refused_in_a_sentence() -> None:
    for reply, why in (
        ("The strawberry is there.", "no test"),
        ("```python\ndef goal_check0():\n    return None\n```", "says None"),
        ("```python\ndef goal_check0():\n    return apple.pose.x > 0\n```", "speaks of apple"),
        ("```python\ndef position_within_bounds(p, b):\n    return True\n```\n" + TEST, "another meaning"),
        ("\n".join([TEST] * 17), "more than 16"),
        ("```python\ndef is_so():\n    return is_so()\n```", "is a test"),
        ("```python\nimport numpy as np\n" + TEST.removeprefix("```python\n"), "No module named 'numpy'"),
    ):
        with pytest.raises(BadValue, match=why):
            read_tests(reply, BRIEF)
    assert read_tests("None.", BRIEF, "strawberry") == ()
    half = "import math\ndef half(a):\n    return a / 2"
    shared = f"```python\n{half}\ndef goal_check0():\n    return half(1) < math.pi\n```"
    assert len(read_tests(shared, BRIEF)) == 1
    bare = """Goal Check Functions:
def goal_check0() -> bool:
    on = modify_pose_bounds_to_be_ontop_of_object(init_state, env, init_bounds, strawberry.category, 'table')

    return position_within_bounds(strawberry.pose, on) and table.pose.z < 1

That is all."""
    (found,) = read_tests(bare, BRIEF)
    assert found(scene_bodies(SCENE)) is True and found.args == ("table_surface", "strawberry")


def asked(*answers: str) -> Request | Wish:
    return after(write_wish(BRIEF), answers)


def test_that_a_reply_is_mended_at_most_twice_with_the_reason() -> None:
    first = asked()
    assert isinstance(first, Request) and first.purpose == "wish plan, prompts 1"
    assert "place_ontop(strawberry, light_grey_region)" in first.messages[0].text
    mended = asked("prose")
    assert isinstance(mended, Request) and [m.role for m in mended.messages] == ["user", "assistant", "user"]
    assert "There is no step in the reply" in mended.messages[-1].text
    with pytest.raises(BadValue, match="cannot be used, 2 times mended"):
        asked("prose", "prose", "prose")
    with pytest.raises(Refused):
        asked("Not possible: no.")


@pytest.mark.usefixtures("sandbox")
def test_that_words_become_a_wish_and_a_wish_without_motions_is_mended() -> None:
    wish = asked(PLAN, TEST, TEST)
    assert (
        isinstance(wish, Wish) and wish.words == BRIEF.words and wish.descriptions[1].startswith("it rests")
    )
    assert set(wish.tests) == {1} and wish.goal_tests[0](scene_bodies(SCENE)) is False
    again = asked(PLAN, TEST, TEST, "The region is too small.")
    assert isinstance(again, Request) and "No motions were found. The region" in again.messages[-1].text
    goal = asked(PLAN, TEST, TEST, "The region is too small.", PLAN)
    assert isinstance(goal, Request) and "An earlier attempt found no motions" in goal.messages[0].text
    with pytest.raises(BadValue, match="mended 2 times, and no motions"):
        asked(*(PLAN, TEST, TEST, "No.") * 3)


@pytest.mark.usefixtures("sandbox")
def test_that_the_sources_without_a_model_say_so_and_write_the_same_wish() -> None:
    for name in ("grammar", "recorded"):
        source, latest, answers = word_source(name, BRIEF, 0), asked(), list[str]()
        assert "not a model" in source.name
        while isinstance(latest, Request):
            answers.append(source.ask(latest.messages, (), StopToken()).text)
            latest = asked(*answers)
        assert [s.name for s in latest.steps] == ["pick", "place_ontop"] and len(latest.tests[1]) == 1
