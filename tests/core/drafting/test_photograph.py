"""A photograph ends in a domain that plans, though nobody knows what is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import main
from core.drafting.desk import TWO_MODELS, Desk, Next
from core.drafting.overruled import Said
from core.drafting.photograph import on_photograph
from core.drafting.replies import DomainParts
from core.drafting.rounds import Ask
from core.drafting.score import Discrepancy
from core.drafting.source import DraftingTools, DraftSource
from core.drafting.steps import DraftSteps
from core.errors import ConsoleError
from core.pictures import encode_png
from core.planning.domain_library import load_domain_spec
from core.planning.pddl.reader import parse_domain, parse_problem
from core.ports import BoundingBox

TABLE = DraftSource("table", template="tabletop", objects="robot - agent, cup - container", goal="Tidy.")
# What lies there: a container that is to stand in the goal area, and the toys that are to be in it.
TABLES = "cup block, bowl duck, tray car, box dice, pot pear, bin egg, can key, jar, bag sock, lid"
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


def problem(container: str, *toys: str, words: tuple[str, ...]) -> str:
    """What lies on a table, in these predicates."""
    robot, lies, home, inside = words
    goal = " ".join([home.format(container), *(inside.format(toy, container) for toy in toys)])
    return f"""(define (problem table) (:domain tabletop)
      (:objects robot - agent {container} - container {" ".join(f"{toy} - toy" for toy in toys)})
      (:init {robot} {" ".join(map(lies.format, (container, *toys)))}) (:goal (and {goal})))"""


def scripted(source: DraftSource, drafted: str) -> Ask:
    """A model that drafts as written above and says of steps what the draft does: it agrees with itself."""
    game, _ = on_photograph(source)
    domain = DomainParts().updated(CALLS, game.template).text(game.template)
    steps = DraftSteps(parse_problem(drafted, parse_domain(domain)), game.word_of)

    def ask(purpose: str, prompt: str) -> str:
        if purpose != "simulate":
            return {"problem": drafted, "domain": CALLS, "scene": "All lie on the table."}[purpose]
        lines = prompt.partition("after the other")[2].partition("\n\n")[0].splitlines()[1:]
        words = [line.partition(": ")[2] for line in lines]
        done, states = steps.run(words)
        ends = ("Successful" if n < done else "Unsuccessful" for n in range(len(words)))
        said = [f"Step {n} - Action:\nExecution result: {end}." for n, end in enumerate(ends, 1)]
        reached = done == len(words) and steps.is_goal(states)
        return "\n".join((*said, f"Goal reaching: {'Successful' if reached else 'Unsuccessful'}."))

    return ask


def test_that_ten_photographs_end_in_domains_whose_plans_reach_the_goal_in_the_shipped_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    models, shipped = list[Ask](), load_domain_spec("tabletop").domain
    monkeypatch.setattr("core.drafting.source.model_ask", lambda *_: (models[-1], "scripted"))
    for number, things in enumerate(one.split() for one in TABLES.split(", ")):
        picture = tmp_path / f"{number}.png"
        picture.write_bytes(encode_png(np.full((120, 160, 3), 20 * number, np.uint8)))
        objects = ["robot - agent", f"{things[0]} - container", *(f"{toy} - toy" for toy in things[1:])]
        shot = replace(TABLE, map=things[0], answerer="scripted", picture=picture)
        source = replace(shot, objects=", ".join(objects))
        models.append(scripted(source, problem(*things, words=DRAFTED)))
        desk = Desk(DraftingTools(dict, main.paint), source, tmp_path / f"{number}.db")
        assert (
            desk.advice(None) == "Enter asks scripted, three calls, and then one for each step of 10 walks."
        )
        found = desk.go_on(None)
        assert desk.next_step(found) is Next.DONE and found.compared == TWO_MODELS == desk.advice(found)
        (task,) = load_domain_spec(str(desk.save(found.version))).tasks.values()
        asked, walk = desk.record.asked, (f"pick up the {things[0]}",)
        said = desk.say(replace(found, difference=Discrepancy(walk, True)), Said.DRAFT)
        assert said.score is not None and not said.score.exact and desk.record.asked == asked
        desk.close()
        plan = found.version.plan
        steps = DraftSteps(parse_problem(problem(*things, words=SHIPPED), shipped), desk.game.word_of)
        done, states = steps.run(plan)
        assert task.problem.goal and done == len(plan) > 0 and steps.is_goal(states), plan


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"objects": ""}, "Say what is on the photograph"),
        ({"goal": " "}, "the goal"),
        ({"objects": "cup - spoon"}, "has no type 'spoon' for cup"),
        ({"objects": "(cup - toy"}, "is no object"),
        ({"objects": ", ".join(f"toy-{n} - toy" for n in range(101))}, "100 at most"),
        ({"template": "nowhere"}, "no domain named 'nowhere'"),
        ({}, "choose a real one"),
        ({"picture": None}, "the file"),
    ],
)
def test_that_a_photograph_borrows_types_actions_and_words_alone_and_says_what_is_missing(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    (picture := tmp_path / "table.png").write_bytes(encode_png(np.zeros((9, 9, 3), np.uint8)))
    source = replace(TABLE, **{"picture": picture, **changes})
    with pytest.raises(ConsoleError, match=said):
        Desk(DraftingTools(dict, main.paint), source, tmp_path / "log.db")
    game, photo = on_photograph(replace(TABLE, boxes=(BoundingBox("cup", 0.1, 0.2, 0.3, 0.4),)))
    assert "pick up the cup" in photo.words and not game.template.predicates
    assert all(not action.precondition and not action.effects for action in game.template.actions)
    assert "cup is at 10% to 30% of the photograph's width" in game.rules and TABLE.goal in game.rules
