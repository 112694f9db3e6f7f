"""On the desk nothing that a person wrote or said is lost, whoever makes the next version."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from random import Random

import pytest

from core.drafting.desk import Desk
from core.drafting.edits import LiteralEdit
from core.drafting.findings import Findings, Next
from core.drafting.marks import Standing
from core.drafting.overruled import Ruling, Said
from core.drafting.rounds import MODEL, REPAIR
from core.drafting.score import Discrepancy
from core.drafting.source import DraftSource
from tests.core.drafting.known import right, slipped

KILLS = 50
Opens = Callable[..., Desk]


def test_that_a_correction_keeps_what_a_person_edited_and_asks_where_both_did(opens: Opens) -> None:
    desk, (game, _, problem) = opens(), right("frozenlake", 2)
    first = desk.versions.add(desk.bench.written(*desk.bench.texts_of(problem), MODEL))
    (mine, problem_text), _ = slipped(2)
    link = next(line for line in problem_text.splitlines() if "up_direction" in line)
    second = desk.write(mine, problem_text.replace(link, ""), first)
    down, up = game.reference.action("move-down"), game.reference.action("move-up")
    other = LiteralEdit(down.name, False, down.precondition[-1], None).apply(problem)
    theirs = LiteralEdit(up.name, True, up.effects[-1].literal, None).apply(other)
    made = desk.bench.written(*desk.bench.texts_of(theirs), MODEL, second)
    third = desk.versions.add_merged(made, second)
    assert third.problem and second.problem and (second.by, third.by, third.parent) == (desk.by, MODEL, 2)
    assert third.problem.state == second.problem.state != problem.state
    for action, whose in ((up, second.problem), (down, theirs)):
        assert third.problem.domain.action(action.name) == whose.domain.action(action.name) != action
    (conflict,), found = desk.versions.conflicts, Findings(third)
    assert conflict.what == "the action move-up" and conflict.mine != conflict.theirs != conflict.before
    assert desk.next_step(found) is Next.CONFLICT
    taken = desk.refuse(found).problem
    assert taken and taken.domain.action("move-up") == theirs.domain.action("move-up")
    desk.versions.conflicts = (conflict,)
    assert desk.go_on(found) is found and not desk.versions.conflicts


@pytest.mark.parametrize("name", ["frozenlake-3-2", pytest.param("package-4-0", marks=pytest.mark.long)])
def test_that_a_draft_goes_on_alone_to_its_end_and_opens_again_as_it_was(name: str, opens: Opens) -> None:
    desk = opens(DraftSource(name))
    found = desk.go_on(None, alone=True)
    assert found.agrees and desk.next_step(found) is Next.DONE and desk.rounds <= 4
    assert {version.by for version in desk.versions.all} == {MODEL, REPAIR}
    told = attrgetter("by", "parent", "repairs", "texts", "score")
    assert [*map(told, desk.versions.all)] == [*map(told, opens(DraftSource(name)).versions.all)]


def test_that_what_a_person_says_of_a_walk_counts_in_their_name_and_is_kept(opens: Opens) -> None:
    desk, (texts, slip) = opens(), slipped(2)
    desk.by = "Anna, from version 3"
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
        assert not desk.judgements.rulings and back.score == version.score
    for said in Said:
        desk.say(Findings(version, difference=Discrepancy(("move up", said.value), said is Said.BOTH)), said)
    rulings = {(("move up", one.value), False): Ruling(one, one is Said.BOTH, desk.by) for one in Said}
    assert desk.judgements.rulings == rulings
    typed = desk.write(texts[0], f"{texts[1]};", version)
    assert desk.write(texts[0], f"{texts[1]};;", typed).number == typed.number  # typing on is no new one
    assert desk.write(texts[0], f"{texts[1]};;;", desk.choose(version)).number == typed.number + 1
    again = opens()
    assert again.judgements.rulings == rulings and again.versions.all[0].texts == texts


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
from tests.core.drafting.known import *
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
def test_that_after_kill_9_at_any_moment_a_draft_opens_at_its_last_version(
    opens: Opens, tmp_path: Path
) -> None:
    draw, opened, path = Random(0), 0, tmp_path / "log.db"
    for kill in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline()  # it opens the draft from here on
        time.sleep(draw.uniform(0, 2))
        child.kill()
        last = int([str(opened), *child.stdout.read().split()][-1])
        child.wait()
        desk = opens()
        opened = number(desk)
        desk.close()
        assert opened in (last, last + 1), (kill, opened, last)
    assert opened > KILLS
