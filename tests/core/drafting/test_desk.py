"""On the desk nothing that a person wrote or said is lost, and a search that nobody waits for ends."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import main
from core.drafting.desk import Desk, Findings, Next
from core.drafting.edits import LiteralEdit
from core.drafting.marks import Standing
from core.drafting.overruled import Ruling, Said
from core.drafting.rounds import MODEL, REPAIR
from core.drafting.score import Discrepancy
from core.drafting.source import DraftingTools, DraftSource
from core.errors import Cancelled
from core.stop_token import StopToken
from tests.core.drafting.known import right, slipped

TOOLS, SOURCE = DraftingTools(main.games, main.paint), DraftSource("frozenlake-3-2")
KILLS = 50


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(TOOLS, SOURCE, tmp_path / "log.db")
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
    assert third.problem.domain.action("move-up") == second.problem.domain.action("move-up")
    assert third.problem.domain.action("move-down") == theirs.domain.action("move-down")
    (conflict,), found = desk.conflicts, Findings(third)
    assert conflict.what == "the action move-up" and conflict.mine != conflict.theirs != conflict.before
    assert desk.next_step(found) is Next.CONFLICT
    taken = desk.refuse(found)
    assert taken.problem and taken.problem.domain.action("move-up") == theirs.domain.action("move-up")
    desk.conflicts = (conflict,)
    assert desk.go_on(found) is found and not desk.conflicts


@pytest.mark.parametrize("name", ["frozenlake-3-2", pytest.param("package-4-0", marks=pytest.mark.long)])
def test_that_a_draft_goes_on_alone_to_its_end_and_a_search_that_is_cancelled_ends(
    name: str, tmp_path: Path
) -> None:
    desk = Desk(TOOLS, DraftSource(name), tmp_path / "log.db")
    found = desk.go_on(None, alone=True)
    assert found.agrees and desk.next_step(found) is Next.DONE and desk.rounds <= 4
    assert {version.by for version in desk.versions} == {MODEL, REPAIR}
    desk.begin(ended := StopToken())
    ended.end("nobody waits")
    with pytest.raises(Cancelled):
        desk.look(found.version)


def test_that_what_a_person_says_of_a_walk_counts_in_score_proof_and_repair_and_is_kept(desk: Desk) -> None:
    texts, slip = slipped(2)
    version = desk.write(*texts, None)
    assert version.score is not None and version.score.ew < 1
    for said, told in ((Said.DRAFT, "as {} said, not"), (Said.UNKNOWN, "left out")):
        found, count = desk.look(version), 0
        assert not found.overruled and found.repair and found.repair.repairs[0].edit == slip.inverse
        while found.difference is not None:
            found, count = desk.look(desk.say(found, said)), count + 1
        assert found.agrees and found.version.score.exact and found.repair is None, said
        assert f"{count} step" in found.overruled and told.format(desk.by) in found.overruled
        back = found.version
        for _ in range(count):
            back = desk.undo(Findings(back))
        assert not desk.judged and back.score == version.score and not desk.stale
    for said in Said:
        desk.say(Findings(version, difference=Discrepancy(("move up", said.value), said is Said.BOTH)), said)
    rulings = {("move up", said.value): Ruling(said, said is Said.BOTH, desk.by) for said in Said}
    assert {walk: one for (walk, _), one in desk.judged.items()} == rulings
    desk.close()
    again = Desk(TOOLS, SOURCE, desk._recorder.path)
    assert again.judged == desk.judged
    assert [(one.by, one.parent, one.texts) for one in again.versions] == [(desk.by, 0, texts)]
    again.close()


def test_that_each_literal_is_needed_forbidden_or_never_tested(desk: Desk) -> None:
    _, slip = slipped(2)
    extra = replace(slip, old=None, new=replace(slip.old, positive=True) if slip.old else None)
    slipped_more = extra.apply(slip.apply(right("frozenlake", 2)[2]))
    found = desk.mark(desk.look(desk.write(*desk.bench.texts_of(slipped_more), None)))
    (forbidden,) = (one for one in found.marks if one.literal == extra.new and not one.effect)
    assert forbidden.standing is Standing.FORBIDDEN and forbidden.walk
    assert Standing.NEEDED in {one.standing for one in found.marks}


def test_that_what_is_too_large_to_be_tried_is_told_and_kept_as_it_is(desk: Desk) -> None:
    (domain, problem), _ = slipped(2)
    things, ten = " ".join(f"o{n} - object" for n in range(10_000)), " ".join(f"?p{n}" for n in range(10))
    for texts, told in (
        ((domain, problem.replace("(:objects", f"(:objects {things}")), "it has 10,009 objects"),
        ((domain.replace("(?from ?to -", f"({ten} ?from ?to -"), problem), "has 12 parameters"),
    ):
        made = desk.write(*texts, None)
        assert told in made.faults[0] and made.problem is None and made.texts == texts


def number(desk: Desk) -> int:
    """The number at the end of the domain at which a desk opened, 0 without one."""
    return int(desk.versions[-1].domain_text.partition(";")[2] or 0) if desk.versions else 0


KILLED = """
import sys
from pathlib import Path
from tests.core.drafting.test_desk import SOURCE, TOOLS, Desk, number
print("begins", flush=True)
desk = Desk(TOOLS, SOURCE, Path(sys.argv[1]))
version = desk.versions[-1] if desk.versions else desk.go_on(None).version
for count in range(number(desk) + 1, 100_000):
    text = f"{version.domain_text.partition(chr(59))[0]};{count}"
    version = desk.write(text, version.problem_text, version if count % 4 else None)
    print(count, flush=True)
"""


@pytest.mark.long
def test_that_after_kill_9_at_any_moment_a_draft_opens_at_its_last_version(tmp_path: Path) -> None:
    draw, path, opened = Random(0), tmp_path / "log.db", 0
    for kill in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None and child.stdout.readline()  # it opens the draft from here on
        time.sleep(draw.uniform(0, 2))
        child.kill()
        last = int([str(opened), *child.stdout.read().split()][-1])
        child.wait()
        desk = Desk(TOOLS, SOURCE, path)
        opened = number(desk)
        assert opened in (last, last + 1), (kill, opened, last)
        desk.close()
    print(f"{KILLS} kills, {opened} texts written")
