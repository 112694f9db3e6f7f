"""A photograph ends in a domain that plans, though nobody knows what is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from core.drafting.desk import TWO_MODELS, Desk, Next
from core.drafting.overruled import Said
from core.drafting.photograph import on_photograph, read_objects
from core.drafting.replies import DomainParts
from core.drafting.score import Discrepancy
from core.drafting.source import DraftingTools, DraftSource, drafter_of
from core.drafting.steps import DraftSteps
from core.errors import BadValue
from core.pictures import blank_frame, encode_png
from core.planning.domain_library import load_domain_spec
from core.planning.pddl.reader import parse_domain, parse_problem
from core.ports import BoundingBox
from core.stop_token import StopToken

TABLE = DraftSource(
    "table",
    template="tabletop",
    answerer="scripted",
    objects="robot - agent, cup - container, block - toy",
    goal="The block is in the cup, and the cup in the goal area.",
    boxes=(BoundingBox("cup", 0.1, 0.2, 0.3, 0.4),),
)
# What lies on ten tables: the first is a container that is to stand in the goal area, with the toys in it.
TABLES = (
    ("cup", "block"), ("bowl", "duck"), ("tray", "car"), ("box", "dice"), ("pot", "pear"), ("bin", "egg"),
    ("can", "key"), ("jar",), ("bag", "sock"), ("lid",),
)  # fmt: skip
CALLS = """add_or_update_predicates(['(idle ?a - agent)', '(free ?a - agent)', '(lies ?o - movable)',
 '(seen ?o - movable)', '(held ?o - movable)', '(within ?t - toy ?c - container)', '(home ?c - movable)'])
modify_action('find', ['(idle ?a)', '(lies ?o)'], ['(seen ?o)', '(not (idle ?a))'])
modify_action('pick', ['(free ?a)', '(lies ?o)', '(seen ?o)'],
 ['(held ?o)', '(not (seen ?o))', '(not (free ?a))', '(not (lies ?o))', '(not (home ?o))'])
modify_action('place_goal', ['(held ?c)'],
 ['(home ?c)', '(lies ?c)', '(free ?a)', '(idle ?a)', '(not (held ?c))'])
modify_action('place_in', ['(held ?t)', '(home ?c)'],
 ['(within ?t ?c)', '(free ?a)', '(idle ?a)', '(not (held ?t))'])
modify_action('put_back', ['(held ?o)'], ['(lies ?o)', '(free ?a)', '(idle ?a)', '(not (held ?o))'])"""


DRAFTED = "(free robot) (idle robot)", "(lies {})", "(home {})", "(within {} {})"
SHIPPED = "(handempty robot)", "(ontable {})", "(ingoal {})", "(inside {} {})"


def _problem(things: tuple[str, ...], words: tuple[str, str, str, str]) -> str:
    """What lies on a table in these predicates; its first thing is the container."""
    robot, lies, home, inside = words
    goal = " ".join([home.format(things[0]), *(inside.format(toy, things[0]) for toy in things[1:])])
    return f"""(define (problem table) (:domain tabletop)
      (:objects robot - agent {things[0]} - container {" ".join(f"{toy} - toy" for toy in things[1:])})
      (:init {robot} {" ".join(map(lies.format, things))}) (:goal (and {goal})))"""


class Scripted:
    """A model that drafts as written above and says of steps what the draft does: it agrees with itself."""

    def __init__(self, source: DraftSource, problem: str) -> None:
        self.game, _ = on_photograph(source)
        self.prompts: dict[str, str] = {}
        self._problem = problem
        domain = DomainParts().updated(CALLS, self.game.template).text(self.game.template)
        self._steps = DraftSteps(parse_problem(problem, parse_domain(domain)), self.game.word_of)

    def __call__(self, purpose: str, prompt: str) -> str:
        self.prompts[purpose] = prompt
        if purpose != "simulate":
            return {"problem": self._problem, "domain": CALLS, "scene": "All lie on the table."}[purpose]
        words = [line.partition(": ")[2] for line in prompt.partition("after the other")[2].splitlines()[1:]]
        words = words[: words.index("")]
        done, states = self._steps.run(words)
        ends = ("Successful" if n < done else "Unsuccessful" for n in range(len(words)))
        said = [f"Step {n} - Action:\nExecution result: {end}." for n, end in enumerate(ends, 1)]
        reached = done == len(words) and self._steps.is_goal(states)
        return "\n".join((*said, f"Goal reaching: {'Successful' if reached else 'Unsuccessful'}."))


def test_that_ten_photographs_end_in_domains_whose_plans_reach_the_goal_in_the_shipped_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    models, shipped = list[Scripted](), load_domain_spec("tabletop").domain
    monkeypatch.setattr("core.drafting.source.model_ask", lambda *_: (models[-1], "scripted"))
    for name in TABLES:
        picture, file = np.full((120, 160, 3), 200, np.uint8), tmp_path / f"{name[0]}.png"
        for n in range(len(name)):
            picture[40:80, 50 * n : 50 * n + 40] = 60 * n
        file.write_bytes(encode_png(picture))
        boxes = tuple(BoundingBox(one, n / 3.2, 1 / 3, n / 3.2 + 1 / 4, 2 / 3) for n, one in enumerate(name))
        objects = [f"{name[0]} - container", *(f"{toy} - toy" for toy in name[1:])]
        shot = {"map": name[0], "objects": ", ".join(["robot - agent", *objects]), "boxes": boxes}
        models.append(Scripted(source := replace(TABLE, picture=file, **shot), _problem(name, DRAFTED)))
        desk = Desk(DraftingTools(dict, main.paint), source, tmp_path / f"{name[0]}.db")
        found = desk.go_on(None)
        assert desk.next_step(found) is Next.DONE and found.compared == TWO_MODELS, found.version
        (task,) = load_domain_spec(str(desk.save(found.version))).tasks.values()
        asked, walk = desk.record.asked, (f"pick up the {name[0]}",)
        said = desk.say(replace(found, difference=Discrepancy(walk, True)), Said.DRAFT)
        assert said.score is not None and not said.score.exact and desk.record.asked == asked
        desk.close()
        assert task.problem.goal and all(f"{one} is at" in models[-1].prompts["problem"] for one in name)
        steps, plan = (
            DraftSteps(parse_problem(_problem(name, SHIPPED), shipped), desk.game.word_of),
            found.version.plan,
        )
        done, states = steps.run(plan)
        assert done == len(plan) > 0 and steps.is_goal(states), plan


def test_that_a_photograph_borrows_nothing_of_its_template_but_types_actions_and_words() -> None:
    game, photo = on_photograph(TABLE)
    assert "put the block into the cup" in photo.words and not game.template.predicates
    assert all(not action.precondition and not action.effects for action in game.template.actions)
    assert "cup is at 10% to 30% of the photograph's width" in game.rules and TABLE.goal in game.rules


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"objects": ""}, "Say what is on the photograph"),
        ({"goal": " "}, "the goal"),
        ({"objects": "cup - spoon"}, "has no type 'spoon' for cup"),
        ({"objects": "(cup - toy"}, "is no object"),
        ({"objects": ", ".join(f"toy-{n} - toy" for n in range(101))}, "100 at most"),
        ({"template": "nowhere"}, "no domain named 'nowhere'"),
    ],
)
def test_that_what_is_missing_of_a_photograph_is_said(changes: dict[str, str], said: str) -> None:
    with pytest.raises(Exception, match=said):
        on_photograph(replace(TABLE, **changes))  # type: ignore[arg-type]
    game, photo = on_photograph(TABLE)
    with pytest.raises(BadValue, match="choose a real one"):
        drafter_of(game, photo, replace(TABLE, answerer=""), blank_frame("", 0.0, ""), StopToken())
    assert [one.name for one in read_objects("a, b - toy")] == ["a", "b"]
