"""A draft of a map or a photograph goes to its end on the desk, and loses nothing that a person says."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from core.drafting.agreement import Difference
from core.drafting.desk import TWO_MODELS, Desk
from core.drafting.edits import LiteralEdit
from core.drafting.findings import Findings, Next, Standing
from core.drafting.photograph import lent_problem, on_photograph, read_objects
from core.drafting.record import ALIKE
from core.drafting.rounds import MODEL, REPAIR
from core.drafting.simulator import Said
from core.drafting.source import DraftSource
from core.drafting.steps import DraftSteps
from core.errors import ConsoleError
from core.install_paths import ROOT
from core.pictures import encode_png
from core.planning.domain_library import load_domain_spec, own_domains_folder
from core.planning.pddl.writer import write_problem
from core.ports import BoundingBox
from tests.core.drafting.known import LAKE, TOOLS, ended, right, slipped

KILLS = 50
Opens = Callable[..., Desk]
# First a container that is to stand in the goal area, then what is to be in it.
TABLES = "cup block, bowl duck, tray car, box dice, pot pear, bin egg, can key, jar, bag sock, lid"
TABLE = DraftSource("table", "scripted", template="tabletop", objects="cup - container", goal="Tidy.")
CALLS = """add_or_update_predicates(['(free ?a - agent)', '(lies ?o - movable)', '(seen ?o - movable)',
 '(held ?o - movable)', '(within ?t - toy ?c - container)', '(home ?c - movable)'])
modify_action('find', ['(lies ?o)'], ['(seen ?o)'])
modify_action('pick', ['(free ?a)', '(lies ?o)', '(seen ?o)'],
 ['(held ?o)', '(not (seen ?o))', '(not (free ?a))', '(not (lies ?o))', '(not (home ?o))'])
modify_action('place_goal', ['(held ?c)'], ['(home ?c)', '(lies ?c)', '(free ?a)', '(not (held ?c))', '{}'])
modify_action('place_in', ['(held ?t)', '(home ?c)'],
 ['(within ?t ?c)', '(free ?a)', '(not (held ?t))', '{}'])
modify_action('put_back', ['(held ?o)'], ['(lies ?o)', '(free ?a)', '(not (held ?o))', '{}'])"""
CALLS = CALLS.replace("{}", "(forall (?x - movable) (not (seen ?x)))")
HERE = {"handempty": "free", "ontable": "lies", "ingoal": "home", "inside": "within"}


@pytest.fixture
def opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opens]:
    """Opens a desk, after the one before it is closed, with all files in one folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("table.png").write_bytes(encode_png(np.full((120, 160, 3), 90, np.uint8)))
    with ExitStack() as last:

        def opened(source: DraftSource = LAKE) -> Desk:
            last.close()
            desk = Desk(TOOLS, source, tmp_path / "log.db")
            last.callback(desk.close)
            return desk

        yield opened


def test_that_a_correction_keeps_what_a_person_edited_and_asks_where_both_did(opens: Opens) -> None:
    desk, (game, _, problem), (mine, there) = opens(), right("frozenlake", 2), slipped(2)[0]
    up, down = map(game.reference.action, ("move-up", "move-down"))
    first = desk.versions.add(desk.bench.written(*desk.bench.texts_of(problem), MODEL))
    second = desk.write(mine, re.sub(r"\(up_direction .*?\)", "", there, count=1), first)
    other = LiteralEdit(down.name, False, down.precondition[-1], None).apply(problem)
    theirs = LiteralEdit(up.name, True, up.effects[-1].literal, None).apply(other)
    third = desk.versions.add_merged(desk.bench.written(*desk.bench.texts_of(theirs), MODEL, second), second)
    assert (second.by, third.by, third.parent) == (desk.by, MODEL, 2)
    assert third.problem.state == second.problem.state != problem.state
    for action, whose in ((up, second.problem), (down, theirs)):
        assert third.problem.domain.action(action.name) == whose.domain.action(action.name) != action
    (conflict,), found = desk.versions.conflicts, Findings(third)
    assert conflict.what == "the action move-up" and conflict.mine != conflict.theirs != conflict.before
    assert desk.next_step(found) is Next.CONFLICT
    assert desk.refuse(found).problem.domain.action(up.name) == theirs.domain.action(up.name)
    desk.versions.conflicts = (conflict,)
    assert desk.go_on(found) is found and not desk.versions.conflicts


@pytest.mark.parametrize("name", [LAKE.map, pytest.param("package-4-0", marks=pytest.mark.long)])
def test_that_a_draft_goes_on_alone_to_its_end_and_opens_again_as_it_was(name: str, opens: Opens) -> None:
    desk, told = opens(DraftSource(name)), attrgetter("by", "parent", "repairs", "texts", "score")
    found = desk.go_on(None, alone=True)
    assert found.agrees and desk.next_step(found) is Next.DONE and desk.rounds <= 4
    assert {version.by for version in desk.versions.all} == {MODEL, REPAIR}
    assert [*map(told, desk.versions.all)] == [*map(told, opens(DraftSource(name)).versions.all)]


@pytest.mark.parametrize(("said", "told"), [(Said.DRAFT, "as {} said, not"), (Said.UNKNOWN, "left out")])
def test_that_what_a_person_says_of_a_walk_counts_in_their_name_and_is_kept(
    said: Said, told: str, opens: Opens
) -> None:
    desk, (texts, slip) = opens(), slipped(2)
    desk.by = "Anna, from version 3"
    version = desk.write(*texts, None)
    found, count = desk.look(version), 0
    assert not found.overruled and found.repair.repairs[0].edit == slip.inverse
    while found.difference is not None:
        found, count = desk.look(desk.say(found, said)), count + 1
    assert found.agrees and found.version.score.exact and found.repair is None
    assert f"{count} step" in found.overruled and told.format(desk.by) in found.overruled
    if said is Said.DRAFT:
        then = desk.look(desk.write(*desk.bench.texts_of(right("frozenlake", 2)[2]), None))
        assert f"is possible as {desk.by} says but not in the draft" in then.compared
    back = found.version
    for _ in range(count):
        back = desk.undo(Findings(back))
    assert not desk.judgements.rulings and back.score == version.score
    for one in Said:
        desk.say(Findings(version, difference=Difference(("move up", one.value), one is Said.BOTH)), one)
    assert len(kept := dict(desk.judgements.rulings)) == len(Said)
    number = desk.write(texts[0], "", desk.choose(version)).number
    assert desk.write(texts[0], ";", desk.choose(version)).number == number + 1  # no typing on
    assert kept == opens().judgements.rulings


def test_that_a_literal_against_the_world_is_forbidden_and_a_second_reader_heard(opens: Opens) -> None:
    desk, (_, slip) = opens(), slipped(2)
    extra = replace(slip, old=None, new=replace(slip.old, positive=True))
    wrong = extra.apply(slip.apply(right("frozenlake", 2)[2]))
    found = desk.mark(desk.look(desk.write(*desk.bench.texts_of(wrong), None)))
    (forbidden,) = (one for one in found.marks if one.literal == extra.new and not one.effect)
    assert forbidden.standing is Standing.FORBIDDEN and forbidden.walk and not found.otherwise
    told = desk.mark(replace(found, version=replace(found.version, problem_text="(define")))
    assert "tarski, a second reader, cannot read it" in told.otherwise[0]


KILLED = """
from tests.core.drafting.test_desk import *
print("begins", flush=True)
desk = Desk(TOOLS, LAKE, Path(sys.argv[1]))
version = desk.versions.all[-1] if desk.versions.all else desk.go_on(None).version
for count in range(number(desk) + 1, 100_000):
    text = f"{version.domain_text.partition(chr(59))[0]};{count}"
    version = desk.write(text, version.problem_text, version if count % 4 else None)
    print(count, flush=True)
"""


def number(desk: Desk) -> int:
    """The number at the end of the domain at which a desk opened, 0 without one."""
    return int(desk.versions.all[-1].domain_text.partition(";")[2] or 0) if desk.versions.all else 0


@pytest.mark.long
def test_that_after_kill_9_at_any_moment_a_draft_opens_at_its_last_version(opens: Opens) -> None:
    draw, opened, seconds = Random(0), 0, 0.5  # that opening takes, on this machine as it is
    for kill in range(KILLS):
        call = [sys.executable, "-c", KILLED, Path("log.db").absolute()]
        child = subprocess.Popen(call, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline()  # it opens the draft from here on
        time.sleep(draw.uniform(0, 1 + seconds))
        child.kill()
        last = int([str(opened), *child.stdout.read().split()][-1])
        child.wait()
        began, desk = time.monotonic(), opens()
        opened, seconds = number(desk), time.monotonic() - began
        desk.close()
        assert opened in (last, last + 1), (kill, opened, last)
    assert opened > KILLS


def test_that_ten_photographs_end_in_domains_whose_plans_reach_the_goal_in_the_shipped_file(
    opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.drafting.source.model_ask", lambda *_: (ask, "scripted"))

    def ask(purpose: str, prompt: str) -> str:
        """Draft as written above, and say of steps what the shipped file says."""
        if purpose != "simulate":
            return {"problem": there, "domain": CALLS, "scene": "All lie on the table."}[purpose]
        words = [line.partition(": ")[2] for line in re.findall(r"^\d+: .*", prompt, re.M)]
        done, states = steps.run(words)
        return ended(len(words), done, done == len(words) and steps.is_goal(states))

    for container, *toys in (one.split() for one in TABLES.split(", ")):
        objects = ", ".join(("robot - agent", f"{container} - container", *(f"{toy} - toy" for toy in toys)))
        source = replace(TABLE, map=container, picture=Path("table.png"), objects=objects)
        for left in (0.1, 0.3, 0.5, 0.6):  # at last one is drawn anew
            source = source.with_box(BoundingBox("", left, 0.2, left + 0.1, 0.4))
        game, goal = on_photograph(source)[0], [f"the {container} is in the goal area"]
        goal += (f"the {toy} is in the {container}" for toy in toys)
        tabletop = load_domain_spec("tabletop")
        shipped = lent_problem(container, tabletop, read_objects(objects), " and ".join(goal))
        there, steps, desk = write_problem(shipped), DraftSteps(shipped, game.word_of), opens(source)
        for theirs, ours in HERE.items():
            there = there.replace(theirs, ours)
        assert "robot is at 10% to 20% of the photograph's width" in desk.game.rules
        most = 55 * len(desk.world.words)
        assert desk.advice(None).endswith(f"three calls, and then up to {most:,} for the steps of 10 walks.")
        found = desk.go_on(None)
        assert desk.next_step(found) is Next.DONE and found.compared == TWO_MODELS == desk.advice(found)
        folder, differs = desk.save(found.version), Difference((f"pick up the {container}",), True)
        (task,) = load_domain_spec(str(folder)).tasks.values()
        assert task.name == folder.name == container and task.problem.goal
        judged = desk.say(replace(found, difference=desk.judgements.said(differs)), Said.DRAFT)
        assert judged.score.drawn == 10 and not judged.score.exact
        assert desk.record.asked <= 3 + most + 11  # and then the draft's walks and its plan
        again = opens(replace(source, boxes=()))
        assert (again.versions.all[0].score, again.record.asked) == (judged.score, 0)
        assert again.source.boxes == source.boxes and max(box.left for box in source.boxes) == 0.6
        done, states = steps.run(found.version.plan)
        assert done == len(found.version.plan) > 0 and steps.is_goal(states), found.version.plan


def test_that_a_template_alone_leads_to_a_plan_from_what_the_person_says_and_writes(opens: Opens) -> None:
    objects = "robot - agent, cup-1 - container, egg - toy, old_hen - toy"
    source = replace(TABLE, answerer="", objects=objects, picture=Path("table.png"))
    desk = opens(source := replace(source, goal="The cup is in the goal area, all toys are in the cup-1."))
    assert "no model is asked" in desk.advice(None)
    found = desk.go_on(None)
    first = found.version
    facts = {"(handempty robot)", *(f"(ontable {name})" for name in source.names[1:])}
    assert {str(atom) for atom in first.problem.state} == facts
    assert (found.compared, found.proven, desk.next_step(found)) == (ALIKE, False, Next.DONE)
    there = first.problem_text.replace("(ontable egg)", "(inside egg cup-1)")
    found = desk.look(desk.write(first.domain_text, there, first))  # which the template goes on from
    assert found.compared == ALIKE and len(found.version.plan) == len(first.plan) - 3
    desk.write(first.domain_text.replace("(handempty ?a))", ")", 1), there, desk.choose(first))
    desk = opens(source)
    found = desk.look(desk.versions.all[-1])
    assert "is possible in the draft but not as the template says" in found.compared
    assert found.repair.repairs[0].edit.describe() == "the precondition of pick gets (handempty ?a)"
    assert found.repair.comparison.sentence == ALIKE  # and no proof
    assert "1 step as" in desk.look(desk.say(found, Said.DRAFT)).overruled
    (own_domains_folder() / "table").mkdir(parents=True)  # of another photograph, perhaps
    with pytest.raises(ConsoleError, match="save again to replace it"):
        desk.save(first)
    assert desk.save(first) == desk.save(desk.versions.all[0])


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
