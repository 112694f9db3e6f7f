"""A photograph ends in a domain that plans, drafted by a model or lent by a template; both sides are told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.belief import Atom
from core.drafting.desk import TWO_MODELS, Desk
from core.drafting.findings import Next
from core.drafting.judgements import ALIKE
from core.drafting.lent import lent_problem
from core.drafting.overruled import Said
from core.drafting.photograph import on_photograph, read_objects
from core.drafting.replies import DomainParts
from core.drafting.score import Discrepancy
from core.drafting.source import DraftSource
from core.drafting.steps import DraftSteps
from core.errors import ConsoleError
from core.pictures import encode_png
from core.planning.domain_library import load_domain_spec, own_domains_folder
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.pddl.writer import write_problem
from core.ports import BoundingBox
from tests.core.drafting.known import ended

Opens = Callable[..., Desk]
# First a container that is to stand in the goal area, then what is to be in it.
TABLES = "cup block, bowl duck, tray car, box dice, pot pear, bin egg, can key, jar, bag sock, lid"
TABLE = DraftSource("table", "scripted", template="tabletop", objects="cup - container", goal="Tidy.")
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
HERE = {"(handempty": "(idle robot) (free", "ontable": "lies", "ingoal": "home", "inside": "within"}


def photograph(folder: Path) -> Path:
    file = folder / "table.png"
    file.write_bytes(encode_png(np.full((120, 160, 3), 90, np.uint8)))
    return file


def test_that_ten_photographs_end_in_domains_whose_plans_reach_the_goal_in_the_shipped_file(
    opens: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("core.drafting.source.model_ask", lambda *_: (ask, "scripted"))

    def ask(purpose: str, prompt: str) -> str:
        """Draft as written above, and say of steps what the draft does: it agrees with itself."""
        if purpose != "simulate":
            return {"problem": there, "domain": CALLS, "scene": "All lie on the table."}[purpose]
        words = [line.partition(": ")[2] for line in re.findall(r"^\d+: .*", prompt, re.M)]
        done, states = drafted.run(words)
        return ended(len(words), done, done == len(words) and drafted.is_goal(states))

    tabletop = load_domain_spec("tabletop")
    for container, *toys in (one.split() for one in TABLES.split(", ")):
        objects = ", ".join(("robot - agent", f"{container} - container", *(f"{toy} - toy" for toy in toys)))
        source = replace(TABLE, map=container, picture=photograph(tmp_path), objects=objects)
        for left in (0.1, 0.3, 0.5, 0.6):  # at last one is drawn anew
            source = source.with_box(BoundingBox("", left, 0.2, left + 0.1, 0.4))
        game, place = on_photograph(source)[0], f"the {container} is in the goal area"
        goal = " and ".join((place, *(f"the {toy} is in the {container}" for toy in toys)))
        shipped = lent_problem(container, tabletop, read_objects(objects), goal)
        there = write_problem(shipped)
        for theirs, ours in HERE.items():
            there = there.replace(theirs, ours)
        domain = parse_domain(DomainParts().updated(CALLS, game.template).text(game.template))
        drafted, desk = DraftSteps(parse_problem(there, domain), game.word_of), opens(source)
        assert "robot is at 10% to 20% of the photograph's width" in desk.game.rules
        most = 55 * len(desk.world.words)
        assert desk.advice(None).endswith(f"three calls, and then up to {most:,} for the steps of 10 walks.")
        found = desk.go_on(None)
        assert desk.next_step(found) is Next.DONE and found.compared == TWO_MODELS == desk.advice(found)
        asked, walk = desk.record.asked, (f"pick up the {container}",)
        folder, differs = desk.save(found.version), desk.judgements.said(Discrepancy(walk, True))
        (task,) = load_domain_spec(str(folder)).tasks.values()
        assert task.name == folder.name == container and task.problem.goal
        judged = desk.say(replace(found, difference=differs), Said.DRAFT)
        assert judged.score.drawn == 10 and not judged.score.exact and differs.by == "the simulating model"
        assert desk.record.asked == asked <= 3 + most + 11  # and then the draft's walks and its plan
        again = opens(replace(source, boxes=()))
        assert again.versions.all[0].score == judged.score and again.record.asked == 0
        assert again.source.boxes == source.boxes and max(box.left for box in source.boxes) == 0.6
        steps = DraftSteps(shipped, game.word_of)
        done, states = steps.run(found.version.plan)
        assert done == len(found.version.plan) > 0 and steps.is_goal(states), found.version.plan


def test_that_a_template_alone_leads_to_a_plan_from_what_the_person_says_and_writes(
    opens: Opens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    objects = "robot - agent, cup-1 - container, egg - toy, old_hen - toy"
    source = DraftSource("table", template="tabletop", objects=objects, picture=photograph(tmp_path))
    desk = opens(source := replace(source, goal="The cup is in the goal area, all toys are in the cup-1."))
    assert "no model is asked" in desk.advice(None)
    found = desk.go_on(None)
    first, read = found.version, found.version.problem
    assert read.state == {Atom("handempty", ("robot",)), *(Atom("ontable", (o,)) for o in source.names[1:])}
    assert (found.compared, found.proven, desk.next_step(found)) == (ALIKE, False, Next.DONE)
    there = first.problem_text.replace("(ontable egg)", "(inside egg cup-1)")
    found = desk.look(desk.write(first.domain_text, there, first))  # which the template goes on from
    assert found.compared == ALIKE and len(found.version.plan) == len(first.plan) - 3
    wrong = first.domain_text.replace("(handempty ?a))", ")", 1)
    desk.write(wrong, there, desk.choose(first))
    told = [(one.by, one.verdict) for one in desk.versions.all]
    desk = opens(source)
    assert [(one.by, one.verdict) for one in desk.versions.all] == told
    found = desk.look(desk.versions.all[-1])
    assert "is possible in the draft but not as the template says" in found.compared
    assert found.repair.repairs[0].edit.describe() == "the precondition of pick gets (handempty ?a)"
    assert found.repair.comparison.sentence == ALIKE  # and no proof
    assert "1 step as" in desk.look(desk.say(found, Said.DRAFT)).overruled
    (own_domains_folder() / "table").mkdir(parents=True)  # of another photograph, perhaps
    with pytest.raises(ConsoleError, match="save again to replace it"):
        desk.save(first)
    assert desk.save(first) == desk.save(desk.versions.all[0])
    with pytest.raises(ConsoleError, match="No model was chosen"):
        desk.ask(found.version)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"objects": ""}, "Name the objects, .* Types: agent, container, movable, object, toy"),
        ({"goal": " "}, "the goal"),
        ({"objects": "cup - spoon"}, "has no type 'spoon' for cup"),
        ({"objects": "(cup - toy"}, "is no object"),
        ({"objects": ", ".join(f"toy-{n} - toy" for n in range(101))}, "100 at most"),
        *(({"map": name}, "cannot be kept as") for name in ("../up", "/tmp", "", "tabletop", "a" * 300)),
        ({"template": "nowhere"}, "no domain named 'nowhere'"),
        ({"answerer": ""}, "not 'tidy'. It can say the TOY is collected"),
        ({}, "the file"),
        ({"picture": Path("nowhere.png")}, "no such file"),
    ],
)
def test_that_what_nothing_can_be_drafted_from_is_told_in_a_sentence(
    changes: dict[str, object], told: str, opens: Opens
) -> None:
    with pytest.raises(ConsoleError, match=told):
        opens(replace(TABLE, **changes))
