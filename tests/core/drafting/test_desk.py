"""On the desk nothing that a person wrote or said is lost; a photograph ends in a domain that plans."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import pytest

import main
from core.drafting.desk import SIMULATING, TWO_MODELS, Desk, Findings, Next
from core.drafting.edits import LiteralEdit
from core.drafting.marks import Standing
from core.drafting.overruled import Ruling, Said
from core.drafting.photograph import on_photograph
from core.drafting.replies import DomainParts
from core.drafting.rounds import MODEL, REPAIR
from core.drafting.score import Discrepancy
from core.drafting.source import DraftingTools, DraftSource
from core.drafting.steps import DraftSteps
from core.errors import ConsoleError
from core.pictures import encode_png
from core.planning.domain_library import load_domain_spec
from core.planning.pddl.reader import parse_domain, parse_problem
from core.ports import BoundingBox
from tests.core.drafting.known import ended, right, slipped

TOOLS, LAKE = DraftingTools(main.games, main.paint), DraftSource("frozenlake-3-2")
KILLS = 50
# From here on of photographs. First a container that is to stand in the goal area, then what is to be in it.
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
SHIPPED = {"(idle robot)": "", "free": "handempty", "lies": "ontable", "home": "ingoal", "within": "inside"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(TOOLS, LAKE, tmp_path / "log.db")
    made.by = "Anna, from version 3"
    yield made
    made.close()


def test_that_a_correction_keeps_what_a_person_edited_and_asks_where_both_did(desk: Desk) -> None:
    game, _, problem = right("frozenlake", 2)
    first = desk._add(desk.bench.written(*desk.bench.texts_of(problem), MODEL))
    (mine, problem_text), _ = slipped(2)
    link = next(line for line in problem_text.splitlines() if "up_direction" in line)
    second = desk.write(mine, problem_text.replace(link, ""), first)
    down, up = game.reference.action("move-down"), game.reference.action("move-up")
    other = LiteralEdit(down.name, False, down.precondition[-1], None).apply(problem)
    theirs = LiteralEdit(up.name, True, up.effects[-1].literal, None).apply(other)
    third = desk._add(desk._merged(desk.bench.written(*desk.bench.texts_of(theirs), MODEL, second), second))
    assert third.problem and second.problem and (second.by, third.by, third.parent) == (desk.by, MODEL, 2)
    assert third.problem.state == second.problem.state != problem.state
    for action, whose in ((up, second.problem), (down, theirs)):
        assert third.problem.domain.action(action.name) == whose.domain.action(action.name) != action
    (conflict,), found = desk.conflicts, Findings(third)
    assert conflict.what == "the action move-up" and conflict.mine != conflict.theirs != conflict.before
    assert desk.next_step(found) is Next.CONFLICT
    taken = desk.refuse(found).problem
    assert taken and taken.domain.action("move-up") == theirs.domain.action("move-up")
    desk.conflicts = (conflict,)
    assert desk.go_on(found) is found and not desk.conflicts


@pytest.mark.parametrize("name", ["frozenlake-3-2", pytest.param("package-4-0", marks=pytest.mark.long)])
def test_that_a_draft_goes_on_alone_to_its_end_and_opens_again_as_it_was(name: str, tmp_path: Path) -> None:
    desk = Desk(TOOLS, DraftSource(name), tmp_path / "log.db")
    found = desk.go_on(None, alone=True)
    assert found.agrees and desk.next_step(found) is Next.DONE and desk.rounds <= 4
    assert {version.by for version in desk.versions} == {MODEL, REPAIR}
    desk.close()
    again = Desk(TOOLS, DraftSource(name), tmp_path / "log.db")
    told = attrgetter("by", "parent", "repairs", "texts", "score")
    assert [*map(told, desk.versions)] == [*map(told, again.versions)]
    again.close()


def test_that_what_a_person_says_of_a_walk_counts_in_their_name_and_is_kept(desk: Desk) -> None:
    texts, slip = slipped(2)
    version = desk.write(*texts, None)
    for said, told in ((Said.DRAFT, "as {} said, not"), (Said.UNKNOWN, "left out")):
        found, count = desk.look(version), 0
        assert desk.refuse(found) is version and desk.undo(Findings(version)) is found
        assert not found.overruled and found.repair and found.repair.repairs[0].edit == slip.inverse
        while found.difference is not None:
            found, count = desk.look(desk.say(found, said)), count + 1
        assert found.agrees and found.version.score.exact and found.repair is None, said
        assert f"{count} step" in found.overruled and told.format(desk.by) in found.overruled
        if said is Said.DRAFT:
            then = desk.look(desk.write(*desk.bench.texts_of(right("frozenlake", 2)[2]), None))
            assert f"is possible as {desk.by} says but not in the draft" in then.compared
        back = found.version
        for _ in range(count):
            back = desk.undo(Findings(back))
        assert not desk.judged and back.score == version.score
    for said in Said:
        desk.say(Findings(version, difference=Discrepancy(("move up", said.value), said is Said.BOTH)), said)
    rulings = {("move up", said.value): Ruling(said, said is Said.BOTH, desk.by) for said in Said}
    assert {walk: one for (walk, _), one in desk.judged.items()} == rulings
    typed = desk.write(texts[0], f"{texts[1]};", version)
    typed = desk.write(texts[0], f"{texts[1]};;", typed)
    desk.write(texts[0], f"{texts[1]};;;", desk.choose(version))
    assert [(one.number, one.parent) for one in desk.versions[-2:]] == [
        (typed.number, 1),
        (typed.number + 1, 1),
    ]
    desk.close()
    again = Desk(TOOLS, LAKE, desk._recorder.path)
    assert again.judged == desk.judged and again.versions[0].texts == texts
    again.close()


def test_that_a_literal_against_the_world_is_forbidden_and_a_second_reader_heard(desk: Desk) -> None:
    _, slip = slipped(2)
    extra = replace(slip, old=None, new=replace(slip.old, positive=True))
    wrong = extra.apply(slip.apply(right("frozenlake", 2)[2]))
    found = desk.mark(desk.look(desk.write(*desk.bench.texts_of(wrong), None)))
    (forbidden,) = (one for one in found.marks if one.literal == extra.new and not one.effect)
    assert forbidden.standing is Standing.FORBIDDEN and forbidden.walk and not found.otherwise
    told = desk.mark(replace(found, version=replace(found.version, problem_text="(define")))
    assert "tarski, a second reader, cannot read it" in told.otherwise[0]


def test_that_what_is_too_large_to_be_tried_is_told_and_kept_as_it_is(desk: Desk) -> None:
    (domain, problem), _ = slipped(2)
    things, ten = " ".join(f"o{n} - object" for n in range(10_000)), " ".join(f"?p{n}" for n in range(10))
    for texts, told in (
        ((domain, problem.replace("(:objects", f"(:objects {things}")), "it has 10,009 objects"),
        ((domain.replace("(?from ?to -", f"({ten} ?from ?to -"), problem), "has 12 parameters"),
    ):
        made = desk.write(*texts, None)
        assert told in made.faults[0] and made.problem is None and made.texts == texts


KILLED = """
from tests.core.drafting.test_desk import *
print("begins", flush=True)
desk = Desk(TOOLS, LAKE, Path(sys.argv[1]))
version = desk.versions[-1] if desk.versions else desk.go_on(None).version
for count in range(number(desk) + 1, 100_000):
    text = f"{version.domain_text.partition(chr(59))[0]};{count}"
    version = desk.write(text, version.problem_text, version if count % 4 else None)
    print(count, flush=True)
"""


def number(desk: Desk) -> int:
    """The number at the end of the domain at which a desk opened, 0 without one."""
    return int(desk.versions[-1].domain_text.partition(";")[2] or 0) if desk.versions else 0


@pytest.mark.long
def test_that_after_kill_9_at_any_moment_a_draft_opens_at_its_last_version(tmp_path: Path) -> None:
    draw, path, opened = Random(0), tmp_path / "log.db", 0
    for kill in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline()  # it opens the draft from here on
        time.sleep(draw.uniform(0, 2))
        child.kill()
        last = int([str(opened), *child.stdout.read().split()][-1])
        child.wait()
        desk = Desk(TOOLS, LAKE, path)
        opened = number(desk)
        assert opened in (last, last + 1), (kill, opened, last)
        desk.close()
    assert opened > KILLS


def problem(objects: str) -> str:
    """What lies on a table, as it is drafted."""
    container, *toys = (one.split(" - ")[0] for one in objects.split(", ")[1:])
    lie = " ".join(f"(lies {one})" for one in (container, *toys))
    goal = " ".join((f"(home {container})", *(f"(within {toy} {container})" for toy in toys)))
    return f"""(define (problem table) (:domain tabletop) (:objects {objects.replace(",", "")})
      (:init (free robot) (idle robot) {lie}) (:goal (and {goal})))"""


def test_that_ten_photographs_end_in_domains_whose_plans_reach_the_goal_in_the_shipped_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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

    shipped = load_domain_spec("tabletop").domain
    for number, (container, *toys) in enumerate(one.split() for one in TABLES.split(", ")):
        picture, database = tmp_path / f"{number}.png", tmp_path / f"{number}.db"
        picture.write_bytes(encode_png(np.full((120, 160, 3), 20 * number, np.uint8)))
        objects = ", ".join(("robot - agent", f"{container} - container", *(f"{toy} - toy" for toy in toys)))
        source = replace(TABLE, map=container, picture=picture, objects=objects)
        for left in (0.1, 0.3, 0.5, 0.6):  # at last one is drawn anew
            source = source.with_box(BoundingBox("", left, 0.2, left + 0.1, 0.4))
        game, there = on_photograph(source)[0], problem(objects)
        domain = parse_domain(DomainParts().updated(CALLS, game.template).text(game.template))
        drafted, desk = DraftSteps(parse_problem(there, domain), game.word_of), Desk(TOOLS, source, database)
        assert "robot is at 10% to 20% of the photograph's width" in desk.game.rules
        most = 55 * len(desk.world.words)
        assert desk.advice(None).endswith(f"three calls, and then up to {most:,} for the steps of 10 walks.")
        found = desk.go_on(None)
        assert desk.next_step(found) is Next.DONE and found.compared == TWO_MODELS == desk.advice(found)
        asked, walk = desk.record.asked, (f"pick up the {container}",)
        folder, differs = desk.save(found.version), desk._said(Discrepancy(walk, True))
        (task,) = load_domain_spec(str(folder)).tasks.values()
        assert task.name == folder.name == container and task.problem.goal
        judged = desk.say(replace(found, difference=differs), Said.DRAFT)
        assert judged.score.drawn == 10 and not judged.score.exact and differs.by == SIMULATING
        assert desk.record.asked == asked <= 3 + most + 11  # and then the draft's walks and its plan
        desk.close()
        again = Desk(TOOLS, replace(source, boxes=()), database)
        assert again.versions[0].score == judged.score and again.record.asked == 0
        assert again.source.boxes == source.boxes and max(box.left for box in source.boxes) == 0.6
        again.close()
        for word, other in SHIPPED.items():
            there = there.replace(word, other)
        steps = DraftSteps(parse_problem(there, shipped), game.word_of)
        done, states = steps.run(found.version.plan)
        assert done == len(found.version.plan) > 0 and steps.is_goal(states), found.version.plan


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"objects": ""}, "Name the objects, .* Types: agent, container, movable, object, toy"),
        ({"goal": " "}, "the goal"),
        ({"objects": "cup - spoon"}, "has no type 'spoon' for cup"),
        ({"objects": "(cup - toy"}, "is no object"),
        ({"objects": ", ".join(f"toy-{n} - toy" for n in range(101))}, "100 at most"),
        ({"template": "nowhere"}, "no domain named 'nowhere'"),
        ({"answerer": ""}, "choose a real one"),
        ({}, "the file"),
        ({"picture": Path("huge.png")}, "10000 x 10000"),
    ],
)
def test_that_what_nothing_can_be_drafted_from_is_told_in_a_sentence(
    changes: dict[str, object], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    head = b"IHDR" + (10_000).to_bytes(4, "big") * 2 + bytes((8, 2, 0, 0, 0))
    sized = (13).to_bytes(4, "big") + head + crc32(head).to_bytes(4, "big")
    Path("huge.png").write_bytes(b"\x89PNG\r\n\x1a\n" + sized)
    with pytest.raises(ConsoleError, match=told):
        Desk(TOOLS, replace(TABLE, **changes), tmp_path / "log.db")
